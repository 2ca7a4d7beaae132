import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Document, sectionOf } from "./document.ts";
import { codeSpans } from "./markdown.ts";
import type { Reader } from "./reader.ts";

/** The document of a tool, and whose tests it should name. */
export interface Naming {
  readonly document: Document;
  /** Display path of the module. */
  readonly module: string;
  readonly id: string;
}

/**
 * What the sections Dependencies, Prompt contract and Verification name in code spans exists, relative to the root,
 * to the tool's plugin or to the document; and a test of Verification names the tool, by its id or by its module. A test may be named as Vitest
 * takes it: by a folder, or by the beginning of its path.
 */
export function namedPathFindings({ document, module, id }: Naming, reader: Reader): readonly Diagnostic[] {
  const { file } = document;
  // The root, the plugin or another place that the tool belongs to, and where the document lies.
  const bases = new Set([".", posix.dirname(posix.dirname(module)), posix.dirname(module)]);
  return ["Dependencies", "Prompt contract", "Verification"].flatMap((title) =>
    (sectionOf(document, title)?.lines ?? []).flatMap(({ prose, line }) =>
      pathsIn(prose, reader).flatMap((path): readonly Diagnostic[] => {
        const tests = title === "Verification";
        const files = [...bases].flatMap((base) => filesOf(reader, posix.join(base, path), tests));
        if (files.length === 0) {
          const message = `expected ${path} to be there, as the section ${title} names it, found nothing`;
          return [
            diagnostic("DOX_PATH_MISSING", {
              file,
              line,
              message,
              hint: "Name what there is, relative to the root or to the plugin.",
            }),
          ];
        }
        const testFiles = files.filter((item) => TEST.test(item));
        if (!tests || testFiles.length === 0 || testFiles.some((test) => mentions(reader, test, { module, id })))
          return [];
        const message = `expected ${path} to run ${id}, found neither its id nor its module there`;
        return [diagnostic("DOX_TEST_UNRELATED", { file, line, message, hint: "Name the test that runs the tool." })];
      }),
    ),
  );
}

const TEST = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;

/** Whether a test names a tool: by its id, as a word, or by the path of its module. */
function mentions(reader: Reader, test: string, { module, id }: Pick<Naming, "module" | "id">): boolean {
  const text = reader.text(test) ?? "";
  return new RegExp(`(?<![\\w-])${id}(?![\\w-])`, "u").test(text) || text.includes(module);
}

/** What looks like a path in the code spans of a line: parts with slashes, the last with an ending or the first in the root. */
function pathsIn(prose: string, reader: Reader): readonly string[] {
  return codeSpans(prose)
    .flatMap((span) => span.split(/\s+/u))
    .map((word) => word.replace(/^\.\//u, "").replace(/\/$/u, ""))
    .filter((word) => /^(?!\.\.\/)[\w.-]+(?:\/[\w.-]+)+$/u.test(word))
    .filter((word) => FILE.test(word) || reader.kind(word.slice(0, word.indexOf("/"))) !== undefined);
}

const FILE = /\.(?:[cm]?[jt]sx?|md|json|ya?ml|ftl)$/u;

/** The files that a path means: itself, those in a folder and its folders, or, of tests, all that begin so. */
function filesOf(reader: Reader, path: string, tests: boolean): readonly string[] {
  if (path.startsWith("../")) return [];
  const kind = reader.kind(path);
  if (kind === "file") return [path];
  if (kind === "directory") {
    const names = reader.names(path).filter((name) => !name.startsWith("."));
    // An empty folder is there, too: its own path stands for it.
    return [
      path,
      ...(tests ? names.flatMap((name) => filesOf(reader, `${path}/${name.replace(/\/$/u, "")}`, true)) : []),
    ];
  }
  const [directory, begin] = [posix.dirname(path), posix.basename(path)];
  return tests
    ? reader
        .names(directory)
        .filter((name) => name.startsWith(begin))
        .map((name) => `${directory}/${name}`)
    : [];
}
