import { Tool, z } from "toolroom";
import { withNextStep } from "../lib/missing.ts";
import { oneLine } from "../lib/one-line.ts";
import { many } from "../lib/text-file.ts";

const parameters = z.object({
  path: z.string().min(1).describe("the file, relative to the workspace"),
});

const output = z.object({
  lines: z.number().int(),
  words: z.number().int(),
  characters: z.number().int(),
  bytes: z.number().int(),
});

/** How often a pause or a stop is looked for. */
const CHECKPOINT_BYTES = 16 * 1024 * 1024;

/** Counts a text file of any size without holding it in memory. */
export default class WordCount extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly output = output;
  static readonly description = "Counts the lines, words, characters and bytes of a text file.";
  static readonly risk = "low";
  static readonly parallel = "safe";

  async execute({ path }: z.infer<typeof parameters>) {
    const { workspace, signal } = this;
    const stream = await withNextStep(workspace, path, () => workspace.openRead(path, { text: true, signal }));
    const counter = createCounter();
    const decoder = new TextDecoder();
    let bytes = 0;
    let checkpoint = CHECKPOINT_BYTES;
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      counter.add(decoder.decode(chunk, { stream: true }));
      if (bytes < checkpoint) continue;
      checkpoint += CHECKPOINT_BYTES;
      await this.agent.handleIntervention();
    }
    counter.add(decoder.decode());
    const { lines, words, characters } = counter.total();
    const counts = [many(lines, "line"), many(words, "word"), many(characters, "character")].join(", ");
    return this.success(`${oneLine(workspace.relative(path))}: ${counts}.`, { lines, words, characters, bytes });
  }
}

/**
 * Counts text that comes in pieces.
 * A line is what a line feed ends, and an unterminated last one. A word is a run of characters other than
 * white space, as `\S+` of JavaScript finds it, so a Chinese sentence without spaces is one word.
 * A character is a Unicode code point.
 */
function createCounter() {
  let lineFeeds = 0;
  let words = 0;
  let characters = 0;
  let inWord = false;
  let last = 0;
  return {
    add(text: string): void {
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        // The decoder hands out surrogates in pairs only: the second half is not a character of its own.
        if (unit >= 0xdc00 && unit <= 0xdfff) continue;
        characters++;
        if (unit === 10) lineFeeds++;
        const space = isSpace(unit);
        if (!space && !inWord) words++;
        inWord = !space;
        last = unit;
      }
    },
    total: () => ({ lines: lineFeeds + (characters > 0 && last !== 10 ? 1 : 0), words, characters }),
  };
}

/** What `\s` matches; all of it lies in the basic plane, so code units do. */
function isSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 32 || (unit >= 9 && unit <= 13);
  return unit === 0xa0 || (unit >= 0x1680 && /\s/.test(String.fromCharCode(unit)));
}
