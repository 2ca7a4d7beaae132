import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type { JsonSchema } from "../sdk/schema.ts";
import { type Fault, valueFault } from "./faults.ts";
import { dereference, isObject, typesOf } from "./schema-rules.ts";
import { oneOf } from "./zod-faults.ts";

/** Checks a value, filling in defaults in place. */
export type JsonSchemaCheck = (value: unknown) => readonly Fault[];

const OPTIONS = {
  // Authors' schemas carry keywords of their own.
  strict: false,
  allErrors: true,
  useDefaults: true,
  // Formats need a package of their own; like unknown keywords they are for the reader.
  validateFormats: false,
  validateSchema: false,
  logger: false,
} as const;

/**
 * Compiles a JSON Schema: draft 2020-12 unless its `$schema`, or an older form of its keywords, says otherwise.
 * Each schema gets a validator of its own, so the same `$id` may come again after a reload.
 *
 * @throws Error of ajv when the schema cannot be compiled
 */
export async function compileJsonSchema(schema: JsonSchema): Promise<JsonSchemaCheck> {
  const validate = await compile(schema);
  return (value) => {
    if (validate(value)) return [];
    const errors = validate.errors ?? [];
    return errors.flatMap((error) => faultsOf(error, errors, value, schema));
  };
}

async function compile(schema: JsonSchema): Promise<ValidateFunction> {
  const draft = typeof schema.$schema === "string" ? schema.$schema : "";
  const { $schema: _, ...plain } = schema;
  if (/draft-0[4-7]/.test(draft)) return (await olderDraft()).compile(plain);
  try {
    return (await newerDraft(draft)).compile(plain);
  } catch (error) {
    if (draft !== "") throw error;
    return (await olderDraft()).compile(plain);
  }
}

async function newerDraft(draft: string): Promise<Ajv> {
  if (draft.includes("2019-09")) return new (await import("ajv/dist/2019.js")).Ajv2019(OPTIONS);
  return new (await import("ajv/dist/2020.js")).Ajv2020(OPTIONS);
}

async function olderDraft(): Promise<Ajv> {
  return new (await import("ajv")).Ajv(OPTIONS);
}

/** Keywords that only say that something inside them failed; they count where nothing inside says more. */
const WRAPPERS: ReadonlySet<string> = new Set(["anyOf", "oneOf", "if", "not", "contains", "propertyNames"]);

function faultsOf(
  error: ErrorObject,
  all: readonly ErrorObject[],
  value: unknown,
  schema: JsonSchema,
): readonly Fault[] {
  const path = pathOf(error.instancePath);
  const { keyword, params, message = "something else" } = error as ErrorObject<string, Record<string, unknown>>;
  // Unknown keys are found apart, at every level.
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties") return [];
  if (WRAPPERS.has(keyword)) {
    const inside = all.some(
      (other) => !WRAPPERS.has(other.keyword) && other.instancePath.startsWith(error.instancePath),
    );
    return inside ? [] : [valueFault(path, message, value)];
  }
  if (keyword === "required" || keyword === "dependentRequired") {
    const key = String(params.missingProperty);
    return [valueFault([...path, key], typeAt(error, key, schema), value)];
  }
  return [valueFault(path, expectedBy(keyword, params) ?? message, value)];
}

function expectedBy(keyword: string, params: Readonly<Record<string, unknown>>): string | undefined {
  if (keyword === "type") return [params.type].flat().join(" or ");
  if (keyword === "enum") return oneOf(params.allowedValues as unknown[]);
  if (keyword === "const") return oneOf([params.allowedValue]);
  if (keyword === "pattern") return `a string that matches /${params.pattern}/`;
  if (keyword === "multipleOf") return `a multiple of ${params.multipleOf}`;
  const unit = { minLength: "characters", maxLength: "characters", minItems: "items", maxItems: "items" }[keyword];
  if (unit) return `${keyword.startsWith("min") ? "at least" : "at most"} ${params.limit} ${unit}`;
  if (typeof params.comparison === "string") return `a number ${params.comparison} ${params.limit}`;
  return undefined;
}

/** What kind of value is missing, where the schema that asks for it also describes it. */
function typeAt({ schemaPath }: ErrorObject, key: string, root: JsonSchema): string {
  let owner: unknown = root;
  for (const token of schemaPath.replace(/^#\/?/, "").split("/").slice(0, -1)) {
    owner = dereference(owner, root);
    if (!isObject(owner) && !Array.isArray(owner)) return "a value";
    owner = (owner as Record<string, unknown>)[decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  const properties = isObject(owner) ? owner.properties : undefined;
  const property =
    isObject(properties) && Object.hasOwn(properties, key) ? dereference(properties[key], root) : undefined;
  if (isObject(property) && property.type === "integer") return "integer";
  const types = typesOf(property, root);
  return types && types.size > 0 ? [...types].join(" or ") : "a value";
}

/** The keys of a JSON pointer into `value`; an index of a list stays text, which finds the same item. */
function pathOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
