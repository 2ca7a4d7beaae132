import { frozenJson } from "../sdk/json.ts";
import type { JsonSchema, SchemaSource } from "../sdk/schema.ts";
import type { ToolClass } from "../sdk/tool.ts";
import { endsInTransform } from "./schema-transforms.ts";
import type { ToolContract } from "./tool-contract.ts";

/** Which static member is not what the contract asks, in words that follow the member's name. */
export interface StaticFault {
  readonly member: keyof ToolClass & string;
  readonly code: "LOAD_BAD_STATIC" | "LOAD_BAD_SCHEMA";
  readonly message: string;
  readonly hint: string;
}

/** Timers cannot wait longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Reads the static members of a tool class, each once.
 * @param toJsonSchema of the SDK; given, because it brings zod along
 */
export function readContract(
  cls: ToolClass,
  toJsonSchema: (schema: SchemaSource) => JsonSchema,
): { readonly contract: ToolContract } | { readonly fault: StaticFault } {
  const reader = createReader(cls);
  const { member } = reader;
  const parameters = reader.schema("parameters", toJsonSchema);
  const output = reader.schema("output", toJsonSchema);
  const description = member("description", isString, {
    expected: "a string",
    example: 'static readonly description = "What the tool does.";',
  });
  const risk = member("risk", (value) => isOneOf(value, ["low", "medium", "high"]) || typeof value === "function", {
    expected: '"low", "medium", "high" or a function of the arguments',
    example: 'static readonly risk = "low";',
  });
  member("preview", (value) => typeof value === "function", {
    expected: "a function of the arguments",
    example: "static readonly preview = async (args, { workspace }) => `…`;",
  });
  const sends = member("sends", (value) => Array.isArray(value) && value.every(isString), {
    expected: "an array of argument names",
    example: 'static readonly sends = ["url"];',
  });
  const parallel = member("parallel", (value) => isOneOf(value, ["safe", "serial"]), {
    expected: '"safe" or "serial"',
    example: 'static readonly parallel = "safe";',
  });
  const untrusted = member("untrusted", (value) => typeof value === "boolean", {
    expected: "true or false",
    example: "static readonly untrusted = true;",
  });
  const timeoutMs = member("timeoutMs", isTimeout, {
    expected: "a number of milliseconds above 0",
    example: "static readonly timeoutMs = 30_000;",
  });
  const role = member("role", (value) => isOneOf(value, ["answer", "fallback"]), {
    expected: '"answer" or "fallback"',
    example: 'static readonly role = "answer";',
  });
  if (sends && parameters) reader.knownNames(sends, parameters);
  if (reader.fault) return { fault: reader.fault };
  return {
    contract: {
      ...(description === undefined ? {} : { description }),
      parameters: parameters ?? null,
      ...(output === undefined ? {} : { output }),
      risk: typeof risk === "function" ? "dynamic" : (risk ?? "medium"),
      sends: Object.freeze([...(sends ?? [])]),
      parallel: parallel ?? "serial",
      untrusted: untrusted ?? false,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(role === undefined ? {} : { role }),
    },
  };
}

/** Reads members and keeps the first fault. */
function createReader(cls: ToolClass) {
  let fault: StaticFault | undefined;
  const refuse = (
    member: StaticFault["member"],
    code: StaticFault["code"],
    message: string,
    hint: string,
  ): undefined => {
    fault ??= { member, code, message, hint };
    return undefined;
  };

  const read = (name: StaticFault["member"], code: StaticFault["code"], hint: string): unknown => {
    try {
      return cls[name];
    } catch (error) {
      return refuse(name, code, `its getter threw ${errorText(error)}`, hint);
    }
  };

  const member = <Name extends keyof ToolClass & string>(
    name: Name,
    isRight: (value: unknown) => boolean,
    { expected, example }: { expected: string; example: string },
  ): ToolClass[Name] | undefined => {
    const value = read(name, "LOAD_BAD_STATIC", `Write: ${example}`);
    if (value === undefined || isRight(value)) return value as ToolClass[Name] | undefined;
    return refuse(name, "LOAD_BAD_STATIC", `expected ${expected}, found ${show(value)}`, `Write: ${example}`);
  };

  const schema = (
    name: "parameters" | "output",
    toJsonSchema: (schema: SchemaSource) => JsonSchema,
  ): JsonSchema | undefined => {
    const hint = `Write: static readonly ${name} = z.object({ path: z.string() }); with types that JSON has.`;
    const value = read(name, "LOAD_BAD_SCHEMA", hint);
    if (value === undefined) return undefined;
    const made = jsonSchemaOf(value, toJsonSchema);
    return "schema" in made ? made.schema : refuse(name, "LOAD_BAD_SCHEMA", made.message, hint);
  };

  const knownNames = (names: readonly string[], parameters: JsonSchema): void => {
    const { properties } = parameters;
    if (typeof properties !== "object" || properties === null) return;
    const unknown = names.find((name) => !Object.hasOwn(properties, name));
    if (unknown === undefined) return;
    const known = Object.keys(properties).join(", ");
    refuse(
      "sends",
      "LOAD_BAD_STATIC",
      `names ${JSON.stringify(unknown)}, which is no parameter`,
      `Parameters: ${known}.`,
    );
  };

  return {
    member,
    schema,
    knownNames,
    get fault() {
      return fault;
    },
  };
}

/** The JSON form of a schema of an object, deep-frozen; never an empty one in place of what cannot be said. */
function jsonSchemaOf(
  value: unknown,
  toJsonSchema: (schema: SchemaSource) => JsonSchema,
): { readonly schema: JsonSchema } | { readonly message: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { message: `expected a zod object or a JSON Schema object, found ${show(value)}` };
  }
  if (!("_zod" in value) && "safeParse" in value) {
    return { message: 'expected a schema of zod 4, found one of an older zod: import { z } from "toolroom"' };
  }
  let json: JsonSchema;
  try {
    if (endsInTransform(value)) return { message: "has no JSON Schema form: it ends in a transform" };
    json = toJsonSchema(value as SchemaSource);
  } catch (error) {
    return { message: `has no JSON Schema form: ${errorText(error)}` };
  }
  const copy = frozenJson(json);
  if ("fault" in copy)
    return { message: `expected JSON, found ${copy.fault.found} at ${copy.fault.path || "the root"}` };
  const schema = copy.value as JsonSchema;
  const composed = ["anyOf", "oneOf", "allOf", "$ref"].some((key) => Object.hasOwn(schema, key));
  if (schema.type === "object" || (schema.type === undefined && (composed || !("_zod" in value)))) return { schema };
  return { message: `expected the schema of an object, found ${JSON.stringify(schema.type ?? "any value")}` };
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "function") return "a function";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function isOneOf(value: unknown, choices: readonly string[]): boolean {
  return typeof value === "string" && choices.includes(value);
}

function isTimeout(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value <= MAX_TIMEOUT_MS;
}
