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

/** The JSON pointer (RFC 6901) of a path of keys; empty for the value itself. */
export function toPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${pointerToken(typeof key === "symbol" ? key.toString() : key)}`).join("");
}

/**
 * A deep copy of `value` that is deep-frozen, or the first fault.
 *
 * Refused: `undefined` inside arrays, functions, symbols, BigInt, NaN and infinities, cycles, Date, Map,
 * Set, typed arrays and every other class instance, symbol keys. A property of an object whose value is `undefined`
 * is left out, −0 becomes 0 and an accessor is read once, as `JSON.stringify` does. The key `__proto__` is copied as own data.
 *
 * @param text applied to every string and every key; default: none is changed
 */
export function frozenJson(
  value: unknown,
  text?: (text: string) => string,
): { readonly value: Json } | { readonly fault: JsonFault } {
  const copier: Copier = { text, parents: [], fault: undefined };
  const copied = copy(copier, value);
  if (!copier.fault) return { value: copied };
  return { fault: { path: toPointer(copier.fault.path.reverse()), found: copier.fault.found } };
}

/** `fault.path` is gathered from the inside out while the recursion unwinds: paths cost nothing where all is well. */
interface Copier {
  readonly text: ((text: string) => string) | undefined;
  readonly parents: object[];
  fault: { readonly path: (string | number)[]; readonly found: string } | undefined;
}

function copy(copier: Copier, item: unknown): Json {
  if (typeof item === "string") return copier.text ? copier.text(item) : item;
  if (item === null || typeof item === "boolean") return item;
  if (typeof item === "number") return Number.isFinite(item) ? item + 0 : refuse(copier, String(item));
  if (typeof item !== "object") return refuse(copier, item === undefined ? "undefined" : `a ${typeof item}`);
  if (copier.parents.includes(item)) return refuse(copier, "a cycle");
  if (copier.parents.length > MAX_DEPTH) return refuse(copier, `more than ${MAX_DEPTH} levels`);
  copier.parents.push(item);
  const result = Array.isArray(item) ? copyArray(copier, item) : copyObject(copier, item);
  copier.parents.pop();
  return result;
}

function copyArray(copier: Copier, item: readonly unknown[]): Json {
  const out: Json[] = [];
  for (let index = 0; index < item.length; index++) {
    out.push(copy(copier, item[index]));
    if (copier.fault) return leave(copier, index);
  }
  return Object.freeze(out);
}

function copyObject(copier: Copier, item: object): Json {
  const prototype: unknown = Object.getPrototypeOf(item);
  if (prototype !== Object.prototype && prototype !== null && !isForeignPlain(prototype)) {
    return refuse(copier, `an instance of ${nameOfPrototype(prototype)}`);
  }
  if (Object.getOwnPropertySymbols(item).length > 0) return refuse(copier, "a symbol key");
  const out: Record<string, Json> = {};
  for (const key of Object.keys(item)) {
    const given = (item as Record<string, unknown>)[key];
    if (given === undefined) continue;
    const value = copy(copier, given);
    if (copier.fault) return leave(copier, key);
    const name = copier.text ? copier.text(key) : key;
    if (name === "__proto__") Object.defineProperty(out, name, { value, enumerable: true });
    else out[name] = value;
  }
  return Object.freeze(out);
}

function refuse(copier: Copier, found: string): null {
  copier.fault ??= { path: [], found };
  return null;
}

/** Notes on the way out where inside the fault lies. */
function leave(copier: Copier, key: string | number): null {
  copier.fault?.path.push(key);
  return null;
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
