import { compareText } from "../diagnostics.ts";
import type { Json } from "../sdk/json.ts";

/**
 * A JSON value in its one canonical form (RFC 8785, JCS): keys sorted by their UTF-16 units at every level, no white
 * space, numbers and strings as ECMAScript writes them. Two values are the same exactly when their texts are.
 *
 * @param text applied to every string and every key before; default: none is changed
 * @throws TypeError for what has no such form: a lone surrogate in a string or a key, a number that is not finite,
 *   anything that is not JSON, two keys that `text` makes one
 */
export function canonicalJson(value: Json, text?: (text: string) => string): string {
  if (typeof value === "string") return quoted(text ? text(value) : value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`expected a finite number, found ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value !== "object") throw new TypeError(`expected JSON, found a ${typeof value}`);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, text)).join(",")}]`;
  return object(value as { readonly [key: string]: Json }, text);
}

function object(value: { readonly [key: string]: Json }, text: ((text: string) => string) | undefined): string {
  const names = Object.keys(value);
  // The usual order of strings is that of their UTF-16 units, which is the one that JCS asks for.
  if (!text)
    return `{${names
      .sort()
      .map((name) => `${quoted(name)}:${canonicalJson(value[name] as Json)}`)
      .join(",")}}`;
  const keys = names.map((name) => ({ name, key: text(name) })).sort((a, b) => compareText(a.key, b.key));
  const members = keys.map(({ name, key }, index) => {
    if (key === keys[index - 1]?.key) throw new TypeError(`expected different keys, found ${quoted(key)} twice`);
    return `${quoted(key)}:${canonicalJson(value[name] as Json, text)}`;
  });
  return `{${members.join(",")}}`;
}

function quoted(text: string): string {
  if (!isWellFormed(text)) throw new TypeError("expected well-formed text, found a lone surrogate");
  return JSON.stringify(text);
}

function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}
