import type { Json } from "../../sdk/json.ts";
import type { JsonObject, ToolResult } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { pathArguments } from "../paths.ts";
import type { Subject } from "../subject.ts";

const CALLS = 8;
/** Different arguments, so that what one call keeps in a module shows in another. */
const VARIANTS = 4;
/** A call that takes longer than this is not repeated at all. */
const LONGEST_MS = 3_000;

/** Several agents, and the background calls of one, run the same tool at the same time. */
export const concurrency: Contract = {
  name: `gives ${CALLS} calls at the same time what it gives one after another`,
  async check(subject) {
    const { durationMs } = subject.sample.result.stats;
    if (durationMs > LONGEST_MS)
      return `its sample call takes ${durationMs} ms, too long to be repeated; the option args gives a shorter one`;
    const length = subject.sample.isLong ? 1 : VARIANTS;
    const variants = Array.from({ length }, (_, index) => variantOf(subject, index));
    const files = Object.assign({}, ...variants.map(({ files: own }) => own));
    subject.clear(files);
    // What differs between two calls alone (times, ids, counters of what was done) says nothing about calls at the same time.
    const first = await oneByOne(subject, variants);
    const second = await oneByOne(subject, variants);
    const together = await Promise.all(
      Array.from({ length: CALLS }, async (_, index) => await subject.call(at(variants, index).args)),
    );
    for (const [index, found] of together.entries()) {
      const [one, two] = [at(first, index), at(second, index)];
      const fault = differenceOf(partsOf(one), partsOf(two), partsOf(found), "");
      if (fault === undefined) continue;
      throw breach({
        expected: `${fault.at || "the result"} to be ${shown(fault.expected)} for ${shown(at(variants, index).args)}, as it is for a call alone`,
        found: `${shown(fault.found)} with ${CALLS} calls at the same time`,
        todo: "Keep what belongs to a call in execute, or in fields of the instance: each call has its own. Nothing of it may lie in the module.",
      });
    }
    return undefined;
  },
};

async function oneByOne(subject: Subject, variants: readonly Variant[]): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = [];
  for (const { args } of variants) results.push(await subject.call(args));
  return results;
}

interface Variant {
  readonly args: JsonObject;
  readonly files: Readonly<Record<string, string>>;
}

/** The sample with other texts; a path leads to a copy that is longer. The first is the sample itself. */
function variantOf({ sample, facts, options }: Subject, index: number): Variant {
  const paths = new Set(pathArguments(facts, options.paths).map(({ name }) => name));
  const args: Record<string, Json> = { ...sample.args };
  const files: Record<string, string> = {};
  if (index === 0) return { args, files };
  for (const { name, isText } of facts.arguments) {
    const value = args[name];
    if (!isText || typeof value !== "string") continue;
    const text = paths.has(name) ? sample.files[value] : undefined;
    if (text !== undefined) {
      args[name] = copyName(value, index);
      files[copyName(value, index)] = `${text}${"one more line\n".repeat(index)}`;
    } else if (!paths.has(name)) args[name] = `${value}${" again".repeat(index)}`;
  }
  return { args, files };
}

/** `docs/a.txt` → `docs/2-a.txt` */
function copyName(path: string, index: number): string {
  return path.replace(/[^/]*$/u, (name) => `${index}-${name}`);
}

/** What a result says of the work; the rest is of the call. */
function partsOf({ status, message, breakLoop, data, error, additional }: ToolResult): Json {
  const code = error ? { code: error.code } : {};
  return { status, message, breakLoop, data, ...code, ...(additional ? { additional } : {}) };
}

interface Difference {
  readonly at: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** The first part of `found` that is not as in `one`, where `one` and `two` agree. */
function differenceOf(one: unknown, two: unknown, found: unknown, at: string): Difference | undefined {
  if (isBranch(one) && isBranch(two) && isBranch(found)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(found)]);
    for (const key of keys) {
      const below = differenceOf(one[key], two[key], found[key], at === "" ? key : `${at}.${key}`);
      if (below) return below;
    }
    return undefined;
  }
  const [alone, again, together] = [one, two, found].map(withoutTimes);
  if (alone !== again || alone === together || TIME_NAME.test(at)) return undefined;
  return { at, expected: one, found };
}

// How long a call took may be the same twice by chance.
const TIME_NAME =
  /(?:^|[._])(?:.*(?:Ms|Seconds|Time|Duration|At)|ms|seconds|time|duration|elapsed\w*|.*_(?:ms|seconds|time|at))$/u;
const TIMES =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.]*Z?)?|\d\d?:\d\d(?::\d\d)?|\d+(?:\.\d+)?\s?(?:ns|µs|ms|s|sec|seconds?|min|minutes?)\b/gu;

function withoutTimes(value: unknown): string {
  return (JSON.stringify(value) ?? "").replace(TIMES, "…");
}

function isBranch(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function at<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
