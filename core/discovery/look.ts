import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";

const QUIET = { throwIfNoEntry: false } as const;

/**
 * What lies at a path, links followed. Undefined where nothing does, and where nobody lets us look (a directory on
 * the way that may not be entered, a name that is too long): whoever then reads it is told why.
 */
export function look(path: string): Stats | undefined {
  try {
    return statSync(path, QUIET);
  } catch {
    return undefined;
  }
}

/**
 * As {@link look}, of a link itself.
 * @param refused is told the code where nobody lets us look
 */
export function lookAtLink(path: string, refused?: (code: string) => void): Stats | undefined {
  try {
    return lstatSync(path, QUIET);
  } catch (error) {
    refused?.((error as NodeJS.ErrnoException).code ?? "EIO");
    return undefined;
  }
}

/** The path of what lies at a path, with no link in it; undefined where nothing does, and where nobody lets us look. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
