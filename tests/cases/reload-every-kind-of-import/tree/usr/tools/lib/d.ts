export const d: number = 1;
