import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
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
  return a.description === b.description && a.parameters === b.parameters;
}

/** Nesting that is still shown; below it an argument is named by its type only. */
const MAX_DEPTH = 4;

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
  const rows = argumentRows(schema, { root: schema, depth: 0, name: "" });
  if (rows.length === 0) return "It takes no arguments.";
  return ["| argument | type | required | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

interface At {
  readonly root: JsonSchema;
  readonly depth: number;
  /** Name of the argument that the schema belongs to; empty at the top. */
  readonly name: string;
}

function argumentRows(schema: JsonSchema, at: At): readonly string[] {
  const object = resolved(schema, at.root);
  if (at.depth > MAX_DEPTH) return [];
  const required = new Set(Array.isArray(object.required) ? object.required : []);
  return properties(object).flatMap(([key, property]) => {
    const name = at.name === "" ? key : `${at.name}.${key}`;
    const inner = resolved(property, at.root);
    const row = [`\`${name}\``, typeOf(inner, at.root), required.has(key) ? "yes" : "no", meaningOf(inner, property)];
    const items = isSchema(inner.items) ? argumentRows(inner.items, { ...below(at), name: `${name}[]` }) : [];
    return [`| ${row.map(cell).join(" | ")} |`, ...argumentRows(inner, { ...below(at), name }), ...items];
  });
}

function below(at: At): At {
  return { ...at, depth: at.depth + 1 };
}

/** The members of an object; of a union, those of all its branches. */
function properties(schema: JsonSchema): readonly (readonly [string, JsonSchema])[] {
  const own = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const branches = branchesOf(schema).flatMap((branch) => properties(branch));
  const all = new Map<string, JsonSchema>();
  for (const [key, value] of [...own, ...branches]) if (isSchema(value) && !all.has(key)) all.set(key, value);
  return [...all];
}

function branchesOf(schema: JsonSchema): readonly JsonSchema[] {
  return ["anyOf", "oneOf", "allOf"].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isSchema) : [];
  });
}

function typeOf(schema: JsonSchema, root: JsonSchema, depth = 0): string {
  if (depth > MAX_DEPTH) return "any";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((item) => JSON.stringify(item)).join(" or ");
  const inner = (item: JsonSchema): string => typeOf(resolved(item, root), root, depth + 1);
  if (schema.type === "array") return isSchema(schema.items) ? `array of ${inner(schema.items)}` : "array";
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  if (typeof schema.type === "string") return `${schema.type}${range(schema)}`;
  return [...new Set(branchesOf(schema).map(inner))].join(" or ") || "any";
}

function range(schema: JsonSchema): string {
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && typeof maximum === "number") return ` ${minimum} to ${maximum}`;
  if (typeof minimum === "number") return ` from ${minimum}`;
  return typeof maximum === "number" ? ` up to ${maximum}` : "";
}

function meaningOf(...schemas: readonly JsonSchema[]): string {
  const first = (key: string): unknown => schemas.find((schema) => schema[key] !== undefined)?.[key];
  const description = first("description");
  const preset = first("default");
  return [
    typeof description === "string" ? description : "",
    preset === undefined ? "" : `(default ${JSON.stringify(preset)})`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").trim();
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

/** A local reference followed, a few steps at most; anything else as it is. */
function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH && typeof current.$ref === "string"; step++) {
    const tokens = current.$ref.startsWith("#") ? current.$ref.split("/").slice(1) : [];
    const target = tokens.reduce<unknown>(
      (value, token) => (isSchema(value) ? value[token.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined),
      root,
    );
    if (tokens.length === 0 || !isSchema(target)) return current;
    current = target;
  }
  return current;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
