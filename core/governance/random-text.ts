/** Shorter ones are words and numbers more often than keys. */
const LEAST = 20;

/** Of what was drawn at random at least this share of neighbours are of different classes: digit, small letter, capital. */
const LEAST_CHANGES = 0.25;

/** Bits for each character: words repeat their letters, what was drawn does not. */
const LEAST_BITS = 3.4;

/** From this share of it on, a token is made of words. */
const MOST_WORDS = 0.45;

/**
 * Whether a token looks drawn at random, by its shape. Words, however joined, change between small letters, capitals and
 * digits where one ends; so do names of files, camelCase and dates. What was drawn changes everywhere, and few of its
 * stretches could be said aloud.
 *
 * Hexadecimal is not taken for random: hashes, ids and addresses are written so, and nobody can tell a key from them.
 */
export function isRandom(token: string): boolean {
  if (!/\d/u.test(token) || !/[A-Za-z]/u.test(token)) return false;
  const letters = token.replace(/[^A-Za-z0-9]/gu, "");
  if (letters.length < LEAST || isHex(letters)) return false;
  if (isJoined(token) || wordShare(letters) >= MOST_WORDS) return false;
  return changeShare(letters) >= LEAST_CHANGES && entropy(letters) >= LEAST_BITS;
}

function isHex(text: string): boolean {
  return /^(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)$/u.test(text);
}

/** Several parts of which one is a word and none is long: the name of a pod, a chunk, a branch. */
function isJoined(token: string): boolean {
  const parts = token.split(/[-_+]/u);
  return parts.length > 1 && parts.every(({ length }) => length < 16) && parts.some(isWord);
}

/** The share of a text that stands in stretches that read like words. */
function wordShare(letters: string): number {
  let count = 0;
  for (const [stretch] of letters.matchAll(/[A-Z]?[a-z]+|[A-Z]+/gu)) if (isWord(stretch)) count += stretch.length;
  return count / letters.length;
}

/** At least four letters, in one case but for the first, that can be said aloud: with vowels, and not many consonants in a row. */
function isWord(stretch: string): boolean {
  return (
    /^(?:[A-Z][a-z]{3,}|[a-z]{4,}|[A-Z]{4,})$/u.test(stretch) &&
    /[aeiouy]/iu.test(stretch) &&
    !/[^aeiouy]{4}/iu.test(stretch)
  );
}

function changeShare(letters: string): number {
  let count = 0;
  for (let at = 1; at < letters.length; at++) if (classOf(letters, at) !== classOf(letters, at - 1)) count++;
  return count / (letters.length - 1);
}

function classOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 58 ? 0 : code < 91 ? 1 : 2;
}

/** In bits a character, after Shannon. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
