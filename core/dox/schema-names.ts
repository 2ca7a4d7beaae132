import { isObject } from "../dispatch/schema-rules.ts";
import type { JsonSchema } from "../sdk/schema.ts";

/** The names that a schema knows. */
export interface SchemaNames {
  /** The keys of the object itself, in the order of the schema, with whether they must be there. */
  readonly own: ReadonlyMap<string, { readonly required: boolean; readonly deprecated: boolean }>;
  /** The keys at every level. */
  readonly all: ReadonlySet<string>;
  /** Texts of `enum` and `const` at every level. */
  readonly values: ReadonlySet<string>;
  /** The object itself takes keys that no schema names. */
  readonly open: boolean;
}

/** Deeper nesting is named by nobody; a circle of references ends here as well. */
const MAX_DEPTH = 8;

export function namesOf(schema: JsonSchema): SchemaNames {
  const own = new Map<string, { required: boolean; deprecated: boolean }>();
  const all = new Set<string>();
  const values = new Set<string>();
  let open = false;

  const visit = (given: unknown, { top, depth }: { readonly top: boolean; readonly depth: number }): void => {
    if (!isObject(given) || depth > MAX_DEPTH) return;
    const inside = { top: false, depth: depth + 1 };
    for (const value of [given.const, ...listOf(given.enum)]) if (typeof value === "string") values.add(value);
    if (top && (isObject(given.patternProperties) || isOpen(given.additionalProperties))) open = true;
    const required = new Set(listOf(given.required));
    for (const [key, property] of isObject(given.properties) ? Object.entries(given.properties) : []) {
      all.add(key);
      if (top) {
        const known = own.get(key);
        own.set(key, {
          required: known?.required === true || required.has(key),
          deprecated: known?.deprecated === true || (isObject(property) && property.deprecated === true),
        });
      }
      visit(property, inside);
    }
    for (const part of listOf(given.allOf)) visit(part, { top, depth: depth + 1 });
    // A key of an alternative is needed in that one only.
    for (const key of ["anyOf", "oneOf"]) {
      for (const branch of listOf(given[key]))
        visit(isObject(branch) ? { ...branch, required: [] } : branch, { top, depth: depth + 1 });
    }
    for (const key of ["items", "additionalProperties", "contains"]) visit(given[key], inside);
    for (const item of listOf(given.prefixItems)) visit(item, inside);
    for (const item of isObject(given.patternProperties) ? Object.values(given.patternProperties) : [])
      visit(item, inside);
    if (typeof given.$ref === "string") visit(target(given.$ref, schema), { top, depth: depth + 1 });
  };
  visit(schema, { top: true, depth: 0 });
  return { own, all, values, open };
}

function isOpen(additional: unknown): boolean {
  return additional === true || isObject(additional);
}

function target(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith("#")) return undefined;
  return ref
    .split("/")
    .slice(1)
    .reduce<unknown>((value, token) => {
      const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
      return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }, root);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
