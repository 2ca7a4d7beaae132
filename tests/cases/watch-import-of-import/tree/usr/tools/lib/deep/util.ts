export const word = "one";
