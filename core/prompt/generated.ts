import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import {
  type At,
  argumentsOf,
  below,
  branchesOf,
  cell,
  isSchema,
  MAX_DEPTH,
  properties,
  resolved,
} from "./arguments.ts";
import { fenced } from "./helpers.ts";

/** A tool that the model may call, as the prompt needs it. */
export interface PromptTool {
  readonly id: string;
  readonly description: string;
  /** `null`: any object is accepted. */
  readonly parameters: JsonSchema | null;
  /** Display path of the module. */
  readonly file: string;
}

/** Whether both say the same about the same tool. */
export function sameTool(a: PromptTool, b: PromptTool | undefined): boolean {
  if (a === b) return true;
  if (a.id !== b?.id || a.file !== b.file) return false;
  if (a.description !== b.description) return false;
  // Descriptions of a locale are put into a schema anew for each generation.
  return a.parameters === b.parameters || JSON.stringify(a.parameters) === JSON.stringify(b.parameters);
}

/** By identity first; else whether each tool is the same one. */
export function sameTools(a: readonly PromptTool[], b: readonly PromptTool[]): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  return a.every((tool, index) => sameTool(tool, b[index]));
}

/** The text for a tool that nobody wrote a fragment for: name, description, arguments, and the form of a call. */
export function generatedFragment(tool: PromptTool): string {
  const call = JSON.stringify({
    thoughts: ["…"],
    headline: "…",
    tool_name: tool.id,
    tool_args: exampleArguments(tool.parameters),
  });
  return [
    `## ${tool.id}`,
    tool.description.trim() || "No description is given.",
    argumentsText(tool.parameters),
    fenced(call, "json"),
  ].join("\n\n");
}

/** Arguments with the required members only, each a value of the right type. */
export function exampleArguments(schema: JsonSchema | null): Json {
  if (schema === null) return {};
  const value = exampleOf(schema, { root: schema, depth: 0, name: "value" });
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function argumentsText(schema: JsonSchema | null): string {
  if (schema === null) return "Arguments: any object.";
  const rows = argumentsOf(schema).map(({ name, type, required, preset, description }) => {
    const meaning = preset === undefined ? description : `${description} (default ${preset})`;
    return `| ${[`\`${name}\``, type, required ? "yes" : "no", meaning].map(cell).join(" | ")} |`;
  });
  if (rows.length === 0) return "It takes no arguments.";
  return ["| argument | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

function exampleOf(given: JsonSchema, at: At): Json {
  const schema = resolved(given, at.root);
  const preset = [schema.const, schema.default, list(schema.examples)[0], list(schema.enum)[0]].find(
    (value) => value !== undefined,
  );
  if (preset !== undefined) return preset as Json;
  if (at.depth > MAX_DEPTH) return null;
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "string") return `<${at.name}>`;
  if (type === "integer" || type === "number") return exampleNumber(schema);
  if (type === "boolean") return true;
  if (type === "null") return null;
  if (type === "array") return isSchema(schema.items) ? [exampleOf(schema.items, below(at))] : [];
  if (type === "object" || isSchema(schema.properties)) return exampleObject(schema, at);
  const [branch] = branchesOf(schema);
  return branch ? exampleOf(branch, below(at)) : `<${at.name}>`;
}

function exampleObject(schema: JsonSchema, at: At): Json {
  const names = list(schema.required).filter((name) => typeof name === "string");
  const known = new Map(properties(schema));
  return Object.fromEntries(
    names.map((name) => [name, exampleOf(known.get(name) ?? {}, { ...below(at), name })] as const),
  );
}

function exampleNumber({ minimum, maximum }: JsonSchema): number {
  if (typeof minimum === "number") return minimum;
  return typeof maximum === "number" && maximum < 1 ? maximum : 1;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
