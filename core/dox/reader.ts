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
  const texts = new Map<string, string | undefined>();
  const documents = new Map<string, Document>();

  const names = (directory: string) =>
    remembered(lists, directory, () => {
      try {
        return files.list(directory);
      } catch (error) {
        // Whoever must have a directory there says so (see places.ts); elsewhere a file is no directory, and that is all.
        if (codeOf(error) !== "ENOTDIR") found.push(unlisted(directory, error));
        return [];
      }
    });
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
    kind(path) {
      if (path === ".") return "directory";
      const beside = names(posix.dirname(path));
      const name = posix.basename(path);
      return beside.includes(name) ? "file" : beside.includes(`${name}/`) ? "directory" : undefined;
    },
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
