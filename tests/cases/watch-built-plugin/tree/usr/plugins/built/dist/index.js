export const word = "first build";
