import type { Colors } from "./colors.ts";
import { renderInline } from "./markdown-inline.ts";

/** Markdown that comes in pieces, as a terminal shows it. */
export interface MarkdownStream {
  /** What can be shown by now; a mark whose other half may come is held back. */
  push(text: string): string;
  /** What was held back. The stream is then at the beginning of another text. */
  end(): string;
}

/** How the rest of a line is written, once its beginning is known. */
interface Line {
  /** The last character of what was written, as it stands in the source: what it was shown as says nothing of marks. */
  before: string;
  readonly isCode: boolean;
  style(text: string): string;
}

/** A line of nothing but these may still become anything. */
const UNDECIDED = /^[\s#>*+\-_`~\d.)]*$/u;
const FENCE = /^\s{0,3}(`{3,}|~{3,})/u;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/u;
const RULE_WIDTH = 40;
const CODE_INDENT = "  ";

/**
 * Headings, lists, quotes, rules and blocks of code by lines; emphasis, code and links inside of them. Anything else,
 * tables too, stays as it is written. Without colours all of it does: its marks are then the only ones.
 */
export function createMarkdownStream(colors: Colors): MarkdownStream {
  if (!colors.isColorSupported) return { push: (text) => text, end: () => "" };
  let line: Line | undefined;
  let rest = "";
  let fence: string | undefined;

  /** What of the current line can be shown; without its line break. */
  const write = (text: string, final: boolean): string => {
    if (line?.isCode) return line.style(text);
    const { out, rest: held } = renderInline(text, { colors, final, before: line?.before ?? "" });
    rest = held;
    if (line) line.before = text[text.length - held.length - 1] ?? line.before;
    return out === "" ? "" : (line?.style(out) ?? out);
  };
  const begin = (text: string): string => {
    const start = fence === undefined ? lineStart(text, colors) : codeStart(colors);
    line = { before: "", isCode: fence !== undefined, style: start.style };
    return `${start.shown}${write(text.slice(start.length), false)}`;
  };
  const whole = (text: string): string => {
    if (line) return `${write(text, true)}\n`;
    const [, mark] = FENCE.exec(text) ?? [];
    if (fence !== undefined && mark?.startsWith(fence) && text.trim() === mark) {
      fence = undefined;
      return "";
    }
    if (fence === undefined && mark !== undefined) {
      fence = mark;
      return "";
    }
    if (fence === undefined && RULE.test(text)) return `${colors.dim("─".repeat(RULE_WIDTH))}\n`;
    const start = begin(text);
    const held = rest;
    rest = "";
    return `${start}${held === "" ? "" : write(held, true)}\n`;
  };

  return {
    push(text) {
      let out = "";
      rest += text;
      for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
        const [current, more] = [rest.slice(0, end), rest.slice(end + 1)];
        rest = "";
        out += whole(current);
        rest = more;
        line = undefined;
      }
      const current = rest;
      if (!line && (UNDECIDED.test(current) || FENCE.test(current))) return out;
      rest = "";
      return out + (line ? write(current, false) : begin(current));
    },
    end() {
      const current = rest;
      rest = "";
      const out = current === "" ? "" : whole(current).replace(/\n$/u, "");
      rest = "";
      line = undefined;
      fence = undefined;
      return out;
    },
  };
}

/** What a line begins with, how that is shown, and how what follows is written. */
interface LineStart {
  readonly length: number;
  readonly shown: string;
  style(text: string): string;
}

function codeStart(colors: Colors): LineStart {
  return { length: 0, shown: CODE_INDENT, style: (text) => (text === "" ? "" : colors.cyan(text)) };
}

function lineStart(text: string, colors: Colors): LineStart {
  const [heading, marks = ""] = /^ {0,3}(#{1,6})[ \t]+/u.exec(text) ?? [];
  if (heading !== undefined) {
    const style = marks.length === 1 ? (words: string) => colors.bold(colors.underline(words)) : colors.bold;
    return { length: heading.length, shown: "", style };
  }
  const [item, indent = ""] = /^(\s*)[-*+][ \t]+/u.exec(text) ?? [];
  if (item !== undefined) return { length: item.length, shown: `${indent}• `, style: String };
  const [quote] = /^\s{0,3}>[ \t]?/u.exec(text) ?? [];
  if (quote !== undefined) return { length: quote.length, shown: colors.dim("│ "), style: String };
  return { length: 0, shown: "", style: String };
}
