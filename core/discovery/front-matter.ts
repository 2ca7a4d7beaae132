import { createRequire } from "node:module";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { parseYaml, type YamlDocument } from "./yaml.ts";

/** A text cut at its front matter. Nothing has been parsed. */
export interface SplitText {
  /** The lines between the `---` lines; undefined: there is no front matter. */
  readonly matter: string | undefined;
  /** With `\n` at the ends of its lines. */
  readonly body: string;
  /** Line of the file that the body begins at, 1-based. */
  readonly line: number;
  /** FM_UNCLOSED or FM_LANGUAGE. */
  readonly problem?: Diagnostic;
}

/** Blanks at the end of a line cannot be seen, so they do not count. */
const FENCE = /^---[ \t]*$/u;
const TAGGED = /^---[ \t]*([A-Za-z][\w+#-]*)[ \t]*$/u;

/**
 * Cuts a text (without byte order mark) at its front matter: the lines between a first line that is exactly
 * `---` and the next one that is. A `---` that is never closed is a rule of the text, and everything is body.
 */
export function splitFrontMatter(text: string, file: string): SplitText {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const [first = ""] = lines;
  const tag = TAGGED.exec(first)?.[1];
  if (tag === undefined && !FENCE.test(first)) return { matter: undefined, body: lines.join("\n"), line: 1 };
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (tag !== undefined) {
    const message = `expected line 1 to be exactly ---, found the language "${tag}"; front matter is YAML and is never run`;
    const problem = diagnostic("FM_LANGUAGE", { file, line: 1, message, hint: "Write --- alone and YAML below it." });
    return { ...cut(lines, end), matter: undefined, problem };
  }
  if (end === -1) {
    const message = "line 1 is --- but no later line is, so all of it is read as text";
    const hint = "Close the front matter with a line ---, or begin the text with another line.";
    return {
      matter: undefined,
      body: lines.join("\n"),
      line: 1,
      problem: diagnostic("FM_UNCLOSED", { file, line: 1, message, hint }),
    };
  }
  return { ...cut(lines, end), matter: lines.slice(1, end).join("\n") };
}

function cut(lines: readonly string[], end: number): { body: string; line: number } {
  return { body: lines.slice(end + 1).join("\n"), line: end + 2 };
}

/** The data of a front matter, with positions in the lines of the file; undefined where there is none. */
export interface FrontMatter {
  readonly document: YamlDocument | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the front matter of a text through gray-matter, with YAML as its only language.
 *
 * gray-matter runs `---js` front matter as code unless each of its engines is replaced, keeps what it parsed
 * in a shared cache unless it is given options, and parses again when it writes: so a language tag never
 * reaches it, every other engine throws, options are always given, and its `stringify` is never called.
 */
export function readFrontMatter(text: string, file: string): FrontMatter {
  const { matter, problem } = splitFrontMatter(text, file);
  if (problem) return { document: undefined, diagnostics: [problem] };
  if (matter === undefined) return { document: undefined, diagnostics: [] };
  // A line that begins with --- would end gray-matter's block earlier than ours.
  const inner = matter.split("\n").findIndex((line) => line.startsWith("---"));
  if (inner >= 0)
    return invalid(file, { message: "a line of the front matter begins with ---", line: inner + 1, column: 1 });
  return parseBlock(matter, file);
}

function parseBlock(matter: string, file: string): FrontMatter {
  const grayMatter = createRequire(import.meta.url)("gray-matter") as typeof import("gray-matter");
  let outcome: ReturnType<typeof parseYaml> | undefined;
  const yaml = (block: string): object => {
    outcome = parseYaml(block.replace(/^\n/u, ""));
    return {};
  };
  grayMatter(`---\n${matter}\n---\n`, { language: "yaml", engines: { ...refusingEngines(), yaml } });
  if (!outcome) return { document: undefined, diagnostics: [] };
  if ("error" in outcome) return invalid(file, outcome.error);
  const { value, position, source } = outcome;
  if (value !== null && (typeof value !== "object" || Array.isArray(value))) {
    const found = Array.isArray(value) ? "a list" : `${typeof value} ${JSON.stringify(value)}`;
    return invalid(file, { message: `expected keys with values, found ${found}`, line: 1, column: 1 });
  }
  // Line 1 of the file is the opening ---.
  const inFile: YamlDocument["position"] = (path) => {
    const { line, column } = position(path);
    return { line: line + 1, column };
  };
  return { document: { value, position: inFile, source }, diagnostics: [] };
}

function invalid(
  file: string,
  { message, line, column }: { message: string; line: number; column: number },
): FrontMatter {
  return { document: undefined, diagnostics: [diagnostic("FM_INVALID", { file, line: line + 1, column, message })] };
}

function refusingEngines(): Record<string, () => never> {
  const refuse = () => {
    throw new TypeError("front matter has one language, YAML");
  };
  return { json: refuse, javascript: refuse, js: refuse, coffee: refuse, toml: refuse };
}
