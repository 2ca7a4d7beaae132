import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { compareText } from "../diagnostics.ts";
import type { CheckFiles } from "../dox/subject.ts";

/** The files of a root on the disk. @param root absolute */
export function filesOf(root: string): CheckFiles {
  return {
    list: (directory) =>
      unlessMissing([], () =>
        readdirSync(resolve(root, directory), { withFileTypes: true })
          .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
          .sort(compareText),
      ),
    read: (file) => unlessMissing(undefined, () => readFileSync(resolve(root, file), "utf8").replace(/^\uFEFF/u, "")),
  };
}

function unlessMissing<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return otherwise;
    throw error;
  }
}
