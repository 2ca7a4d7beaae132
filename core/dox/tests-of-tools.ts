import { posix } from "node:path";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { CheckFiles, CheckSubject } from "./subject.ts";

/** A tool's module, as far as its tests are concerned. */
export interface TestedTool {
  readonly id: string;
  /** Display path: POSIX, relative to the root. */
  readonly file: string;
}

/**
 * Finds the test files that run each tool: those that name its module in a string (an import, a URL, the path that
 * `testTool` is given), and, of the tests that lie where those of the tool belong, those that call it by its id.
 *
 * Tests of a person's plugin, profile or project lie in its directory, anywhere; those of the root in `tests/tools/`,
 * `tests/plugins/<plugin>/` or `tests/plugins/<plugin>.test.ts` (without the leading `_`), and `tests/agents/`.
 *
 * @returns for each tool's file, the display paths of its tests, sorted
 */
export function testsOfTools(tools: readonly TestedTool[], files: CheckFiles): ReadonlyMap<string, readonly string[]> {
  const texts = createTexts(files);
  return new Map(
    tools.map((tool) => {
      const own = ownTests(tool.file, files);
      const near = own.filter((file) => runsTool({ file, text: texts.of(file) }, tool));
      const far = rootTests(tool.file, files).filter(
        (file) => !own.includes(file) && namesModule({ file, text: texts.of(file) }, tool),
      );
      return [tool.file, [...near, ...far].sort(compareText)] as const;
    }),
  );
}

/** The test files that lie where those of a module belong, whatever they test. @param file display path of the module */
export function ownTests(file: string, files: CheckFiles): readonly string[] {
  const [, own] = /^(usr\/(?:plugins|agents|projects)\/[^/]+)\//u.exec(file) ?? [];
  if (own !== undefined) return testFilesBelow(own, files);
  const [, plugin] = /^plugins\/([^/]+)\//u.exec(file) ?? [];
  if (plugin !== undefined) return pluginTests(plugin, files);
  const [, profile] = /^agents\/([^/]+)\//u.exec(file) ?? [];
  if (profile !== undefined)
    return [...testFilesBelow(`agents/${profile}`, files), ...testFilesBelow("tests/agents", files)];
  if (file.startsWith("usr/")) return testFilesBelow("usr/tests", files);
  return testFilesBelow("tests/tools", files);
}

/** The test files of a bundled plugin. */
function pluginTests(plugin: string, files: CheckFiles): readonly string[] {
  const name = plugin.replace(/^_/u, "");
  const alone = rootTestFiles("tests/plugins", files).filter((file) => stemOf(file) === name);
  return [...testFilesBelow(`plugins/${plugin}`, files), ...testFilesBelow(`tests/plugins/${name}`, files), ...alone];
}

/**
 * Whether each tool has a test that runs it. A tool that comes with the product, or lies beside its core, is an error
 * without one; one of the person's own a warning, where those are looked at.
 */
export function checkTestsOfTools({ tools, files, root, home, usr }: CheckSubject): readonly Diagnostic[] {
  const isOurs = (file: string): boolean => root === home && !file.startsWith("usr/");
  const looked = tools.filter(({ own, file }) => own && (usr || !file.startsWith("usr/")));
  const tests = testsOfTools(looked, files);
  return looked.flatMap(({ id, file }) => {
    if ((tests.get(file) ?? []).length > 0) return [];
    const place = placeForTests(file, id);
    return [
      diagnostic("TOOL_UNTESTED", {
        severity: isOurs(file) ? "error" : "warning",
        file,
        message: `expected a test that runs ${id}, found none`,
        hint: `Write ${place} with testTool("${posix.relative(posix.dirname(place), file)}") of toolroom/testing.`,
      }),
    ];
  });
}

/** Where a test of a module is expected. */
function placeForTests(file: string, id: string): string {
  const name = `${id.replaceAll("_", "-")}.test.ts`;
  const [, own] = /^(usr\/(?:plugins|agents|projects)\/[^/]+)\//u.exec(file) ?? [];
  if (own !== undefined) return `${own}/tests/${name}`;
  const [, plugin] = /^plugins\/_?([^/]+)\//u.exec(file) ?? [];
  if (plugin !== undefined) return `tests/plugins/${plugin}/${name}`;
  if (file.startsWith("usr/")) return `usr/tests/${name}`;
  return `tests/${file.startsWith("agents/") ? "agents" : "tools"}/${name}`;
}

const TEST = /\.(?:test|spec)\.[cm]?[jt]sx?$/u;
const NOT_SEARCHED = /^(?:node_modules|\..*)\/$/u;
const ROOT_TESTS = ["tests/tools", "tests/plugins", "tests/agents"] as const;
const STRING = /(["'`])((?:(?!\1)[^\n\\])+\/tools\/[^"'`\n/]+)\1/gu;

/** The test files below a directory, at any depth, sorted. */
function testFilesBelow(directory: string, files: CheckFiles): readonly string[] {
  return files.list(directory).flatMap((name) => {
    const path = `${directory}/${name.replace(/\/$/u, "")}`;
    if (!name.endsWith("/")) return isTestFile(name) ? [path] : [];
    return NOT_SEARCHED.test(name) ? [] : testFilesBelow(path, files);
  });
}

function rootTestFiles(directory: string, files: CheckFiles): readonly string[] {
  return files.list(directory).flatMap((name) => (isTestFile(name) ? [`${directory}/${name}`] : []));
}

/** What the root's own tests may say of a tool of the root. */
function rootTests(file: string, files: CheckFiles): readonly string[] {
  return file.startsWith("usr/") ? [] : ROOT_TESTS.flatMap((directory) => testFilesBelow(directory, files));
}

/** Whether a test file is called like a tool: `word-count.test.ts`, `word_count.test.ts`. */
export function isNamedFor(file: string, { id }: TestedTool): boolean {
  return stemOf(file) === id;
}

/** `tests/word-count.test.ts` → `word_count`. */
function stemOf(file: string): string {
  return posix.basename(file).replace(TEST, "").replaceAll("-", "_");
}

/** Whether a test file runs a tool: it names its module in a string, or calls it by its id. */
export function runsTool(test: { readonly file: string; readonly text: string }, tool: TestedTool): boolean {
  return runs(test.text, tool) || namesModule(test, tool);
}

/** Whether a file is a test, by its name. */
export function isTestFile(file: string): boolean {
  return TEST.test(file);
}

function namesModule({ file, text }: { readonly file: string; readonly text: string }, tool: TestedTool): boolean {
  const wanted = withoutExtension(tool.file);
  return [...text.matchAll(STRING)].some(([, , path = ""]) => {
    const resolved = path.startsWith(".") ? posix.join(posix.dirname(file), path) : path;
    return withoutExtension(resolved) === wanted;
  });
}

/** `host.call("word_count", …)`, `call('word_count:method')` */
function runs(text: string, { id }: TestedTool): boolean {
  return new RegExp(`\\bcall\\(\\s*["'\`]${id}(?::[^"'\`]*)?["'\`]`, "u").test(text);
}

function withoutExtension(path: string): string {
  return path.replace(/\.[cm]?[jt]sx?$/u, "");
}

/** Each file is read once. */
function createTexts(files: CheckFiles): { of(file: string): string } {
  const known = new Map<string, string>();
  return {
    of(file) {
      const text = known.get(file) ?? files.read(file) ?? "";
      known.set(file, text);
      return text;
    },
  };
}
