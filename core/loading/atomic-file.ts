import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";

/**
 * Writes a cache file so that a reader sees the old or the new text, never half of one.
 *
 * @returns a warning when the directory cannot be written; a cache is never worth failing for
 */
export function writeCacheFile(file: string, text: string): Diagnostic | undefined {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, file);
    return undefined;
  } catch (error) {
    rmSync(temporary, { force: true });
    return diagnostic("CACHE_UNWRITABLE", {
      file: file.replaceAll(path.sep, "/"),
      message: `the cache could not be written: ${error instanceof Error ? error.message : String(error)}`,
      hint: "Make the directory writable, or go on without: everything works, more slowly.",
    });
  }
}
