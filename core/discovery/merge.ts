import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { isMapping } from "./fields.ts";

/** `higher` over `lower`, key by key: mappings are merged, every other value replaces the lower one. */
export function merge(lower: JsonObject, higher: JsonObject): JsonObject {
  const merged: Record<string, Json> = {};
  for (const [key, value] of Object.entries(lower)) setOwn(merged, key, value);
  for (const [key, value] of Object.entries(higher)) {
    const below = Object.hasOwn(lower, key) ? lower[key] : undefined;
    setOwn(merged, key, isMapping(below) && isMapping(value) ? merge(below, value) : value);
  }
  return Object.freeze(merged);
}

/** Sets own data, whatever the key is called: `__proto__` from a file must not reach a prototype. */
export function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** The value at a dotted key (`knowledge.enabled`), own properties only. */
export function lookUp(values: JsonObject, key: string): Json | undefined {
  let at: Json | undefined = values;
  for (const part of key.split(".")) {
    if (!isMapping(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}
