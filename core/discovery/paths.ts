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
  return wayDown(parent, child) !== undefined;
}

/** The way from a directory to what lies in it, POSIX, "" for itself; undefined for what does not. */
function wayDown(parent: string, child: string): string | undefined {
  if (sep === "/") {
    // Asked for every path that is shown: to compare the beginnings takes a tenth of what `relative` does.
    if (child === parent) return "";
    const start = parent.endsWith("/") ? parent : `${parent}/`;
    return child.startsWith(start) ? child.slice(start.length) : undefined;
  }
  const way = toPosix(relative(parent, child));
  return way === ".." || way.startsWith("../") || isAbsolute(way) ? undefined : way;
}

/** How a file is shown: POSIX, relative to the root (`.` for the root itself), absolute where it lies outside. */
export function displayPath(root: string, file: string): string {
  const way = wayDown(root, file);
  return way === undefined ? toPosix(file) : way || ".";
}

/** `name` below the displayed directory `directory`, where `.` is the root. */
export function joinDisplay(directory: string, name: string): string {
  return directory === "." ? name : `${directory}/${name}`;
}
