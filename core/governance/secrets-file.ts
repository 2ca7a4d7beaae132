import { type Diagnostic, diagnostic } from "../diagnostics.ts";

/** One line, or one quoted value over several lines, of a secrets file. */
export interface SecretEntry {
  /** In upper case. */
  readonly name: string;
  /** Undefined where it is too short to be taken; the name is then nobody's. */
  readonly value: string | undefined;
  /** From 1. */
  readonly line: number;
  /** The comment lines directly above it, joined. */
  readonly comment?: string;
}

/** A shorter value is not taken: it occurs in every text, and masking it would garble them all. */
const MIN_LENGTH = 4;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** More of a comment than this does not describe a secret to a model. */
const MAX_COMMENT = 200;

/** What stands for itself behind a backslash in double quotes, and what stands for something else. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "\\": "\\", '"': '"', $: "$" };

/**
 * Reads the text of a `secrets.env`:
 *
 * - `NAME=value`, also `export NAME=value`; blanks around `=` and at the ends of a bare value do not count
 * - `# …` on a line of its own, or behind a value and a blank, is a comment; `a#b` is a value
 * - `'…'` and `` `…` `` are taken as they are, `"…"` knows `\n \r \t \\ \" \$`; all three may go over several lines
 * - nothing is expanded: `$HOME` is these five characters
 *
 * A name that comes twice has its last value. A line that is none of this, or whose value has fewer than 4
 * characters, is left out and has a diagnostic; no diagnostic quotes a line.
 *
 * @param file display path, for diagnostics
 */
export function parseSecretsFile(
  text: string,
  file: string,
): { readonly entries: readonly SecretEntry[]; readonly diagnostics: readonly Diagnostic[] } {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n?|\n/);
  const entries = new Map<string, SecretEntry>();
  const diagnostics: Diagnostic[] = [];
  let comments: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const bare = (lines[at] as string).trim();
    if (bare.startsWith("#")) {
      comments.push(bare);
      continue;
    }
    const above = comments;
    comments = [];
    if (bare === "") continue;
    const line = at + 1;
    const read = readAssignment(lines, at);
    if ("fault" in read) {
      diagnostics.push(diagnostic("SECRETS_INVALID", { file, line, ...read.fault }));
      continue;
    }
    at = read.last;
    const name = read.name.toUpperCase();
    const value = isTooShort(read.value) ? undefined : read.value;
    if (value === undefined) diagnostics.push(tooShort(name, { file, line }));
    const before = entries.get(name);
    if (before) diagnostics.push(repeated(name, before, { file, line }));
    const comment = commentOf(above);
    entries.set(name, { name, value, line, ...(comment === "" ? {} : { comment }) });
  }
  return { entries: [...entries.values()], diagnostics };
}

interface Fault {
  readonly message: string;
  readonly hint: string;
}

type Assignment =
  | { readonly name: string; readonly value: string /** Index of its last line. */; readonly last: number }
  | { readonly fault: Fault };

const SHAPE: Fault = {
  message: "expected NAME=value or a comment",
  hint: "A name has letters, digits and underscores, and begins with no digit; the line was left out.",
};

function readAssignment(lines: readonly string[], at: number): Assignment {
  const [, name = "", rest = ""] = /^\s*(?:export\s+)?([^=\s]*)\s*=([\s\S]*)$/.exec(lines[at] as string) ?? [];
  if (!NAME.test(name)) return { fault: SHAPE };
  const start = rest.trimStart();
  const quote = start[0];
  if (quote === '"' || quote === "'" || quote === "`") return readQuoted(lines, { at, name, quote, start });
  // A comment needs a blank before it, or passwords with # would be cut.
  return { name, value: rest.replace(/\s#[\s\S]*$/, "").trim(), last: at };
}

/** What may stand before the closing quote. */
const INSIDE: Readonly<Record<string, RegExp>> = {
  '"': /^[^"\\]*(?:\\[\s\S][^"\\]*)*/,
  "'": /^[^']*/,
  "`": /^[^`]*/,
};

function readQuoted(
  lines: readonly string[],
  { at, name, quote, start }: { at: number; name: string; quote: string; start: string },
): Assignment {
  const insideOf = (text: string): string => INSIDE[quote]?.exec(text)?.[0] ?? "";
  let text = start.slice(1);
  if (text[insideOf(text).length] !== quote) text = [text, ...lines.slice(at + 1)].join("\n");
  const raw = insideOf(text);
  if (text[raw.length] !== quote) {
    const hint = `Close it with ${quote}, or leave the quotes out; the line was left out.`;
    return { fault: { message: `a value begins with ${quote} that is never closed`, hint } };
  }
  const behind = text.slice(raw.length + 1).split("\n", 1)[0] as string;
  if (!/^\s*(?:#[\s\S]*)?$/.test(behind)) {
    const hint = 'Write quotes inside of a value as \\" in double quotes; the line was left out.';
    return { fault: { message: `there is more behind the closing ${quote} than a comment`, hint } };
  }
  const value = quote === '"' ? raw.replace(/\\([\s\S])/g, (whole, mark: string) => ESCAPES[mark] ?? whole) : raw;
  return { name, value, last: at + raw.split("\n").length - 1 };
}

/** Blanks at the ends do not count: four of them occur in every text too. */
function isTooShort(value: string): boolean {
  return [...value.trim()].length < MIN_LENGTH;
}

interface At {
  readonly file: string;
  readonly line: number;
}

function tooShort(name: string, at: At): Diagnostic {
  const message = `the value of ${name} has fewer than ${MIN_LENGTH} characters and is not taken`;
  return diagnostic("SECRET_TOO_SHORT", {
    ...at,
    message,
    hint: "So short a value cannot be masked: use a longer one.",
  });
}

function repeated(name: string, before: SecretEntry, at: At): Diagnostic {
  const message = `${name} is in line ${before.line} already`;
  return diagnostic("SECRET_REPEATED", { ...at, message, hint: "This line holds: remove the other." });
}

/** A line that was commented out still holds a value, so it describes nothing. */
function commentOf(lines: readonly string[]): string {
  return lines
    .map((line) => line.replace(/^#+/, "").trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !/^(?:export\s+)?[A-Za-z_]\w*\s*=/.test(line))
    .join(" ")
    .slice(0, MAX_COMMENT);
}
