export const here = "";
