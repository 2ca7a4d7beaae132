/** Deeper than this is taken for a circle, which only the slower way can copy. */
const MAX_DEPTH = 64;

/**
 * A deep copy of what is mostly lists, plain objects and texts: texts are shared, however long they are. Anything else
 * is copied as `structuredClone` does.
 *
 * @throws DataCloneError for what cannot be copied, such as a function
 */
export function plainCopy<Value>(value: Value): Value {
  try {
    return copyAt(value, 0) as Value;
  } catch (error) {
    if (error !== TOO_DEEP) throw error;
    return structuredClone(value);
  }
}

const SHARED: ReadonlySet<string> = new Set(["string", "number", "boolean", "undefined", "bigint"]);
const TOO_DEEP = Symbol("too deep");

function copyAt(value: unknown, depth: number): unknown {
  if (value === null || SHARED.has(typeof value)) return value;
  if (typeof value !== "object") return structuredClone(value);
  if (depth > MAX_DEPTH) throw TOO_DEEP;
  if (Array.isArray(value)) return value.map((item) => copyAt(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return structuredClone(value);
  // Not assigned: a key may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyAt(item, depth + 1)]));
}
