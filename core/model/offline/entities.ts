import { type Entity, type Found, pattern, type Reader } from "./entity.ts";
import type { Lexicon } from "./lexicon.ts";
import { readChineseFile, readPath } from "./paths.ts";
import {
  readChineseClock,
  readChineseNumber,
  readClock,
  readDate,
  readEnglishNumber,
  readNumber,
} from "./quantities.ts";
import { BARE_FILES } from "./words.ts";

/** The values of a text in their order; none overlap. The first reader that finds something at a place wins. */
export function findEntities(text: string, lexicon: Lexicon): Entity[] {
  const entities: Entity[] = [];
  for (let at = 0; at < text.length; ) {
    const found = INNER.test(text.slice(Math.max(0, at - 1), at + 1)) ? undefined : entityAt(text, at, lexicon);
    if (!found) {
      at++;
      continue;
    }
    const { length, ...entity } = found;
    entities.push({ ...entity, start: at, end: at + length });
    at += length;
  }
  return entities;
}

/** Nothing begins between two letters of one word; most places of a text are such. */
const INNER = /^[A-Za-z]{2}$/;

function entityAt(text: string, at: number, lexicon: Lexicon): Found | undefined {
  for (const read of READERS) {
    const found = read(text, at, lexicon);
    if (found) return found;
  }
  return undefined;
}

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "“": "”",
  "‘": "’",
  "「": "」",
  "『": "』",
  "《": "》",
};

const readQuoted: Reader = (text, at) => {
  const open = text.charAt(at);
  const close = QUOTES[open];
  // An apostrophe is no quote.
  if (close === undefined || (open === "'" && /\w/.test(text.charAt(at - 1)))) return undefined;
  const end = text.indexOf(close, at + 1);
  const value = text.slice(at + 1, end).trim();
  if (end < 0 || value === "") return undefined;
  const length = end + 1 - at;
  if (/^https?:\/\//i.test(value)) return { kind: "url", value, length };
  const looksLikePath =
    !/[\r\n]/.test(value) && (/\.[A-Za-z]\w{0,9}$/.test(value) || /^[\w.~@-]*(?:\/[\w.@-]+)+\/?$/.test(value));
  return { kind: looksLikePath || BARE_FILES.has(value) ? "path" : "quoted", value, length };
};

const readUrl = pattern("url", /https?:\/\/[^\s"'<>`，。！？；、）」』》]*[^\s"'<>`，。！？；、）」』》.,;:!?)\]}]/iy);
const readEmail = pattern("email", /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/y);
const readSlug = pattern("slug", /[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+/y);

const READERS: readonly Reader[] = [
  readQuoted,
  readUrl,
  readEmail,
  readDate,
  readClock,
  readChineseClock,
  readPath,
  readChineseFile,
  readNumber,
  readChineseNumber,
  readEnglishNumber,
  readSlug,
];
