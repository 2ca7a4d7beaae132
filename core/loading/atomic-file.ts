import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";

/**
 * Writes a cache file so that a reader sees the old or the new content, never half of one.
 *
 * @returns a warning when the directory cannot be written; a cache is never worth failing for
 */
export function writeCacheFile(file: string, content: string | Uint8Array): Diagnostic | undefined {
  const directory = path.dirname(file);
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    mkdirSync(directory, { recursive: true });
    writeFileSync(temporary, content);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    if (existsSync(temporary)) rmSync(temporary, { force: true });
    return unwritable(directory, error);
  }
}

/**
 * Says beforehand, without writing anything, that a cache directory cannot be written or made.
 * @param display how it is named
 */
export function unwritableCache(directory: string, display = directory): Diagnostic | undefined {
  try {
    let nearest = directory;
    while (!existsSync(nearest)) nearest = path.dirname(nearest);
    if (!statSync(nearest).isDirectory()) return unwritable(display, { code: "ENOTDIR" });
    accessSync(nearest, constants.W_OK);
    return undefined;
  } catch (error) {
    return unwritable(display, error);
  }
}

function unwritable(directory: string, error: unknown): Diagnostic {
  const code = (error as { code?: unknown } | undefined)?.code;
  return diagnostic("CACHE_UNWRITABLE", {
    file: directory.replaceAll(path.sep, "/"),
    message: `expected a directory for the cache that can be written, found ${String(code ?? error)}`,
    hint: "Make it writable, or go on without: everything works, more slowly.",
  });
}
