import type { Reader } from "./entity.ts";
import type { Lexicon } from "./lexicon.ts";
import { ALPHABET_RANGES, CJK, SIGN_RANGES } from "./script.ts";
import { BARE_FILES } from "./words.ts";

const EXTENSION = "\\.[A-Za-z][A-Za-z0-9]{0,9}(?!\\w|\\.\\w|@)";
const NAME = `[\\w${ALPHABET_RANGES}+@~-]`;
/** With a folder before it, or with an extension behind it, or a dot file; a folder may be followed by a Chinese name. */
const PATH = new RegExp(
  [
    `(?:[A-Za-z]:)?(?:[./\\\\]|${NAME})*[/\\\\](?:${NAME}|[.${SIGN_RANGES}])*?${EXTENSION}`,
    `(?:[A-Za-z]:[/\\\\]|\\.{0,2}/|~/)(?:[./\\\\]|${NAME})*(?:${NAME}|/)`,
    `${NAME}+(?:[./\\\\]|${NAME})*/(?![\\w${ALPHABET_RANGES}])`,
    `${NAME}+/(?:[./]|${NAME})*${NAME}`,
    `${NAME}(?:\\.?${NAME})*?${EXTENSION}`,
    "\\.[A-Za-z][\\w.-]*\\w",
  ]
    .map((part) => `(?:${part})`)
    .join("|"),
  "y",
);
/** A path does not begin behind one of these. */
const INSIDE = new RegExp(`[\\w${ALPHABET_RANGES}@.~/\\\\+-]`);
const DOMAIN = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|cn|dev|gov|edu|co|ai)$/i;

/** Paths and file names by their looks: a folder, an extension, a leading dot, or a well-known name. */
export const readPath: Reader = (text, at, lexicon) => {
  if (at > 0 && INSIDE.test(text.charAt(at - 1))) return undefined;
  PATH.lastIndex = at;
  const value = PATH.exec(text)?.[0] ?? /^[A-Z][A-Za-z]+(?!\w)/.exec(text.slice(at, at + 20))?.[0];
  if (value === undefined) return undefined;
  const found = { kind: "path", value, length: value.length } as const;
  // The end of a Chinese file name is no dot file; behind a known word (打开.env) it is one.
  if (value.startsWith(".") && CJK.test(text.charAt(at - 1)) && !knownBefore(text, at, lexicon)) return undefined;
  if (/^[A-Za-z]+$/.test(value)) return BARE_FILES.has(value) ? found : undefined;
  if (DOMAIN.test(value) || /^(?:e\.g|i\.e|a\.m|p\.m)$/i.test(value)) return undefined;
  // "and/or", "read/write": two ordinary words with a stroke between them.
  const [left = "", right = "", third] = value.toLowerCase().split("/");
  const ordinary = third === undefined && lexicon.known(left) !== undefined && lexicon.known(right) !== undefined;
  return ordinary || value === "/" ? undefined : found;
};

function knownBefore(text: string, at: number, lexicon: Lexicon): boolean {
  return [1, 2, 3].some((length) => lexicon.known(text.slice(Math.max(0, at - length), at)) !== undefined);
}

const CHINESE_NAME = new RegExp(`[${SIGN_RANGES}][${SIGN_RANGES}\\w-]*\\.[A-Za-z]\\w{0,9}(?!\\w)`, "y");

/** 报告.txt, where a space or the start of the text sets it off and no known word begins it: 统计报告.txt could be either. */
export const readChineseFile: Reader = (text, at, lexicon) => {
  if (at > 0 && !/[\s：:，,（(]/.test(text.charAt(at - 1))) return undefined;
  CHINESE_NAME.lastIndex = at;
  const value = CHINESE_NAME.exec(text)?.[0];
  if (value === undefined || lexicon.longest(value, 0) !== undefined) return undefined;
  return { kind: "path", value, length: value.length };
};
