/** A secret by name. */
export interface SecretValue {
  readonly name: string;
  readonly value: string;
}

/** Takes secret values out of what leaves the host. */
export interface Masker {
  /** `text` with every occurrence of a value replaced by `§§secret(NAME)`; the longest value wins where several begin. */
  mask(text: string): string;
  /** A copy of a JSON value with all strings and keys masked; the very same value when there is nothing to mask. */
  maskJson<T>(value: T): T;
}

/** A shorter value is a word, and masking it would garble every text. */
const MIN_LENGTH = 4;

/** @param values shorter ones than 4 characters are ignored; of two names for one value the first serves */
export function createMasker(values: readonly SecretValue[]): Masker {
  const names = new Map<string, string>();
  for (const { name, value } of values) {
    if (value.length >= MIN_LENGTH && !names.has(value)) names.set(value, name);
  }
  if (names.size === 0) return { mask: (text) => text, maskJson: (value) => value };
  // At one place the first alternative that fits wins, so the longest goes first.
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(escapePattern).join("|"), "g");
  // What is put in is never looked at again.
  const mask = (text: string): string => text.replace(pattern, (value) => `§§secret(${names.get(value)})`);
  return { mask, maskJson: (value) => maskValue(value, mask) as typeof value };
}

function maskValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  const masked: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    // Assigning to `__proto__` would set the prototype instead.
    if (key === "__proto__") Object.defineProperty(masked, key, { value: maskValue(item, mask), enumerable: true });
    else masked[mask(key)] = maskValue(item, mask);
  }
  return masked;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
