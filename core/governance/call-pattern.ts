import { type CallPattern, readCallPattern } from "../discovery/pattern-entry.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";

/** A call as patterns see it. */
export interface PatternCall {
  /** The tool's id, then its aliases; the same array each time is quickest. */
  readonly names: readonly string[];
  readonly args: JsonObject;
}

/**
 * How exactly an entry means a call: not at all, by a name with `*`, by the tool's name, by arguments. The more exact
 * one counts.
 */
export type Match = 0 | 1 | 2 | 3;

/** Entries of one list, ready to be asked. */
export interface CallPatterns {
  readonly empty: boolean;
  /**
   * The most exact match of any entry.
   * @param options.admits whether an entry that fits lets something run. Then `*` does not stand for what could make
   *   something else of an argument: line breaks, the signs that join shell commands, `..` in a path
   */
  match(call: PatternCall, options: { readonly admits: boolean }): Match;
}

/** @param entries as the settings hold them; what is no pattern was told there, and means nothing */
export function createCallPatterns(entries: readonly Json[]): CallPatterns {
  const patterns = entries.flatMap((entry) => {
    const pattern = readCallPattern(entry);
    return "fault" in pattern ? [] : [pattern];
  });
  const byTool = new WeakMap<readonly string[], ToolPatterns>();
  const patternsOf = (names: readonly string[]): ToolPatterns => {
    const known = byTool.get(names);
    if (known) return known;
    const made = toolPatterns(patterns.filter(({ tool }) => names.some((name) => fitsName(tool, name))));
    byTool.set(names, made);
    return made;
  };
  return {
    empty: patterns.length === 0,
    match({ names, args }, { admits }) {
      const { byName, byArguments } = patternsOf(names);
      const fits = byArguments.some((wanted) =>
        wanted.every(([name, value]) => fitsArgument(value, args, { name, admits })),
      );
      return fits ? 3 : byName;
    },
  };
}

/** What a list says of one tool. */
interface ToolPatterns {
  readonly byName: Match;
  /** Of each entry with arguments these. */
  readonly byArguments: readonly (readonly (readonly [name: string, value: Json])[])[];
}

function toolPatterns(patterns: readonly CallPattern[]): ToolPatterns {
  const names = patterns.filter(({ args }) => !args).map(({ tool }) => (tool.includes("*") ? 1 : 2));
  return {
    byName: Math.max(0, ...names) as Match,
    byArguments: patterns.flatMap(({ args }) => (args ? [Object.entries(args)] : [])),
  };
}

/** Whether a name is the one that an entry means; capitals do not count. */
export function fitsName(entry: string, name: string): boolean {
  const [wanted, given] = [entry.toLowerCase(), name.toLowerCase()];
  return wanted === given || (wanted.includes("*") && fitsText(wanted, given, () => true));
}

function fitsArgument(
  wanted: Json,
  args: JsonObject,
  { name, admits }: { readonly name: string; readonly admits: boolean },
): boolean {
  if (!Object.hasOwn(args, name)) return false;
  const value = args[name] as Json;
  if (typeof wanted !== "string") return isEqual(wanted, value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (!admits) return fitsText(wanted, text, () => true);
  return (PARENT.test(wanted) || !PARENT.test(text)) && fitsText(wanted, text, (char) => !JOINS.has(char));
}

/** A step upwards in a path. */
const PARENT = /(?:^|[\\/])\.\.(?:[\\/]|$)/u;
/** What could make another command of the rest of a line. */
const JOINS: ReadonlySet<string> = new Set("\n\r;&|<>`$()");

/**
 * Whether a text fits a pattern whose `*` stand for any run of characters that `takes` admits. Each `*` takes as little as
 * it can, so the work grows with the lengths alone.
 */
function fitsText(pattern: string, text: string, takes: (char: string) => boolean): boolean {
  let [at, place, star, from] = [0, 0, -1, 0];
  while (place < text.length) {
    if (pattern[at] === "*") {
      star = at++;
      from = place;
    } else if (pattern[at] === text[place]) {
      at++;
      place++;
    } else if (star >= 0 && takes(text[from] as string)) {
      at = star + 1;
      place = ++from;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

function isEqual(a: Json, b: Json): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    left.length === right.length &&
    left.every(([key, value]) => Object.hasOwn(b, key) && isEqual(value, (b as JsonObject)[key] as Json))
  );
}
