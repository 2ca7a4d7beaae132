import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { type BytePath, systemPath } from "./byte-paths.ts";

/** Never through a link, and never waiting for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const DIRECTORY_FLAGS = FLAGS | (constants.O_DIRECTORY ?? 0);

/** Thrown where something else lies at a path than a moment before, or something that cannot be read. */
class NotThere extends Error {}

/**
 * Opens what lies at a path without links. A search opens very many files, so it does not wait for each: whoever calls
 * this takes turns with the rest of the host, and closes what is open.
 *
 * @param path absolute and real; a link on the way that was put there meanwhile is found out by where the descriptor lies
 * @throws NotThere; the error of the file system, where it has one
 */
export function openDescriptor(
  path: BytePath,
  type: "file" | "directory",
): { readonly fd: number; readonly found: Stats } {
  const name = systemPath(path);
  // Opening a device can have effects.
  if (type === "file" && !lstatSync(name).isFile()) throw new NotThere();
  const fd = openSync(name, type === "file" ? FLAGS : DIRECTORY_FLAGS);
  try {
    const found = fstatSync(fd);
    if (!(type === "file" ? found.isFile() : found.isDirectory()) || !liesAt(fd, path, found)) throw new NotThere();
    return { fd, found };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** As {@link openDescriptor}, for one use; it is closed behind it. */
export function openNow<T>(path: BytePath, type: "file" | "directory", use: (fd: number, found: Stats) => T): T {
  const { fd, found } = openDescriptor(path, type);
  try {
    return use(fd, found);
  } finally {
    closeSync(fd);
  }
}

function liesAt(fd: number, path: BytePath, found: Stats): boolean {
  if (process.platform === "linux") return readlinkSync(`/proc/self/fd/${fd}`, "latin1") === path;
  const now = lstatSync(systemPath(path));
  return realpathSync(systemPath(path), "latin1") === path && now.ino === found.ino && now.dev === found.dev;
}
