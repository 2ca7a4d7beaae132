import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Document, parseDocument } from "./document.ts";
import type { CheckFiles } from "./subject.ts";

/** The files of a root while one check looks at them: each is read once, and what cannot be read is a finding. */
export interface Reader {
  /** The names in a directory, sorted, those of directories with `/`; none where there is no directory. */
  names(directory: string): readonly string[];
  /** The names of the directories in a directory, hidden ones left out, without `/`. */
  directories(directory: string): readonly string[];
  /** What lies at a path, its letters exactly so. */
  kind(path: string): "file" | "directory" | undefined;
  /** The text of a file; undefined where there is none, or none that can be read. */
  text(file: string): string | undefined;
  /** As {@link Reader.text}, for Markdown. */
  document(file: string): Document | undefined;
  /** What could not be read up to now. */
  problems(): readonly Diagnostic[];
}

/** A reader that remembers. */
export function createReader(files: CheckFiles): Reader {
  const found: Diagnostic[] = [];
  const lists = new Map<string, readonly string[]>();
  const sets = new Map<string, ReadonlySet<string>>();
  const texts = new Map<string, string | undefined>();
  const documents = new Map<string, Document>();

  const names = (directory: string): readonly string[] =>
    remembered(lists, directory, () => {
      // Most of what is asked for is not there: its parent says so without a further look.
      if (directory !== "." && kindOf(directory) === undefined) return [];
      try {
        return files.list(directory);
      } catch (error) {
        // A file is no directory, and that is all.
        if (codeOf(error) !== "ENOTDIR") found.push(unlisted(directory, error));
        return [];
      }
    });
  const kindOf = (path: string): "file" | "directory" | undefined => {
    if (path === ".") return "directory";
    const directory = posix.dirname(path);
    const beside = remembered(sets, directory, () => new Set(names(directory)));
    const name = posix.basename(path);
    return beside.has(name) ? "file" : beside.has(`${name}/`) ? "directory" : undefined;
  };
  const text = (file: string) =>
    remembered(texts, file, () => {
      try {
        return files.read(file);
      } catch (error) {
        if (codeOf(error) !== "ENOTDIR" && codeOf(error) !== "EISDIR") found.push(unreadable(file, error));
        return undefined;
      }
    });
  return {
    names,
    text,
    directories: (directory) =>
      names(directory).flatMap((name) => (name.endsWith("/") && !name.startsWith(".") ? [name.slice(0, -1)] : [])),
    kind: kindOf,
    document(file) {
      const markdown = text(file);
      return markdown === undefined ? undefined : remembered(documents, file, () => parseDocument(file, markdown));
    },
    problems: () => found,
  };
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  if (!known.has(key)) known.set(key, make());
  return known.get(key) as T;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
}

function unlisted(file: string, error: unknown): Diagnostic {
  const message = `expected a directory that can be read, found one that cannot (${codeOf(error)})`;
  return diagnostic("DIRECTORY_UNREADABLE", { file, message, hint: "Let it be read, or move it away." });
}

function unreadable(file: string, error: unknown): Diagnostic {
  const message = `expected a file that can be read, found one that cannot (${codeOf(error)})`;
  return diagnostic("DOX_UNREADABLE", { file, message, hint: "Let it be read, or move it away." });
}
