import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type FluentMessage, readFluent } from "../discovery/fluent.ts";
import { LAST_LOCALE } from "../discovery/locale-tag.ts";
import { missingIn, textIn } from "./locale-coverage.ts";
import { type LocaleShelf, type LocaleSubject, UNTRANSLATED } from "./locale-shelves.ts";

/** What {@link fillLocale} fills. */
interface FillInput {
  readonly shelf: LocaleShelf;
  /** Canonical. */
  readonly locale: string;
  /** Display path. */
  readonly file: string;
  /** What the file holds; undefined where there is none. */
  readonly text: string | undefined;
}

/** The new text of a file, or why it is left alone. `added`: keys, sorted by tool, then parameter. */
type Filled = { readonly text: string; readonly added: readonly string[] } | { readonly faults: readonly Diagnostic[] };

/**
 * Adds to the file of a locale what it does not describe yet: each key with its English text, marked by a comment, behind
 * the key that comes before it by tool and parameter. What is there stays as it is, byte for byte; where nothing is
 * missing, that is all. A file that does not parse is left alone: what is missing in it cannot be told.
 */
export function fillLocale({ shelf, locale, file, text }: FillInput): Filled {
  const bom = text?.startsWith("\uFEFF") ? "\uFEFF" : "";
  const body = text?.slice(bom.length) ?? "";
  const { messages, faults } = readFluent(body);
  if (faults.length > 0) {
    const told = faults.map(({ line, column, message }) =>
      diagnostic("LOCALE_SYNTAX", { file, line, column, message, hint: "Mend it first." }),
    );
    return { faults: told };
  }
  const there = new Set(messages.map(({ key }) => key));
  const missing = missingIn(shelf, locale).filter(({ key }) => !there.has(key));
  if (missing.length === 0) return { text: text ?? "", added: [] };
  const lineBreak = body.includes("\r\n") ? "\r\n" : "\n";
  const anchors = anchorsIn(messages, shelf);
  const insertions = new Map<number, Insertion[]>();
  for (const subject of missing) {
    const { at, side, tool } = placeOf(subject, anchors, body);
    const entry = entryOf(subject, { shelf, locale, lineBreak });
    insertions.set(at, [...(insertions.get(at) ?? []), { subject, entry, side, beside: tool }]);
  }
  let made = "";
  let from = 0;
  for (const [at, list] of [...insertions].sort(([a], [b]) => a - b)) {
    made += body.slice(from, at) + joined(list, { body, lineBreak });
    from = at;
  }
  return { text: bom + made + body.slice(from), added: missing.map(({ key }) => key) };
}

/** A message that describes something of the shelf, with its place in the order of keys. */
interface Anchor {
  readonly rank: number;
  readonly message: FluentMessage;
  /** Id of the tool that it belongs to. */
  readonly tool: string;
}

/** The anchors of a file by rank, and the rank of each key. */
interface Anchors {
  readonly sorted: readonly Anchor[];
  rankOf(key: string): number;
}

function anchorsIn(messages: readonly FluentMessage[], { subjects }: LocaleShelf): Anchors {
  const ranks = new Map<string, { readonly rank: number; readonly tool: string }>();
  for (const { key, tool } of subjects) if (!ranks.has(key)) ranks.set(key, { rank: ranks.size, tool: tool.id });
  const sorted = messages.flatMap((message) => {
    const known = ranks.get(message.key);
    return known ? [{ ...known, message }] : [];
  });
  return { sorted: sorted.sort((a, b) => a.rank - b.rank), rankOf: (key) => ranks.get(key)?.rank ?? -1 };
}

interface Place {
  readonly at: number;
  /** Behind a line, before one, or at the end of the text. */
  readonly side: "behind" | "before" | "end";
  /** Id of the tool that stands beside it. */
  readonly tool: string | undefined;
}

function placeOf({ key }: LocaleSubject, { sorted, rankOf }: Anchors, body: string): Place {
  const rank = rankOf(key);
  const before = sorted.filter((anchor) => anchor.rank < rank).at(-1);
  if (before) return { at: endOfLine(body, before.message.end), side: "behind", tool: before.tool };
  const after = sorted.find((anchor) => anchor.rank > rank);
  if (after) return { at: after.message.start, side: "before", tool: after.tool };
  return { at: body.length, side: "end", tool: undefined };
}

interface Insertion {
  readonly subject: LocaleSubject;
  readonly entry: string;
  readonly side: Place["side"];
  readonly beside: string | undefined;
}

/** What goes in at one place: a blank line stands between two tools. */
function joined(
  list: readonly Insertion[],
  { body, lineBreak }: { readonly body: string; readonly lineBreak: string },
): string {
  const [first] = list as readonly [Insertion, ...Insertion[]];
  const { side, beside } = first;
  let made = "";
  let last = side === "behind" ? beside : undefined;
  for (const { subject, entry } of list) {
    const gap = last !== undefined && last !== subject.tool.id ? lineBreak : "";
    made += side === "behind" ? lineBreak + gap + entry : gap + entry + lineBreak;
    last = subject.tool.id;
  }
  if (side === "before") return made + (beside === last ? "" : lineBreak);
  if (side === "behind" || body === "") return made;
  return `${body.endsWith("\n") ? "" : lineBreak}${lineBreak}${made}`;
}

function entryOf(
  { key, english, parameter, tool }: LocaleSubject,
  { shelf, locale, lineBreak }: { readonly shelf: LocaleShelf; readonly locale: string; readonly lineBreak: string },
): string {
  const text = textIn(shelf, LAST_LOCALE, key)?.text || english || parameter?.at(-1) || tool.id;
  const mark = locale === LAST_LOCALE ? "" : `# ${UNTRANSLATED}${lineBreak}`;
  return `${mark}${key} = ${fluentText(text).replaceAll("\n", lineBreak)}`;
}

/** A text as Fluent is to read it: the very same comes out, but for white space at its ends and at those of its lines. */
export function fluentText(text: string): string {
  const lines = text
    .trim()
    .split(/\r\n?|\n/u)
    .map((line) => line.trimEnd());
  if (lines.length === 1 && lines[0] === "") return '{ "" }';
  return lines
    .map((line, at) => {
      const literal = line.replace(/[{}]/gu, (brace) => `{"${brace}"}`);
      if (at === 0 || literal === "") return literal;
      // At the start of a further line these would mean something, and white space would be taken for the indentation.
      return `    ${literal.replace(/^[\s.*[]/u, (sign) => `{"${sign === "\t" ? "\\u0009" : sign}"}`)}`;
    })
    .join("\n");
}

function endOfLine(text: string, from: number): number {
  const found = /\r?\n|$/u.exec(text.slice(from));
  return from + (found?.index ?? 0);
}
