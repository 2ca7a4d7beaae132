import type { Json } from "../../sdk/json.ts";
import type { JsonObject, ToolResult } from "../../sdk/result.ts";
import type { Contract } from "../contract.ts";
import { breach, shown } from "../failure.ts";
import { pathArguments } from "../paths.ts";
import type { Subject } from "../subject.ts";

const CALLS = 8;
/** A call that takes longer than this is not repeated at all. */
const LONGEST_MS = 3_000;

/** Several agents, and the background calls of one, run the same tool at the same time. */
export const concurrency: Contract = {
  name: `gives ${CALLS} calls at the same time what it gives one after another`,
  async check(subject) {
    const { durationMs } = subject.sample.result.stats;
    if (durationMs > LONGEST_MS)
      return `its sample call takes ${durationMs} ms, too long to be repeated; the option args gives a shorter one`;
    // Different arguments, so that what one call keeps in a module shows in another, and files of their own.
    const length = subject.sample.isLong ? 1 : CALLS;
    const variants = Array.from({ length }, (_, index) => variantOf(subject, index));
    const files = Object.assign({}, ...variants.map(({ files: own }) => own));
    const oneByOne = async (): Promise<readonly ToolResult[]> => {
      const results: ToolResult[] = [];
      subject.clear(files);
      for (const { args } of variants) results.push(await subject.call(args));
      return results;
    };
    // What differs between two calls alone (times, ids) says nothing about calls at the same time.
    const [first, second] = [await oneByOne(), await oneByOne()];
    subject.clear(files);
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

interface Variant {
  readonly args: JsonObject;
  readonly files: Readonly<Record<string, string>>;
}

/** The sample with other texts and other paths, to which its files are copied, each longer. The first is the sample itself. */
function variantOf({ sample, facts, options }: Subject, index: number): Variant {
  const paths = new Set(pathArguments(facts, options.paths).map(({ name }) => name));
  const args: Record<string, Json> = { ...sample.args };
  const files: Record<string, string> = {};
  if (index === 0) return { args, files };
  for (const { name, isText } of facts.arguments) {
    const value = args[name];
    if (!isText || typeof value !== "string") continue;
    if (!paths.has(name)) args[name] = `${value}${" again".repeat(index)}`;
    else if (/^[^./\\]/u.test(value)) {
      args[name] = copyName(value, index);
      Object.assign(files, copiesOf(sample.files, { from: value, to: copyName(value, index), index }));
    }
  }
  return { args, files };
}

/** The file at a path, or those below it, at another path. */
function copiesOf(
  files: Readonly<Record<string, string>>,
  { from, to, index }: { readonly from: string; readonly to: string; readonly index: number },
): Readonly<Record<string, string>> {
  const copied = Object.entries(files).filter(([path]) => path === from || path.startsWith(`${from}/`));
  return Object.fromEntries(
    copied.map(([path, text]) => [`${to}${path.slice(from.length)}`, `${text}${"one more line\n".repeat(index)}`]),
  );
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
