import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { type BytePath, systemPath } from "./byte-paths.ts";
import { openNow } from "./open-now.ts";

/** What lies in a directory. */
export interface DirectoryEntries {
  readonly files: readonly BytePath[];
  readonly directories: readonly BytePath[];
  /** Symbolic links, wherever they lead. */
  readonly links: readonly BytePath[];
}

/**
 * The names in a directory, which is not reached through a link. Pipes, sockets and devices are left out.
 * @param path absolute and real
 * @throws NotThere, the error of the file system
 */
export function readEntries(path: BytePath): DirectoryEntries {
  return openNow(path, "directory", (fd) => {
    const files: BytePath[] = [];
    const directories: BytePath[] = [];
    const links: BytePath[] = [];
    for (const entry of list(process.platform === "linux" ? `/proc/self/fd/${fd}` : path)) {
      if (entry.isFile()) files.push(entry.name);
      else if (entry.isDirectory()) directories.push(entry.name);
      else if (entry.isSymbolicLink()) links.push(entry.name);
    }
    return { files, directories, links };
  });
}

type Entry = Pick<Dirent, "name" | "isFile" | "isDirectory" | "isSymbolicLink">;

function list(path: BytePath): readonly Entry[] {
  try {
    return readdirSync(systemPath(path), { encoding: "latin1", withFileTypes: true });
  } catch (error) {
    // A file system that does not tell types is asked for each name, which Node does by names that must be UTF-8.
    if ((error as NodeJS.ErrnoException).syscall !== "lstat") throw error;
    return readdirSync(systemPath(path), "latin1").map((name) =>
      Object.assign(lstatSync(systemPath(`${path}/${name}`)), { name }),
    );
  }
}
