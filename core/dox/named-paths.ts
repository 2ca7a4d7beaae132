import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Document, sectionOf } from "./document.ts";
import { codeSpans } from "./markdown.ts";
import type { Reader } from "./reader.ts";
import { isTestFile, runsTool } from "./tests-of-tools.ts";

/** The document of a tool, and whose tests it should name. */
export interface Naming {
  readonly document: Document;
  /** Display path of the module. */
  readonly module: string;
  readonly id: string;
}

/**
 * What the sections Dependencies, Prompt contract and Verification name in code spans exists, relative to the root, to
 * the tool's plugin or to the document; and where Verification names tests, alone or in one command, one of them runs the
 * tool. Tests may be named as Vitest takes them: by a folder, or by the beginning of their path.
 */
export function namedPathFindings(naming: Naming, reader: Reader): readonly Diagnostic[] {
  const { document } = naming;
  return ["Dependencies", "Prompt contract", "Verification"].flatMap((title) =>
    (sectionOf(document, title)?.lines ?? []).flatMap(({ prose, line }) =>
      codeSpans(prose).flatMap((span) => spanFindings(span, { ...naming, title, line, reader })),
    ),
  );
}

function spanFindings(
  span: string,
  {
    document: { file },
    module,
    id,
    title,
    line,
    reader,
  }: Naming & { readonly title: string; readonly line: number; readonly reader: Reader },
): readonly Diagnostic[] {
  // The root, the plugin or another place that the tool belongs to, and where the document lies.
  const bases = [...new Set([".", posix.dirname(posix.dirname(module)), posix.dirname(module)])];
  const tests = title === "Verification";
  const found = pathsIn(span, reader).map((path) => ({
    path,
    files: bases.flatMap((base) => filesOf(reader, posix.join(base, path), tests)),
  }));
  const missing = found
    .filter(({ files }) => files.length === 0)
    .map(({ path }) => {
      const message = `expected ${path} to be there, as the section ${title} names it, found nothing`;
      const hint = "Name what there is, relative to the root or to the plugin.";
      return diagnostic("DOX_PATH_MISSING", { file, line, message, hint });
    });
  const named = tests ? found.flatMap(({ files }) => files.filter(isTestFile)) : [];
  const runs = (test: string) => runsTool({ file: test, text: reader.text(test) ?? "" }, { id, file: module });
  if (named.length === 0 || named.some(runs)) return missing;
  const message = `expected tests that run ${id}, found none in ${span}`;
  const hint = "Name a test that names the tool's module, or calls the tool by its id.";
  return [...missing, diagnostic("DOX_TEST_UNRELATED", { file, line, message, hint })];
}

/** What looks like a path in a code span: parts with slashes, the last with an ending or the first in the root. */
function pathsIn(span: string, reader: Reader): readonly string[] {
  return span
    .split(/\s+/u)
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
