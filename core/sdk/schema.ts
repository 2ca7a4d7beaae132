import { z } from "zod";

export { z };

/** A JSON Schema object (draft 2020-12 unless its `$schema` says otherwise). */
export type JsonSchema = { readonly [key: string]: unknown };

/** What `static parameters` and `static output` of a tool may be: a zod object, or a plain JSON Schema object. */
export type SchemaSource = z.ZodType | JsonSchema;

/** Whether `schema` is a zod schema, of this or of another copy of zod 4 (both carry `_zod`). */
export function isZod(schema: unknown): schema is z.ZodType {
  return typeof schema === "object" && schema !== null && "_zod" in schema;
}

/**
 * The JSON Schema that the model is shown and that the documents are checked against.
 *
 * A zod schema is converted with `io: "input"` (a field with a default is not required); unknown keys are
 * refused, so every object of known shape gets `additionalProperties: false` unless the author said otherwise,
 * and the bounds that zod adds to a plain integer are left out.
 *
 * @throws Error of zod when the schema has no JSON form (a date, a transform)
 */
export function toJsonSchema(schema: SchemaSource): JsonSchema {
  if (!isZod(schema)) return schema;
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const kind = zodSchema._zod.def.type;
      if (kind === "object" && jsonSchema.properties && jsonSchema.additionalProperties === undefined) {
        jsonSchema.additionalProperties = false;
      }
      if (jsonSchema.type === "integer") {
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      }
    },
  }) as Record<string, unknown>;
  return json;
}
