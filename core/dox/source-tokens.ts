/** A piece of TypeScript or JavaScript source. */
export interface SourceToken {
  /** `text`: what a string, or a part of a template, holds; escapes stay as they are written. */
  readonly kind: "word" | "number" | "text" | "mark";
  readonly value: string;
  /** 1-based. */
  readonly line: number;
}

/**
 * The tokens of a source, without comments and regular expressions. Whatever stands there, there is an answer: this
 * finds what is written in a source, and does not judge it.
 */
export function tokensOf(source: string): readonly SourceToken[] {
  const tokens: SourceToken[] = [];
  /** Open braces; true where the closing one goes on with a template. */
  const braces: boolean[] = [];
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const { kind, end, value } = pieceAt(source, { at, after: tokens.at(-1), template: braces.at(-1) === true });
    if (kind !== undefined) tokens.push({ kind, value, line });
    const piece = source.slice(at, end);
    // A template ends with its backtick, or goes on behind the brace that it opens here.
    if (kind === "text" && (piece[0] === "`" || piece[0] === "}")) {
      if (piece[0] === "}") braces.pop();
      if (piece.endsWith("${")) braces.push(true);
    } else if (piece === "{") braces.push(false);
    else if (piece === "}") braces.pop();
    line += piece.split("\n").length - 1;
    at = end;
  }
  return tokens;
}

interface Piece {
  /** Undefined for what is no token. */
  readonly kind: SourceToken["kind"] | undefined;
  readonly value: string;
  readonly end: number;
}

interface Place {
  readonly at: number;
  readonly after: SourceToken | undefined;
  /** A brace here would close one that a template opened. */
  readonly template: boolean;
}

function pieceAt(source: string, { at, after, template }: Place): Piece {
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const blank = match(/\s+|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y);
  if (blank !== undefined) return { kind: undefined, value: "", end: at + blank.length };
  const first = source[at] ?? "";
  if (first === '"' || first === "'") {
    const text = match(first === '"' ? /"(?:\\[\s\S]|[^"\\\n])*"?/y : /'(?:\\[\s\S]|[^'\\\n])*'?/y) ?? first;
    return {
      kind: "text",
      value: text.slice(1, text.length > 1 && text.endsWith(first) ? -1 : undefined),
      end: at + text.length,
    };
  }
  if (first === "`" || (first === "}" && template)) {
    const text = match(/[`}](?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y) ?? first;
    return { kind: "text", value: text.slice(1).replace(/(?:`|\$\{)$/, ""), end: at + text.length };
  }
  const word = match(/#?[\p{ID_Start}$_][\p{ID_Continue}$]*/uy);
  if (word !== undefined) return { kind: "word", value: word, end: at + word.length };
  const number = match(/\d[\w.]*/y);
  if (number !== undefined) return { kind: "number", value: number, end: at + number.length };
  const expression =
    first === "/" && beginsValue(after) ? match(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y) : undefined;
  if (expression !== undefined) return { kind: undefined, value: "", end: at + expression.length };
  return { kind: "mark", value: first, end: at + 1 };
}

const BEFORE_VALUE: ReadonlySet<string> = new Set([
  "return",
  "typeof",
  "case",
  "in",
  "of",
  "do",
  "else",
  "void",
  "await",
  "yield",
  "delete",
  "throw",
  "new",
]);

/** Whether a slash behind this token begins a regular expression; else it divides. */
function beginsValue(after: SourceToken | undefined): boolean {
  if (after === undefined) return true;
  if (after.kind === "word") return BEFORE_VALUE.has(after.value);
  return after.kind === "mark" && !")]}".includes(after.value);
}
