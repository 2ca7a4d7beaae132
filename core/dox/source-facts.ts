import { type CallErrorCode, isCallErrorCode } from "../sdk/errors.ts";
import { type SourceToken, tokensOf } from "./source-tokens.ts";

/** What can be read in the source of a module without running it. */
export interface SourceFacts {
  /** Codes that it gives, `failure("CODE"`, `new ToolError("CODE"` and what hands one on, with the first line of each. */
  readonly given: ReadonlyMap<CallErrorCode, number>;
  /** Every code that stands in a text of it, for whatever. */
  readonly named: ReadonlySet<CallErrorCode>;
  /** The first line with `breakLoop: true`. */
  readonly breaksAt: number | undefined;
  /** `breakLoop` is given a value that is known only when it runs. */
  readonly breakLoopOpen: boolean;
  /** What it imports relatively, as it is written. */
  readonly imports: readonly string[];
  /** Its words, and what it imports of packages and of Node. */
  readonly words: ReadonlySet<string>;
}

/** Reads a source in TypeScript or JavaScript. Pure, and it fails at nothing. */
export function sourceFacts(source: string): SourceFacts {
  const tokens = tokensOf(source);
  const given = new Map<CallErrorCode, number>();
  const named = new Set<CallErrorCode>();
  const words = new Set<string>();
  const imports = new Set<string>();
  let breaksAt: number | undefined;
  let breakLoopOpen = false;
  for (const [at, token] of tokens.entries()) {
    const { kind, value, line } = token;
    if (kind === "word") words.add(value);
    if (kind === "text" && isCallErrorCode(value)) named.add(value);
    if (kind === "text" && isImport(tokens, at)) (value.startsWith(".") ? imports : words).add(value);
    if (value === "(" && givesCode(tokens, at)) {
      for (const code of codesOf(firstArgument(tokens, at))) if (!given.has(code)) given.set(code, line);
    }
    if (value === "breakLoop" && (kind === "word" || kind === "text")) {
      const meant = breakLoopAt(tokens, at);
      if (meant === "true") breaksAt ??= line;
      if (meant === "open") breakLoopOpen = true;
    }
  }
  return { given, named, words, breaksAt, breakLoopOpen, imports: [...imports] };
}

function isImport(tokens: readonly SourceToken[], at: number): boolean {
  const before = tokens[at - 1];
  if (before?.kind === "word") return before.value === "from" || before.value === "import";
  const callee = tokens[at - 2];
  return before?.value === "(" && callee?.kind === "word" && (callee.value === "import" || callee.value === "require");
}

/** Words before a parenthesis that call nothing, and functions that ask about a code. */
const NO_CALL = /^(?:if|while|for|switch|catch|return|typeof|await|void|super|import|require|(?:is|has)[A-Z].*)$/;

/**
 * Whether what is called at this parenthesis may make an error of its first argument: a function or a class by its name,
 * a method of the tool itself, or a `failure`. Methods of other things (`list.includes("CODE")`) look at it only.
 */
function givesCode(tokens: readonly SourceToken[], at: number): boolean {
  const callee = tokens[at - 1];
  if (callee?.kind !== "word" || NO_CALL.test(callee.value)) return false;
  const [owner, dot] = [tokens[at - 3], tokens[at - 2]];
  if (dot?.value === "function") return false;
  return dot?.value !== "." || owner?.value === "this" || callee.value === "failure";
}

/** The tokens of an argument that no inner brackets hold. */
function firstArgument(tokens: readonly SourceToken[], open: number): readonly SourceToken[] {
  const own: SourceToken[] = [];
  let depth = 0;
  for (let at = open + 1; at < tokens.length; at++) {
    const token = tokens[at] as SourceToken;
    if (token.kind === "mark" && ")]}".includes(token.value)) depth--;
    if (depth < 0 || (depth === 0 && token.kind === "mark" && token.value === ",")) break;
    if (depth === 0) own.push(token);
    if (token.kind === "mark" && "([{".includes(token.value)) depth++;
  }
  return own;
}

/** Codes that the value of an argument can be: not what is compared, and not a type. */
function codesOf(argument: readonly SourceToken[]): readonly CallErrorCode[] {
  const choices = argument.findIndex(({ kind, value }) => kind === "mark" && value === "?");
  return argument.flatMap(({ kind, value }, at) => {
    if (kind !== "text" || !isCallErrorCode(value)) return [];
    const before = argument[at - 1]?.value ?? "";
    const compared = [before, argument[at + 1]?.value ?? ""].some((mark) => "=!<>".includes(mark) && mark !== "");
    const typed = before === ":" && (choices < 0 || choices > at);
    return compared || typed || (before === "|" && argument[at - 2]?.value !== "|") ? [] : [value];
  });
}

function breakLoopAt(tokens: readonly SourceToken[], at: number): "true" | "open" | undefined {
  const [next, value, after] = [tokens[at + 1], tokens[at + 2], tokens[at + 3]];
  if (tokens[at - 1]?.value === ".") return next?.value === "=" && value?.value !== "=" ? "open" : undefined;
  if (next?.value === "," || next?.value === "}") return "open";
  if (next?.value !== ":" || value?.value === "boolean") return undefined;
  const literal = after?.kind === "mark" && ",})".includes(after.value);
  if (literal && value?.value === "true") return "true";
  return literal && value?.value === "false" ? undefined : "open";
}
