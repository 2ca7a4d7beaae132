import { RECEIPT_IDS } from "../governance/receipt-id.ts";
import { UNTRUSTED_MARKERS } from "../governance/untrusted-text.ts";
import type { Json } from "../sdk/json.ts";

/** What stands for a value that is another one in each run. */
const VOLATILE: readonly (readonly [pattern: RegExp, placeholder: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu, "<uuid>"],
  [RECEIPT_IDS, "<receipt>"],
  [UNTRUSTED_MARKERS, "<marker>"],
  [/\b\d{8}T\d{9}-[0-9a-f]{8}\b/gu, "<session>"],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/gu, "<time>"],
];
/** So much is shown around a difference. */
const BEFORE = 30;
const AFTER = 60;

/**
 * What was said, of the body of a provider's request: all of it but the system prompt and the definitions of tools, in
 * whichever wire format. Those change with every edit of a fragment and are the same in every request; two requests
 * are the same question when all else is.
 */
export function spokenPart(body: Json): Json {
  if (!isObject(body)) return body;
  const { tools: _, tool_choice: __, toolConfig: ___, system: ____, systemInstruction: _____, ...rest } = body;
  const spoken: Record<string, Json> = { ...rest };
  // OpenAI's formats have the system prompt among the messages.
  for (const key of ["messages", "input"]) {
    const list = spoken[key];
    if (Array.isArray(list)) spoken[key] = list.filter((item) => !isInstruction(item));
  }
  return spoken;
}

/** Where two values first differ. */
export interface Difference {
  /** As in JavaScript, behind the whole: `messages[2].content`; empty for the whole. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

/** The first difference of two bodies, moments and random ids aside; undefined when there is none. */
export function firstDifference(
  expected: Json | undefined,
  found: Json | undefined,
  path = "",
): Difference | undefined {
  if (Array.isArray(expected) && Array.isArray(found)) {
    for (let index = 0; index < Math.max(expected.length, found.length); index++) {
      const difference = firstDifference(expected[index], found[index], `${path}[${index}]`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (isObject(expected) && isObject(found)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
      const difference = firstDifference(expected[key], found[key], path === "" ? key : `${path}.${key}`);
      if (difference) return difference;
    }
    return undefined;
  }
  if (typeof expected === "string" && typeof found === "string") return textDifference(expected, found, path);
  return expected === found ? undefined : { path, expected: shown(expected), found: shown(found) };
}

function textDifference(expected: string, found: string, path: string): Difference | undefined {
  const [a, b] = [settled(expected), settled(found)];
  if (a === b) return undefined;
  let at = 0;
  while (a[at] === b[at]) at++;
  return { path, expected: excerpt(a, at), found: excerpt(b, at) };
}

function settled(text: string): string {
  return VOLATILE.reduce((known, [pattern, placeholder]) => known.replace(pattern, placeholder), text);
}

function excerpt(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const to = at + AFTER;
  return JSON.stringify(`${from > 0 ? "…" : ""}${text.slice(from, to)}${to < text.length ? "…" : ""}`);
}

function shown(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > BEFORE + AFTER ? `${text.slice(0, BEFORE + AFTER)}…` : text;
}

function isInstruction(item: Json): boolean {
  return isObject(item) && (item.role === "system" || item.role === "developer");
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
