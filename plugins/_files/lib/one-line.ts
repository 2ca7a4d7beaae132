/** A path as messages show it: on one line, whatever its name. */
export function oneLine(path: string): string {
  return /\p{Cc}/u.test(path) ? JSON.stringify(path) : path;
}
