import type { Masker } from "./mask.ts";

/** Longer chains of causes are left as they are. */
const MAX_CAUSES = 8;

/**
 * Takes secrets out of the texts of an error, its stack included, and of its causes. It stays the same object, so that
 * whoever handles it knows it by its class and its code.
 *
 * @returns what was given; of a text that was thrown a masked one
 */
export function maskError(thrown: unknown, masker: Pick<Masker, "mask">, depth = 0): unknown {
  if (typeof thrown === "string") return masker.mask(thrown);
  if (depth > MAX_CAUSES) return thrown;
  if (Array.isArray(thrown)) for (const item of thrown) maskError(item, masker, depth + 1);
  if (!(thrown instanceof Error)) return thrown;
  // Not enumerable, and in some engines an accessor.
  for (const key of new Set(["message", "stack", "cause", ...Object.getOwnPropertyNames(thrown)])) {
    const value = Reflect.get(thrown, key) as unknown;
    const masked = maskError(value, masker, depth + 1);
    // What is read-only has no secret of a provider or of a tool in it: it was put there by its class.
    if (masked !== value) Reflect.set(thrown, key, masked);
  }
  return thrown;
}
