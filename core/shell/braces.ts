const MAX_WORDS = 256;
const MAX_LENGTH = 1_000;

/**
 * What `a{b,c}` and `a{1..3}` stand for, in the order of the shell.
 *
 * @param text without quotes and backslashes
 * @returns undefined where it would be more than 256 words, or the text has more than 1,000 characters
 */
export function expandBraces(text: string): readonly string[] | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const found = firstBraces(text);
  if (!found) return [text];
  const { before, choices, after } = found;
  const tails = expandBraces(after);
  if (!tails) return undefined;
  const words: string[] = [];
  for (const choice of choices) {
    const middles = expandBraces(choice);
    if (!middles || words.length + middles.length * tails.length > MAX_WORDS) return undefined;
    for (const middle of middles) for (const tail of tails) words.push(before + middle + tail);
  }
  return words;
}

interface Braces {
  readonly before: string;
  readonly choices: readonly string[];
  readonly after: string;
}

function firstBraces(text: string): Braces | undefined {
  for (let open = text.indexOf("{"); open !== -1; open = text.indexOf("{", open + 1)) {
    const inside = insideOf(text, open);
    if (!inside) continue;
    const { parts, end } = inside;
    const choices = parts.length > 1 ? parts : sequence(parts[0] as string);
    if (choices) return { before: text.slice(0, open), choices, after: text.slice(end + 1) };
  }
  return undefined;
}

/** What lies between a brace and the one that closes it, split at its own commas. */
function insideOf(text: string, open: number): { readonly parts: readonly string[]; readonly end: number } | undefined {
  const parts: string[] = [];
  let from = open + 1;
  let depth = 0;
  for (let index = open + 1; index < text.length; index++) {
    const char = text[index];
    if (char === "{") depth++;
    else if (char === "}" && depth > 0) depth--;
    else if (char === "}") return { parts: [...parts, text.slice(from, index)], end: index };
    else if (char === "," && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return undefined;
}

function sequence(text: string): readonly string[] | undefined {
  const numbers = /^(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?$/u.exec(text);
  const letters = numbers ? undefined : /^([a-zA-Z])\.\.([a-zA-Z])(?:\.\.(-?\d{1,6}))?$/u.exec(text);
  const [, first, last, by] = numbers ?? letters ?? [];
  if (first === undefined || last === undefined) return undefined;
  const numberOf = (end: string): number => (numbers ? Number(end) : (end.codePointAt(0) as number));
  const [from, to] = [numberOf(first), numberOf(last)];
  const step = Math.abs(Number(by ?? 1)) || 1;
  const count = Math.floor(Math.abs(to - from) / step) + 1;
  if (count > MAX_WORDS) return Array.from({ length: MAX_WORDS + 1 }, () => "");
  const width = /^-?0\d/u.test(first) || /^-?0\d/u.test(last) ? Math.max(first.length, last.length) : 0;
  return Array.from({ length: count }, (_, index) => {
    const value = from + (to < from ? -1 : 1) * step * index;
    return numbers ? padded(value, width) : String.fromCodePoint(value);
  });
}

function padded(value: number, width: number): string {
  return value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0");
}
