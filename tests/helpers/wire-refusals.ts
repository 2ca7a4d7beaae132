import { Ajv2020 } from "ajv/dist/2020.js";
import type { WireFormat } from "./wire-formats.ts";

type Schema = Readonly<Record<string, unknown>>;
interface Sent {
  readonly name: string;
  readonly schema: Schema | undefined;
}

/** Why a provider refuses a request for its tools, in its own words; undefined where it takes them. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
export function refusalOf(format: WireFormat, body: any): string | undefined {
  const tools = sentTools(format, body);
  for (const [at, tool] of tools.entries()) {
    const refusal = RULES[format](tool, at);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The tools of a request, as they came. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of four formats
export function sentTools(format: WireFormat, body: any): readonly Sent[] {
  const tools = body.tools ?? [];
  if (format === "google") {
    return (tools[0]?.functionDeclarations ?? []).map(
      // biome-ignore lint/suspicious/noExplicitAny: see above
      ({ name, parameters, parametersJsonSchema }: any) => ({ name, schema: parametersJsonSchema ?? parameters }),
    );
  }
  // biome-ignore lint/suspicious/noExplicitAny: see above
  return tools.map((tool: any) => ({
    name: (tool.function ?? tool).name,
    schema: tool.input_schema ?? (tool.function ?? tool).parameters,
  }));
}

/** A schema as it comes to a provider: the Gemini API writes null beside a type in a way of its own, and says nothing of a tool without arguments. */
export function asSent(format: WireFormat, schema: unknown): unknown {
  if (format !== "google") return schema;
  const { type, properties = {} } = schema as { type?: unknown; properties?: object };
  if (type === "object" && Object.keys(properties).length === 0) return undefined;
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    if (!Array.isArray(value?.type)) return value;
    const { type: types, enum: values, ...rest } = value;
    const texts = values ? { enum: values.filter((item: unknown) => item !== null) } : {};
    return { ...rest, type: types[0], nullable: true, ...texts };
  });
}

const DRAFT = new Ajv2020({ strict: false, validateFormats: false, logger: false });

const RULES: Readonly<Record<WireFormat, (tool: Sent, at: number) => string | undefined>> = {
  "openai-chat": openai,
  "openai-responses": openai,
  anthropic,
  google,
};

function openai({ name, schema = {} }: Sent): string | undefined {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `Invalid 'tools[0].function.name': string does not match pattern.`;
  const start = `Invalid schema for function '${name}':`;
  if (schema.type !== "object" || ["oneOf", "anyOf", "allOf", "enum", "const", "not"].some((key) => key in schema)) {
    return `${start} schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level.`;
  }
  for (const node of nodes(schema)) {
    if (Array.isArray(node.items)) return `${start} ${JSON.stringify(node.items)} is not of type 'object', 'boolean'.`;
    if ([node.type].flat().includes("array") && !("items" in node)) return `${start} array schema missing items.`;
    if (/\(\?[=!<]/.test(String(node.pattern ?? ""))) return `${start} regex lookaround is not supported.`;
  }
  return draftFault(schema) ? `${start} it is not valid under any of the given schemas.` : undefined;
}

function anthropic({ name, schema = {} }: Sent, at: number): string | undefined {
  const start = `tools.${at}.custom`;
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `${start}.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
  if (["oneOf", "anyOf", "allOf"].some((key) => key in schema)) {
    return `${start}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  }
  if (schema.type !== "object") return `${start}.input_schema.type: Field required`;
  if (Object.keys(schema.properties ?? {}).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key))) {
    return `${start}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`;
  }
  return draftFault(schema)
    ? `${start}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12`
    : undefined;
}

const FIELDS = [
  ...["type", "description", "properties", "required", "items", "enum", "anyOf", "format", "nullable", "minLength"],
];

function google({ name, schema }: Sent, at: number): string | undefined {
  const start = `GenerateContentRequest.tools[0].function_declarations[${at}]`;
  if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(name)) return `${start}.name: Invalid function name.`;
  if (schema === undefined) return undefined;
  for (const node of nodes(schema)) {
    const strange = Object.keys(node).find((key) => !FIELDS.includes(key));
    if (strange !== undefined) return `Invalid JSON payload received. Unknown name "${strange}"`;
    const { type, anyOf, format, properties = {}, required = [] } = node as Record<string, never>;
    const values = node.enum as readonly unknown[] | undefined;
    if (type === undefined && !anyOf) return `${start}.parameters: type: must be specified`;
    if (anyOf && Object.keys(node).length > 1) return `${start}: When using any_of, it must be the only field set.`;
    if (type === "array" && !("items" in node)) return `${start}.parameters.items: missing field.`;
    if (type !== "object" && ("properties" in node || "required" in node))
      return `${start}: only allowed for OBJECT type`;
    const undefinedName = (required as string[]).find((key) => !Object.hasOwn(properties, key));
    if (undefinedName !== undefined) return `${start}.parameters.required[0]: property is not defined`;
    if (values?.some((value) => typeof value !== "string")) return `${start}: Invalid value (TYPE_STRING)`;
    if (values?.some((value) => value === "")) return `${start}.enum[0]: cannot be empty`;
    if (values && type !== "string") return `${start}: enum: only allowed for STRING type`;
    if (format !== undefined && format !== "date-time") return `${start}: only 'enum' and 'date-time' are supported`;
  }
  return undefined;
}

function draftFault(schema: Schema): boolean {
  return !DRAFT.validateSchema(schema);
}

/** All schemas inside a schema. */
function* nodes(schema: unknown): Generator<Schema> {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  const node = schema as Schema;
  yield node;
  for (const key of ["items", "additionalProperties", "not", "contains"]) yield* nodes(node[key]);
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"])
    for (const part of (node[key] ?? []) as []) yield* nodes(part);
  for (const key of ["properties", "$defs"]) for (const part of Object.values(node[key] ?? {})) yield* nodes(part);
}
