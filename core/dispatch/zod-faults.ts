import type { z } from "../sdk/schema.ts";
import { type Fault, valueFault } from "./faults.ts";

type Issue = z.core.$ZodIssue;

/**
 * What zod found wrong, in our words. Unknown keys are left out: they are found apart, at every level.
 * @param value the value that was parsed
 */
export function zodFaults(
  issues: readonly Issue[],
  value: unknown,
  prefix: readonly PropertyKey[] = [],
): readonly Fault[] {
  return issues.flatMap((issue) => {
    const path = [...prefix, ...issue.path];
    if (issue.code === "unrecognized_keys") return [];
    if (issue.code === "invalid_union" && issue.errors.length > 0)
      return zodFaults(likeliest(issue.errors), value, path);
    if (issue.code === "invalid_key" || issue.code === "invalid_element") return zodFaults(issue.issues, value, path);
    return [valueFault(path, expectedBy(issue), value)];
  });
}

/** Of the alternatives of a union those that the value came nearest to; all of them where it fitted none at all. */
function likeliest(errors: readonly (readonly Issue[])[]): readonly Issue[] {
  const inside = errors.filter(
    (issues) => !issues.some(({ code, path }) => code === "invalid_type" && path.length === 0),
  );
  const [nearest] = inside.sort((a, b) => a.length - b.length);
  return nearest ?? errors.flat();
}

function expectedBy(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPE_WORDS[issue.expected] ?? issue.expected;
    case "invalid_value":
      return oneOf(issue.values);
    case "invalid_union":
      return discriminators(issue);
    case "too_small":
      return bound(issue.origin, issue.inclusive ? "at least" : "more than", issue.minimum);
    case "too_big":
      return bound(issue.origin, issue.inclusive ? "at most" : "less than", issue.maximum);
    case "not_multiple_of":
      return `a multiple of ${issue.divisor}`;
    case "invalid_format":
      if (issue.format === "regex") return `a string that matches ${issue.pattern}`;
      return FORMATS_WITH_A_PART.has(issue.format) ? issue.message : `a string in the format ${issue.format}`;
    default:
      return issue.message;
  }
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  int: "integer",
  record: "object",
  nonoptional: "a value",
  nan: "NaN",
  tuple: "array",
};

/** Newer releases of zod say which values of the discriminator there are. */
function discriminators(issue: object): string {
  const { options } = issue as { readonly options?: unknown };
  return Array.isArray(options) ? oneOf(options) : "another alternative";
}

/** Only zod's own words say which part was asked for. */
const FORMATS_WITH_A_PART: ReadonlySet<string> = new Set(["starts_with", "ends_with", "includes"]);

function bound(origin: string, relation: string, limit: number | bigint): string {
  if (origin === "string") return `a string of ${relation} ${limit} characters`;
  if (origin === "array" || origin === "set") return `${relation} ${limit} items`;
  return `a number of ${relation} ${limit}`;
}

/** Values as a list: `one of "a", "b"`. */
export function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) =>
    typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? String(value)),
  );
  return shown.length === 1 ? String(shown[0]) : `one of ${shown.join(", ")}`;
}
