import { HIDDEN, type Position } from "./syntax.ts";

/** The last argument that Handlebars gives a helper. */
interface HelperOptions {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly loc?: { readonly start: Position };
  fn?(context: unknown, options?: unknown): string;
}

type Helper = (this: unknown, ...given: never[]) => unknown;

/** A helper was given something that it cannot use. The renderer adds file, line and the tag. */
export class HelperFault extends Error {
  readonly at: Position | undefined;

  constructor(message: string, options: HelperOptions) {
    super(message);
    this.at = options.loc?.start;
  }
}

/** What an include asks for: a file by its name, or the same file of the next lower layer. */
export type IncludeTarget = { readonly name: string } | "original";

/**
 * The helpers of prompts. All fail on a missing value (undefined), but for `if` and `unless`: a missing value is
 * what they ask about.
 *
 * @param include renders another file for the template that is being rendered
 * @param builtin the helpers of Handlebars, for the ones that are only made stricter
 */
export function createHelpers(
  include: (target: IncludeTarget, at: Position) => string,
  builtin: Readonly<Record<string, Helper>>,
): Readonly<Record<string, Helper>> {
  const present = (value: unknown, options: HelperOptions): unknown => {
    if (value === undefined) throw new HelperFault("has no value", options);
    return value;
  };
  const included = (target: IncludeTarget, options: HelperOptions) =>
    include(target, options.loc?.start ?? { line: 1, column: 0 });

  return {
    [HIDDEN.show]: (value: unknown, options: HelperOptions) => shown(present(value, options)),
    [HIDDEN.path]: (...given: unknown[]) => ownPath(given[0], given.slice(1, -1) as string[]),
    [HIDDEN.original]: (_: string, options: HelperOptions) => included("original", options),
    json: (value: unknown, options: HelperOptions) =>
      JSON.stringify(present(value, options), null, Number(options.hash.indent ?? 0)),
    fence: (value: unknown, ...rest: unknown[]) => {
      const options = rest.at(-1) as HelperOptions;
      const language = rest.length > 1 ? String(present(rest[0], options)) : "";
      return fenced(shown(present(value, options), 2), language);
    },
    raw(this: unknown, ...given: unknown[]) {
      const options = given.at(-1) as HelperOptions;
      return options.fn ? options.fn(this) : shown(present(given[0], options));
    },
    include: (name: unknown, options: HelperOptions) => {
      if (typeof present(name, options) !== "string") throw new HelperFault("is not the name of a file", options);
      return included({ name: name as string }, options);
    },
    ...strict(builtin, ["each", "with"], present),
  };
}

/** A string as it is; anything else as JSON. */
export function shown(value: unknown, indent = 0): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, indent);
}

/** A fenced block whose fence is longer than any run of backticks in the text. */
export function fenced(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith("\n") ? "" : "\n"}${fence}`;
}

/** Own properties only; undefined as soon as a step is missing. */
function ownPath(start: unknown, steps: readonly string[]): unknown {
  let value = start;
  for (const step of steps) {
    if (value === undefined || value === null || !Object.hasOwn(Object(value), step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function strict(
  builtin: Readonly<Record<string, Helper>>,
  names: readonly string[],
  present: (value: unknown, options: HelperOptions) => unknown,
): Record<string, Helper> {
  const wrap = (original: Helper | undefined): Helper =>
    function (this: unknown, ...given: unknown[]) {
      present(given[0], given.at(-1) as HelperOptions);
      return original?.apply(this, given as never[]);
    };
  return Object.fromEntries(names.map((name) => [name, wrap(builtin[name])]));
}
