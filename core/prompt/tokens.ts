/** Counts the tokens of a text as `o200k_base` makes them, the encoding of current OpenAI models; others differ by some percent. */
export type TokenCounter = (text: string) => Promise<number>;

/** Characters of texts whose counts are kept. */
const KEPT_CHARACTERS = 8 * 1024 * 1024;

/** Longer runs without a break are counted in parts: the encoder's time grows with the square of a run's length. */
const LONG_RUN = /\S{400}|\s{400}/gu;

/**
 * The tokens of one text. The encoding is loaded at the first count: it costs 200 ms. Text that looks like a control
 * token of a model is counted as the plain text it is. In a run of more than 400 characters without a break, the count
 * may be off by one token for each 400.
 */
export async function countTokens(text: string): Promise<number> {
  const encoding = await import("gpt-tokenizer/encoding/o200k_base");
  const plain = { disallowedSpecial: new Set<string>() };
  return inParts(text).reduce((sum, part) => sum + encoding.countTokens(part, plain), 0);
}

/** {@link countTokens} that counts each distinct text once, until 8 MiB of newer texts have come. */
export function createTokenCounter(): TokenCounter {
  const counts = new Map<string, Promise<number>>();
  let characters = 0;
  return (text) => {
    const known = counts.get(text);
    if (known) return known;
    const count = countTokens(text);
    counts.set(text, count);
    characters += text.length;
    for (const oldest of counts.keys()) {
      if (characters <= KEPT_CHARACTERS) break;
      counts.delete(oldest);
      characters -= oldest.length;
    }
    return count;
  };
}

function inParts(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: run } of text.matchAll(LONG_RUN)) {
    parts.push(text.slice(from, index + run.length));
    from = index + run.length;
  }
  return from === 0 ? [text] : [...parts, text.slice(from)];
}
