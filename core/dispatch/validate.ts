import { isToolError, ToolError } from "../sdk/errors.ts";
import { frozenJson, type Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema, SchemaSource, z } from "../sdk/schema.ts";
import { compileJsonSchema } from "./ajv-validator.ts";
import { createExaminer } from "./examine.ts";
import { argumentsError, type Fault, mergeFaults, unknownFault } from "./faults.ts";
import { zodFaults } from "./zod-faults.ts";

/** What {@link Validator} found: the value with its defaults, deep-frozen, or what is wrong with it. */
export type Validated = { readonly value: JsonObject } | { readonly faults: readonly Fault[] };

/**
 * Checks JSON against one schema. Unknown keys are refused at every level, defaults are filled in.
 * @throws ToolError EXECUTION_ERROR when the schema itself throws, or makes something that is not JSON
 */
export type Validator = (value: JsonObject) => Validated | Promise<Validated>;

/** What {@link createValidator} takes. */
export interface ValidatorOptions {
  /** The schema as its author wrote it. */
  readonly source: SchemaSource | undefined;
  /** The same as a JSON Schema, as the contract carries it. */
  readonly json: JsonSchema | null | undefined;
  /** True parses lists and objects that were sent as text, where the schema wants them and no text. */
  readonly repair: boolean;
  /** Gives zod; default: {@link importSchemaSdk}. */
  readonly sdk?: () => Promise<SchemaSdk>;
}

/** What a zod schema is checked with. */
export type SchemaSdk = Pick<typeof import("../sdk/schema.ts"), "isZod" | "z">;

/** Only where a tool has a schema: it takes a while to load. */
export async function importSchemaSdk(): Promise<SchemaSdk> {
  return await import("../sdk/schema.ts");
}

/**
 * A validator for a schema. The first one loads zod, the first one of a plain JSON Schema also ajv.
 * @throws Error when a plain JSON Schema cannot be compiled
 */
export async function createValidator(options: ValidatorOptions): Promise<Validator> {
  const { source, json, repair, sdk = importSchemaSdk } = options;
  if (source === undefined || !json) return (value) => ({ value });
  const { isZod, z } = await sdk();
  const check = isZod(source) ? zodCheck(z, source) : await jsonSchemaCheck(source);
  const examine = createExaminer(json);
  const finish = ({ value, faults }: Checked, unknown: readonly Fault[]): Validated => {
    if (unknown.length > 0 || faults.length > 0) return { faults: mergeFaults([...unknown, ...faults]) };
    return { value };
  };
  return (value) => {
    const examined = examine(value);
    const unknown = examined.unknown.map((found) => unknownFault(found, value));
    const checked = check(repair ? examined.value : value);
    return checked instanceof Promise ? checked.then((later) => finish(later, unknown)) : finish(checked, unknown);
  };
}

/**
 * The refusal of arguments that a validator found wrong.
 * @param tool the tool's id
 */
export function refuseArguments(tool: string, faults: readonly Fault[], schema: JsonSchema | null): ToolError {
  return argumentsError(tool, faults, schema ?? { type: "object" });
}

/** `value` counts only where there are no faults. */
interface Checked {
  readonly value: JsonObject;
  readonly faults: readonly Fault[];
}

function zodCheck(zod: typeof z, schema: z.ZodType): (value: Json) => Checked | Promise<Checked> {
  let isAsync = false;
  const read = (value: Json, parsed: z.ZodSafeParseResult<unknown>): Checked => {
    if (!parsed.success) return { value: {}, faults: zodFaults(parsed.error.issues, value) };
    return { value: jsonOutput(parsed.data), faults: [] };
  };
  return (value) => {
    if (!isAsync) {
      try {
        return read(value, zod.safeParse(schema, value));
      } catch (error) {
        if (!isAsyncSchema(error)) throw schemaThrew(error);
        isAsync = true;
      }
    }
    return zod.safeParseAsync(schema, value).then(
      (parsed) => read(value, parsed),
      (error: unknown) => {
        throw schemaThrew(error);
      },
    );
  };
}

async function jsonSchemaCheck(schema: JsonSchema): Promise<(value: Json) => Checked> {
  const check = await compileJsonSchema(schema);
  return (value) => {
    // Defaults are filled in in place.
    const copy = thaw(value);
    const faults = check(copy);
    return { value: faults.length > 0 ? {} : jsonOutput(copy), faults };
  };
}

/** What a schema makes of the arguments has to stay JSON: it is shown, approved, and validated again. */
function jsonOutput(output: unknown): JsonObject {
  const checked = frozenJson(output);
  if ("value" in checked) return checked.value as JsonObject;
  const { path, found } = checked.fault;
  throw new ToolError(
    "EXECUTION_ERROR",
    `the schema of the tool makes ${found} at ${path || "its root"}, expected JSON`,
    {
      hint: "Its author should convert values in execute, not in the schema.",
    },
  );
}

function schemaThrew(error: unknown): ToolError {
  if (isToolError(error)) return error;
  const words = error instanceof Error ? error.message : String(error);
  return new ToolError("EXECUTION_ERROR", `the schema of the tool threw: ${words}`, { cause: words });
}

/** By name, because the schema may come from another copy of zod. */
function isAsyncSchema(error: unknown): boolean {
  return (error as { constructor?: { name?: unknown } } | undefined)?.constructor?.name === "$ZodAsyncError";
}

function thaw(value: Json): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(thaw);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, thaw(item)]));
}
