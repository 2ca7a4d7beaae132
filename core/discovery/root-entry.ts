import type { Json } from "../sdk/json.ts";
import { describe, isMapping } from "./fields.ts";

/** What may be done in a directory outside of the workspace. */
const ACCESS = ["read_only", "read_write", "write_only"] as const;

/** A directory outside of the workspace that may be used. */
export interface RootEntry {
  /** As it is written. */
  readonly path: string;
  readonly access: (typeof ACCESS)[number];
}

/** An entry of `allowed_roots`: a path, which may be read, or a path with what may be done there. */
export function readRootEntry(entry: Json): RootEntry {
  if (typeof entry === "string") return { path: entry, access: "read_only" };
  const { path, access } = entry as unknown as Partial<RootEntry>;
  return { path: path ?? "", access: access ?? "read_only" };
}

/** What is wrong with an entry of `allowed_roots`, if anything. */
export function rootFault(entry: Json): string | undefined {
  if (typeof entry === "string") return pathFault(entry);
  const keys = isMapping(entry) ? Object.keys(entry) : [];
  const known = isMapping(entry) && keys.every((key) => key === "path" || key === "access");
  if (!known || !keys.includes("path")) {
    return `expected a path, or a mapping with path and access, found ${describe(entry)}`;
  }
  const { path, access } = entry;
  const admitted = access === undefined || ACCESS.some((name) => name === access);
  if (!admitted) return `access: expected one of ${ACCESS.join(", ")}, found ${describe(access as Json)}`;
  return pathFault(path as Json);
}

/** What is wrong with a path of a setting, if anything. Whose home `~name` is, nobody can say. */
export function pathFault(path: Json): string | undefined {
  const sound = typeof path === "string" && path !== "" && !path.includes("\0") && !/^~[^/]/u.test(path);
  return sound ? undefined : `expected a path, absolute, below ~/ or relative to the root, found ${describe(path)}`;
}
