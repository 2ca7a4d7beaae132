/** A value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Nesting deeper than this is refused: no honest payload needs it, and recursion has to end somewhere. */
const MAX_DEPTH = 200;

/** Why a value is not JSON, and where: `path` is a JSON pointer (RFC 6901), empty for the value itself. */
export interface JsonFault {
  readonly path: string;
  readonly found: string;
}

/** One reference token of a JSON pointer, escaped as RFC 6901 §3 asks. */
export function pointerToken(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}

/**
 * A deep copy of `value` that is deep-frozen, or the first fault.
 *
 * Refused: `undefined` inside arrays, functions, symbols, BigInt, NaN and infinities, cycles, Date, Map,
 * Set, typed arrays and every other class instance, symbol keys, accessors. A property of an object whose
 * value is `undefined` is left out, as `JSON.stringify` does. The key `__proto__` is copied as own data.
 */
export function frozenJson(value: unknown): { value: Json } | { fault: JsonFault } {
  const parents = new Set<object>();
  let fault: JsonFault | undefined;
  const refuse = (path: string, found: string): null => {
    fault ??= { path, found };
    return null;
  };

  const copy = (item: unknown, path: string, depth: number): Json => {
    if (item === null || typeof item === "string" || typeof item === "boolean") return item;
    if (typeof item === "number") return Number.isFinite(item) ? item : refuse(path, String(item));
    if (typeof item !== "object") return refuse(path, item === undefined ? "undefined" : `a ${typeof item}`);
    if (parents.has(item)) return refuse(path, "a cycle");
    if (depth > MAX_DEPTH) return refuse(path, `more than ${MAX_DEPTH} levels`);
    parents.add(item);
    const result = Array.isArray(item) ? copyArray(item, path, depth) : copyObject(item, path, depth);
    parents.delete(item);
    return result;
  };

  const copyArray = (item: readonly unknown[], path: string, depth: number): Json => {
    const out: Json[] = [];
    for (let index = 0; index < item.length && !fault; index++)
      out.push(copy(item[index], `${path}/${index}`, depth + 1));
    return Object.freeze(out);
  };

  const copyObject = (item: object, path: string, depth: number): Json => {
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== null && prototype !== Object.prototype && !isForeignPlain(prototype)) {
      return refuse(path, `an instance of ${nameOfPrototype(prototype)}`);
    }
    if (Object.getOwnPropertySymbols(item).length > 0) return refuse(path, "a symbol key");
    const out: Record<string, Json> = {};
    for (const key of Object.keys(item)) {
      const own = Object.getOwnPropertyDescriptor(item, key);
      const at = `${path}/${pointerToken(key)}`;
      if (!own || !("value" in own)) return refuse(at, "an accessor");
      if (own.value === undefined) continue;
      const value = copy(own.value, at, depth + 1);
      if (fault) return null;
      if (key === "__proto__") Object.defineProperty(out, key, { value, enumerable: true });
      else out[key] = value;
    }
    return Object.freeze(out);
  };

  const result = copy(value, "", 0);
  return fault ? { fault } : { value: result };
}

/** `Object.prototype` of another realm (a worker's or a vm context's) is as plain as our own. */
function isForeignPlain(prototype: unknown): boolean {
  return (
    typeof prototype === "object" &&
    prototype !== null &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "hasOwnProperty") &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
}

function nameOfPrototype(prototype: unknown): string {
  const name = (prototype as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === "string" && name !== "" ? name : "a class";
}
