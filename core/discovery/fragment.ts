import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { Parsed } from "./derived.ts";
import { type Check, COUNT, checkFields, describe, isMapping, NUMBER, TEXT } from "./fields.ts";
import { readFrontMatter } from "./front-matter.ts";
import type { YamlDocument, YamlPath } from "./yaml.ts";

/** What the front matter of a fragment says. Absent keys were not written, or were refused with a diagnostic. */
export interface FragmentMeta {
  /** What the tool does, in a sentence. */
  readonly description?: string;
  /** The description in a few words, for tight budgets. */
  readonly summary?: string;
  /** The tools that the fragment documents; absent: the one of the fragment's own name. */
  readonly tools?: readonly string[];
  /** Further names, by tool id. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** `call`: the arguments; `{tool_name, tool_args}` where the fragment documents several tools. */
  readonly examples?: readonly { readonly say: string; readonly call: JsonObject }[];
  /** What the tool returns. */
  readonly returns?: string;
  /** A settings key (`knowledge.enabled`): while it is not on, the tools are not registered. */
  readonly when?: string;
  /** Place among the fragments, ascending; absent: 0. */
  readonly order?: number;
  /** Most tokens that the fragment may take. */
  readonly budget?: number;
}

const RUN_TIME_ID = /^[a-z][a-z0-9_]{0,63}$/u;
const ALIAS = /^(?!.*__)[A-Za-z][A-Za-z0-9_]{0,63}$/u;
const SETTINGS_KEY = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/u;

const allTexts = (value: Json, pattern: RegExp): boolean =>
  Array.isArray(value) && value.every((item: Json) => typeof item === "string" && pattern.test(item));

const FIELDS: Readonly<Record<string, Check>> = {
  description: TEXT,
  summary: TEXT,
  tools: {
    expected: "a list of different tool ids",
    admits: (value) => allTexts(value, RUN_TIME_ID) && areDifferent(value as string[]),
  },
  aliases: {
    expected: "a list of names, or a mapping from tool id to such a list",
    admits: (value) =>
      allTexts(value, ALIAS) || (isMapping(value) && Object.values(value).every((list) => allTexts(list, ALIAS))),
  },
  examples: { expected: "a list of {say, call}", admits: (value) => Array.isArray(value) && value.every(isExample) },
  returns: TEXT,
  when: {
    expected: "a settings key such as knowledge.enabled",
    admits: (value) => typeof value === "string" && SETTINGS_KEY.test(value),
  },
  order: NUMBER,
  budget: COUNT,
};

/** Reads the front matter of `agent.system.tool.<name>.md`. */
export function parseFragment(text: string, file: string): Parsed<FragmentMeta> {
  const name = fragmentOf(file);
  const { document, diagnostics } = readFrontMatter(text, file);
  if (!document) return { value: {}, diagnostics };
  const checked = checkFields({ document, file, fields: FIELDS, invalid: "FM_INVALID", unknown: "FM_UNKNOWN_KEY" });
  const { aliases, ...plain } = checked.values;
  const meta = plain as Omit<FragmentMeta, "aliases">;
  const tools = meta.tools ?? [name];
  const problems = [...checked.diagnostics, ...exampleProblems(meta, { document, file })];
  const named = aliases === undefined ? undefined : aliasesByTool(aliases, tools);
  if (typeof named === "string") problems.push(problem(document, { file, path: ["aliases"], message: named }));
  const value = typeof named === "object" ? { ...meta, aliases: named } : meta;
  return { value, diagnostics: [...diagnostics, ...problems] };
}

/** The aliases by tool id, or why they are not clear. */
function aliasesByTool(aliases: Json, tools: readonly string[]): FragmentMeta["aliases"] | string {
  if (Array.isArray(aliases)) {
    const [only, second] = tools;
    if (only === undefined || second !== undefined) {
      return "aliases: expected a mapping from tool id to names, since the fragment documents several tools; found a list";
    }
    return { [only]: aliases as readonly string[] };
  }
  const stranger = Object.keys(aliases as JsonObject).find((id) => !tools.includes(id));
  if (stranger !== undefined) return `aliases: expected ids of ${tools.join(", ")}; found ${stranger}`;
  return aliases as Record<string, readonly string[]>;
}

function exampleProblems(
  meta: FragmentMeta,
  { document, file }: { document: YamlDocument; file: string },
): Diagnostic[] {
  const tools = meta.tools ?? [];
  if (tools.length < 2) return [];
  return (meta.examples ?? []).flatMap(({ call }, at) => {
    if (typeof call.tool_name === "string" && tools.includes(call.tool_name)) return [];
    const found = call.tool_name === undefined ? "no tool_name" : describe(call.tool_name);
    const message = `examples: expected call to be {tool_name, tool_args} with one of ${tools.join(", ")}; found ${found}`;
    return [problem(document, { file, path: ["examples", at], message })];
  });
}

function problem(
  document: YamlDocument,
  { file, path, message }: { file: string; path: YamlPath; message: string },
): Diagnostic {
  return diagnostic("FM_INVALID", { file, ...document.position(path), message });
}

function areDifferent(ids: readonly string[]): boolean {
  return ids.length > 0 && new Set(ids).size === ids.length;
}

function isExample(value: Json): boolean {
  return isMapping(value) && typeof value.say === "string" && isMapping(value.call) && Object.keys(value).length === 2;
}

/** The `<name>` in the path of a fragment. */
function fragmentOf(file: string): string {
  return file.slice(file.lastIndexOf("agent.system.tool.") + "agent.system.tool.".length, -".md".length);
}
