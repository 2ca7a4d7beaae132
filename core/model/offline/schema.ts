import type { JsonSchema } from "../../sdk/schema.ts";

/** The parameters of a schema by name; none where it gives none. */
export function propertiesOf(schema: JsonSchema): Readonly<Record<string, unknown>> {
  const { properties } = schema as { properties?: unknown };
  return typeof properties === "object" && properties !== null ? (properties as Record<string, unknown>) : {};
}

/** The schema of one parameter, or undefined. */
export function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const properties = propertiesOf(schema);
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return typeof property === "object" && property !== null ? (property as JsonSchema) : undefined;
}

/** The names of the parameters that have to be there. */
export function requiredOf({ required }: JsonSchema): string[] {
  return Array.isArray(required) ? required.filter((name): name is string => typeof name === "string") : [];
}

/** The types that a schema names; none where it names none. */
export function typesOf(schema: JsonSchema | undefined): readonly unknown[] {
  const type = schema?.type;
  return type === undefined ? [] : [type].flat();
}

/** The texts of an enum, or none. */
export function enumOf(schema: JsonSchema | undefined): readonly string[] {
  const values = schema?.enum;
  return Array.isArray(values) ? values.filter((value): value is string => typeof value === "string") : [];
}

/** Whether only certain values are allowed. */
export function isEnum(schema: JsonSchema | undefined): boolean {
  return schema !== undefined && ("enum" in schema || "const" in schema);
}

/** Whether a number is expected. */
export function isNumeric(schema: JsonSchema | undefined): boolean {
  return typesOf(schema).some((type) => type === "number" || type === "integer");
}

/** Whether a value is of a type that the schema names. A number may be written as text. */
export function fits(schema: JsonSchema | undefined, value: string | number): boolean {
  const types = typesOf(schema);
  if (types.length === 0 || types.includes("string")) return true;
  return (
    typeof value === "number" && (types.includes("number") || (types.includes("integer") && Number.isInteger(value)))
  );
}
