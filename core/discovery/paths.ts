import { isAbsolute, relative, sep } from "node:path";

/**
 * A path with `/` between its parts. On POSIX systems a backslash is an ordinary character of a name and stays.
 * @param separator what stands between the parts; default: this system's
 */
export function toPosix(file: string, separator: string = sep): string {
  return separator === "/" ? file : file.replaceAll(separator, "/");
}

/** Whether `child` is `parent` or lies below it. Both absolute and free of `..`. */
export function contains(parent: string, child: string): boolean {
  const way = toPosix(relative(parent, child));
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way));
}

/** How a file is shown: POSIX, relative to the root (`.` for the root itself), absolute where it lies outside. */
export function displayPath(root: string, file: string): string {
  if (!contains(root, file)) return toPosix(file);
  return toPosix(relative(root, file)) || ".";
}

/** `name` below the displayed directory `directory`, where `.` is the root. */
export function joinDisplay(directory: string, name: string): string {
  return directory === "." ? name : `${directory}/${name}`;
}
