import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { shown } from "./failure.ts";

/** All that lies below a directory, in one text that is another where anything there is. */
export function contentsOf(directory: string): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = join(entry.parentPath, entry.name);
    const what = entry.isFile()
      ? shown(readFileSync(file, "utf8"))
      : entry.isSymbolicLink()
        ? `a link to ${readlinkSync(file)}`
        : entry.isDirectory()
          ? "a directory"
          : "no file";
    return `${relative(directory, file)}: ${what}`;
  });
  return `{${files.sort().join(", ")}}`;
}
