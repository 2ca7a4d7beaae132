import path from "node:path";
import { realFile } from "./resolve.ts";

/** Files have one identity, their real path, and are shown by the path that they were asked for. */
export interface FileNames {
  /** The real path of a regular file; undefined when there is none. */
  find(file: string): string | undefined;
  /** The same for a file that may be gone: what it was, if it was found before. */
  recall(file: string): string;
  display(file: string): string;
}

/** @param show how a path is named in diagnostics */
export function createFileNames(show: (file: string) => string): FileNames {
  const targets = new Map<string, string>();
  const links = new Map<string, string>();
  return {
    find: (file) => {
      const found = realFile(file);
      if (found !== undefined && found !== file) {
        targets.set(file, found);
        links.set(found, file);
      }
      return found;
    },
    recall: (file) => targets.get(file) ?? path.resolve(file),
    display: (file) => show(links.get(file) ?? file),
  };
}
