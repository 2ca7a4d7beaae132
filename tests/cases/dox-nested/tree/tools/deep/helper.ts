export * from "./more";
