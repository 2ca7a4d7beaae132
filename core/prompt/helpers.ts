import { nearest } from "../sdk/nearest.ts";
import { HIDDEN, type Position } from "./syntax.ts";

/** The last argument that Handlebars gives a helper. */
interface HelperOptions {
  /** `root`: the variables of the file, also inside `each` and `with`. */
  readonly data?: { readonly root?: Readonly<Record<string, unknown>> };
  readonly hash: Readonly<Record<string, unknown>>;
  readonly loc?: { readonly start: Position };
  fn?(context: unknown, options?: unknown): string;
}

type Helper = (this: unknown, ...given: never[]) => unknown;

/** A helper was given something that it cannot use. The renderer adds file, line and the tag. */
export class HelperFault extends Error {
  readonly at: Position | undefined;
  /** What to do. */
  readonly hint: string;

  constructor(
    message: string,
    options: HelperOptions,
    hint = "Give the variable, or ask for it with {{#if …}} first.",
  ) {
    super(message);
    this.at = options.loc?.start;
    this.hint = hint;
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
    param: (name: unknown, options: HelperOptions) => {
      const documented = options.data?.root?.[HIDDEN.tools] as DocumentedTools | undefined;
      return parameterText({ documented, name: present(name, options), tool: options.hash.tool }, options);
    },
    ...strict(builtin, ["each", "with"], present),
  };
}

/** The tools that a fragment documents and that can be called, with the texts of their parameters by name: `path`, `a.b`. */
export type DocumentedTools = ReadonlyMap<string, ReadonlyMap<string, string | undefined>>;

function parameterText(
  asked: { readonly documented: DocumentedTools | undefined; readonly name: unknown; readonly tool: unknown },
  options: HelperOptions,
): string {
  const { documented, name } = asked;
  if (!documented) throw new HelperFault("tells of a parameter, and this is not the fragment of a tool", options);
  const [only, second] = documented.keys();
  const tool = asked.tool ?? (second === undefined ? only : undefined);
  const texts = typeof tool === "string" ? documented.get(tool) : undefined;
  if (!texts) {
    const names = [...documented.keys()].join(", ");
    throw new HelperFault(
      `needs tool="…", one of ${names || "those that can be called, of which there are none"}`,
      options,
    );
  }
  if (typeof name !== "string" || !texts.has(name)) {
    const names = [...texts.keys()];
    const meant = typeof name === "string" ? nearest(name, names) : undefined;
    const hint = meant ? `Did you mean ${meant}?` : "Name a parameter of the tool's schema.";
    throw new HelperFault(`names no parameter of ${tool}; there are ${names.join(", ") || "none"}`, options, hint);
  }
  const text = texts.get(name);
  if (text === undefined)
    throw new HelperFault(
      `is described neither by a locale nor by the schema of ${tool}`,
      options,
      "Say what it means in the schema (`.describe(…)`) or in locales/en/tools.ftl.",
    );
  return text;
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
