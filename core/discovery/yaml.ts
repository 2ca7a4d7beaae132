import { createRequire } from "node:module";
import type { CST, Document, LineCounter } from "yaml";
import { frozenJson, type Json } from "../sdk/json.ts";

/** Keys and indices that lead from the top of a document to a value. */
export type YamlPath = readonly (string | number)[];

/** A document that parsed. Positions and source text are worked out when they are asked for. */
export interface YamlDocument {
  /** Deep-frozen JSON; null for an empty document. */
  readonly value: Json;
  /** Where the value at `path` stands, or its nearest parent that exists. 1-based. */
  position(path: YamlPath): { readonly line: number; readonly column: number };
  /** The scalar at `path` as it was written (`1.10`, not the number 1.1); undefined for anything else. */
  source(path: YamlPath): string | undefined;
}

/** Why a text is not a document, and where. 1-based. */
export interface YamlError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

/** Deeper nesting is refused before the parser recurses into it: running out of stack there can end the process. */
const MAX_NESTING = 100;

/** Aliases that expand to more nodes than this are an attack, not a document. */
const MAX_ALIASES = 100;

/**
 * Parses one YAML 1.2 document (JSON is a subset) into deep-frozen JSON.
 *
 * Refused: duplicate keys, several documents, deep nesting, alias bombs, circular aliases, numbers that JSON does not have.
 * `<<` is an ordinary key, `__proto__` is own data, dates stay text, and an unknown tag runs nothing.
 */
export function parseYaml(text: string): YamlDocument | { readonly error: YamlError } {
  const {
    LineCounter: Counter,
    Parser,
    parseDocument,
  } = createRequire(import.meta.url)("yaml") as typeof import("yaml");
  const lines = new Counter();
  if (nesting(new Parser().parse(text)) > MAX_NESTING) {
    return { error: { message: `expected at most ${MAX_NESTING} levels, found more`, line: 1, column: 1 } };
  }
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error", prettyErrors: true });
  const [first] = document.errors;
  if (first) {
    const [at] = first.linePos ?? [];
    return { error: { message: summary(first.message), line: at?.line ?? 1, column: at?.col ?? 1 } };
  }
  const locate = (path: YamlPath) => positionOf(document, lines, path);
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    return { error: { message: summary(error instanceof Error ? error.message : String(error)), line: 1, column: 1 } };
  }
  const json = frozenJson(value ?? null);
  if ("fault" in json) {
    const { path, found } = json.fault;
    const message = `expected values that JSON has, found ${found} at ${path || "the top"}`;
    return { error: { message, ...locate(pointerPath(path)) } };
  }
  return { value: json.value, position: locate, source: (path) => sourceOf(document, path) };
}

/** How deep the collections of a source text lie in each other, told from its tokens and without recursion. */
function nesting(tokens: Iterable<CST.Token>): number {
  let deepest = 0;
  for (const top of tokens) {
    const open: [token: CST.Token | null | undefined, depth: number][] = [[top, 0]];
    for (let next = open.pop(); next && deepest <= MAX_NESTING; next = open.pop()) {
      const [token, depth] = next;
      if (!token) continue;
      deepest = Math.max(deepest, depth);
      if (token.type === "document") open.push([token.value, depth]);
      else if ("items" in token)
        for (const { key, value } of token.items) open.push([key, depth + 1], [value, depth + 1]);
    }
  }
  return deepest;
}

function positionOf(document: Document, lines: LineCounter, path: YamlPath): { line: number; column: number } {
  for (let depth = path.length; depth >= 0; depth--) {
    const offset = keyOffset(document, path.slice(0, depth)) ?? rangeOf(document.getIn(path.slice(0, depth), true));
    if (offset === undefined) continue;
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  }
  return { line: 1, column: 1 };
}

/** A mapping's entry stands where its key does: that is the line that a person looks for. */
function keyOffset(document: Document, path: YamlPath): number | undefined {
  const key = path.at(-1);
  const parent: unknown = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const items = (parent as { items?: unknown } | undefined)?.items;
  if (typeof key !== "string" || !Array.isArray(items)) return undefined;
  const pair = items.find((item) => String((item as { key?: unknown }).key) === key) as { key?: unknown } | undefined;
  return rangeOf(pair?.key);
}

function rangeOf(node: unknown): number | undefined {
  return (node as { range?: readonly number[] } | undefined | null)?.range?.[0];
}

function sourceOf(document: Document, path: YamlPath): string | undefined {
  const source = (document.getIn(path, true) as { source?: unknown } | undefined | null)?.source;
  return typeof source === "string" ? source : undefined;
}

/** Without the position and the excerpt that the library appends: both are told apart from the message. */
function summary(message: string): string {
  return (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/u, "");
}

function pointerPath(pointer: string): YamlPath {
  const tokens = pointer.split("/").slice(1);
  return tokens.map((token) => {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    return /^\d+$/u.test(key) ? Number(key) : key;
  });
}
