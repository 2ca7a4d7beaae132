import type { Colors } from "./colors.ts";

/** A text of which the end may be the beginning of something that is not there yet. */
export interface Rendered {
  readonly out: string;
  /** What has to wait for more; empty where the line is at its end. */
  readonly rest: string;
}

/** What {@link renderInline} goes by. */
export interface InlineOptions {
  readonly colors: Colors;
  /** Nothing more comes: what was opened and not closed is the text that it is. */
  readonly final: boolean;
  /** The character before the text, empty at the beginning of a line. */
  readonly before: string;
}

/** No more than this waits for a mark that would close it. */
const MAX_HELD = 300;
const MARK = /[\\`*_[]/gu;
/** What a single mark may not follow, and what may not follow it: words, and paths with their stars. */
const JOINED_BEFORE = /[\w/\\.:-]/u;
const JOINED_AFTER = /[\w/\\]/u;

/** Emphasis, code and links of one line. Their marks go where their other half is there; else they stay. */
export function renderInline(text: string, { colors, final, before }: InlineOptions): Rendered {
  let out = "";
  let at = 0;
  for (const { index } of text.matchAll(MARK)) {
    if (index < at) continue;
    out += text.slice(at, index);
    at = index;
    const place = { text, at, before: text[at - 1] ?? before, final };
    const span = spanAt(place, colors);
    if (span === "open" && text.length - at <= MAX_HELD) return { out, rest: text.slice(at) };
    const { out: shown, end } = typeof span === "object" ? span : literal(text, at);
    out += shown;
    at = end;
  }
  return { out: out + text.slice(at), rest: "" };
}

/** A mark within a text. */
interface Place {
  readonly text: string;
  readonly at: number;
  readonly before: string;
  readonly final: boolean;
}

/** What begins at a mark: something whole, something that may become whole, or nothing. */
type Span = { readonly out: string; readonly end: number } | "open" | undefined;

function spanAt(place: Place, colors: Colors): Span {
  const mark = place.text[place.at];
  if (mark === "\\") return escaped(place);
  if (mark === "`") return code(place, colors);
  if (mark === "[") return link(place, colors);
  return emphasis(place, colors);
}

/** Marks that are none stay together: half of them would be others. */
function literal(text: string, at: number): { out: string; end: number } {
  const out = /[*_`]/u.test(text[at] ?? "") ? runAt(text, at) : text.slice(at, at + 1);
  return { out, end: at + out.length };
}

function escaped({ text, at, final }: Place): Span {
  const next = text[at + 1];
  if (next === undefined) return final ? undefined : "open";
  return /[!-/:-@[-`{-~]/u.test(next) ? { out: next, end: at + 2 } : undefined;
}

function code({ text, at, final }: Place, colors: Colors): Span {
  const end = codeEnd(text, at, final);
  if (typeof end !== "number") return end;
  const { length } = runAt(text, at);
  return { out: colors.cyan(text.slice(at + length, end).trim()), end: end + length };
}

/** Where the code that begins at `at` ends: at the next run of as many backticks. */
function codeEnd(text: string, at: number, final: boolean): number | "open" | undefined {
  const run = runAt(text, at);
  for (let end = text.indexOf(run, at + run.length); end >= 0; ) {
    const found = runAt(text, end);
    if (end + found.length === text.length && !final) return "open";
    if (found === run) return end;
    end = text.indexOf(run, end + found.length);
  }
  return final ? undefined : "open";
}

/** The beginnings of a link, whatever the expression for a whole one takes. */
const LINK_BEGUN = /^\[(?:[^\]\\]|\\.)*(?:\\|\](?:\(<?[^)\s>]*>?(?:\s+(?:"[^"]*"?)?)?)?)?$/u;

function link({ text, at, final }: Place, colors: Colors): Span {
  const rest = text.slice(at);
  const [whole, label = "", url = ""] = /^\[((?:[^\]\\]|\\.)*)\]\(<?([^)\s>]*)>?(?:\s+"[^"]*")?\)/u.exec(rest) ?? [];
  if (whole !== undefined) {
    const shown = renderInline(label, { colors, final: true, before: "[" }).out;
    return { out: label === url ? url : `${shown}${colors.dim(` (${url})`)}`, end: at + whole.length };
  }
  return !final && LINK_BEGUN.test(rest) ? "open" : undefined;
}

function emphasis(place: Place, colors: Colors): Span {
  const { text, at, before, final } = place;
  const run = runAt(text, at);
  const next = text[at + run.length];
  if (next === undefined) return final ? undefined : "open";
  // Single marks inside of words are names and products, and two underscores are names of Python.
  const loose = run === "**";
  if (run.length > 3 || /^__/u.test(run) || /\s/u.test(next) || (!loose && JOINED_BEFORE.test(before)))
    return undefined;
  const end = closing(place, run, loose);
  if (typeof end !== "number") return end;
  const inner = renderInline(text.slice(at + run.length, end), { colors, final: true, before: "" }).out;
  const strong = run.length > 1 ? colors.bold(inner) : inner;
  return { out: run.length === 2 ? strong : colors.italic(strong), end: end + run.length };
}

function closing({ text, at, final }: Place, run: string, loose: boolean): number | "open" | undefined {
  for (let index = at + run.length; index < text.length; index++) {
    const here = text[index];
    if (here === "\\") index++;
    else if (here === "`") {
      const end = codeEnd(text, index, final);
      if (end === "open") return "open";
      index = (end ?? index) + runAt(text, index).length - 1;
    } else if (here === run[0]) {
      const found = runAt(text, index);
      const after = text[index + found.length];
      if (after === undefined && !final) return "open";
      if (found === run && !/\s/u.test(text[index - 1] ?? " ") && (loose || !JOINED_AFTER.test(after ?? "")))
        return index;
      index += found.length - 1;
    }
  }
  return final ? undefined : "open";
}

/** The same character again and again. */
function runAt(text: string, at: number): string {
  let end = at;
  while (text[end] === text[at]) end++;
  return text.slice(at, end);
}
