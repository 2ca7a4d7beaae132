import { createHash } from "node:crypto";

/** The names of tools as providers are given them, both ways. */
export interface PublishedNames {
  /** By the tool's id. */
  readonly published: ReadonlyMap<string, string>;
  /** By the published name. */
  readonly original: ReadonlyMap<string, string>;
}

const MAX_LENGTH = 64;
/** Hexadecimal digits of a hash; more where two names would be the same. */
const HASH_LENGTH = 8;
/** OpenAI and Anthropic take `^[a-zA-Z0-9_-]{1,64}$`; of these Gemini takes what begins with a letter or `_`. */
const FITTING = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

/**
 * Gives each id a name that every provider takes: `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`. An id that is one keeps it. Any
 * other is made fit, shortened, and ends in `_` and a part of its SHA-256, so that its name is its own, is the same
 * whenever and wherever it is made, and depends neither on the order nor, but for a clash of hashes, on the other ids.
 */
export function publishedNames(ids: Iterable<string>): PublishedNames {
  const all = new Set(ids);
  const published = new Map<string, string>();
  const original = new Map<string, string>();
  const add = (id: string, name: string): void => {
    published.set(id, name);
    original.set(name, id);
  };
  const others: string[] = [];
  for (const id of all) {
    if (FITTING.test(id)) add(id, id);
    else others.push(id);
  }
  for (let open = others, round = 0; open.length > 0; round++) {
    const names = open.map((id) => ({ id, name: hashedName(id, round) }));
    const counts = new Map<string, number>();
    for (const { name } of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const isFree = (name: string): boolean => counts.get(name) === 1 && !original.has(name);
    const free = names.filter(({ name }) => isFree(name));
    open = names.filter(({ name }) => !isFree(name)).map(({ id }) => id);
    for (const { id, name } of free) add(id, name);
  }
  return { published, original };
}

/** The hash is longer in each further round, and another one when it cannot be any longer. */
function hashedName(id: string, round: number): string {
  const digits = Math.min(HASH_LENGTH * (round + 1), MAX_LENGTH - 2);
  const text = HASH_LENGTH * round > MAX_LENGTH ? `${id}\0${round}` : id;
  // By its code units, because what is no Unicode may be an id, too.
  const hash = createHash("sha256").update(text, "utf16le").digest("hex").slice(0, digits);
  const plain = id.replace(/[^a-zA-Z0-9_-]/gu, "_");
  const start = /^[a-zA-Z_]/.test(plain) ? plain : `_${plain}`;
  return `${start.slice(0, MAX_LENGTH - 1 - hash.length)}_${hash}`;
}
