import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readlink, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { swappedError } from "./file-errors.ts";

/** Linux: a hold on a path that neither reads nor needs leave to read. Elsewhere a directory is opened for reading. */
const HOLD = process.platform === "linux" ? 0o10000000 : constants.O_RDONLY;
const DIRECTORY_FLAGS = HOLD | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** A directory that is held open: what is done in it is done there, whatever becomes of its path meanwhile. */
export interface OpenDirectory {
  /** The path of an entry, for one call of the file system; `.` is the directory itself. */
  at(name: string): string;
  close(): Promise<void>;
}

/**
 * Opens a directory and no other that somebody puts in its place.
 *
 * @param real all links resolved
 * @param shown the path as messages name it
 * @throws the error of the file system; ToolError CONFLICT where something else lies there meanwhile
 */
export async function openDirectory(real: string, shown: string): Promise<OpenDirectory> {
  return await hold(real, real, shown);
}

/** As {@link openDirectory}; what is missing of it is made, each step in the one before, which is held open. */
export async function makeDirectory(real: string, shown: string): Promise<OpenDirectory> {
  const missing: string[] = [];
  for (let nearest = real; ; nearest = dirname(nearest)) {
    let held: OpenDirectory;
    try {
      held = await openDirectory(nearest, shown);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || dirname(nearest) === nearest) throw error;
      missing.unshift(basename(nearest));
      continue;
    }
    return await makeBelow(held, { real: nearest, missing, shown });
  }
}

/**
 * Whether what is open is what lies at a path without links.
 * @throws ToolError CONFLICT where it is not
 */
export async function requireAt(handle: FileHandle, real: string, shown: string): Promise<void> {
  const path = await descriptorPath(handle);
  if (path === undefined ? !(await isStill(handle, real)) : path !== real && path !== `${real} (deleted)`) {
    throw swappedError(shown);
  }
}

async function makeBelow(
  nearest: OpenDirectory,
  { real, missing, shown }: { readonly real: string; readonly missing: readonly string[]; readonly shown: string },
): Promise<OpenDirectory> {
  let held = nearest;
  let path = real;
  for (const name of missing) {
    const before = held;
    path = join(path, name);
    try {
      await mkdir(before.at(name)).catch((error: NodeJS.ErrnoException) => {
        // Another call made it first.
        if (error.code !== "EEXIST") throw error;
      });
      held = await hold(before.at(name), path, shown);
    } finally {
      await before.close();
    }
  }
  return held;
}

/** @param way how it is reached now */
async function hold(way: string, real: string, shown: string): Promise<OpenDirectory> {
  const handle = await open(way, DIRECTORY_FLAGS).catch(async (error: unknown) => {
    throw await unlinked(error, way, shown);
  });
  try {
    await requireAt(handle, real, shown);
    const base = (await descriptorPath(handle)) === undefined ? real : `/proc/self/fd/${handle.fd}`;
    return { at: (name) => join(base, name), close: async () => await handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where what is open lies, as the system has it; undefined where it does not say. */
async function descriptorPath({ fd }: FileHandle): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined;
  return await readlink(`/proc/self/fd/${fd}`).catch(() => undefined);
}

async function isStill(handle: FileHandle, real: string): Promise<boolean> {
  const [now, there, path] = await Promise.all([handle.stat(), stat(real), realpath(real)]);
  return path === real && now.dev === there.dev && now.ino === there.ino;
}

/** The error of opening a directory, where a link lies there: it was put there meanwhile. */
async function unlinked(error: unknown, way: string, shown: string): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ELOOP" && code !== "ENOTDIR") return error;
  const found = await lstat(way).catch(() => undefined);
  return found?.isSymbolicLink() ? swappedError(shown) : error;
}
