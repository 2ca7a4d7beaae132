import type { Contract } from "../contract.ts";
import { type Argument, asArgument } from "../schema-facts.ts";
import type { Subject } from "../subject.ts";
import { requireHandled } from "./handled.ts";

const MEGABYTE = "word ".repeat(Math.ceil((1024 * 1024) / 5));

/** What models, and the pages that they read, put into a text. */
const TEXTS: Readonly<Record<string, string>> = {
  "half of a surrogate pair": "a\ud800b",
  "a combining mark": "e\u0301\u0323",
  "text from right to left": "\u202eabc\u202c \u05d0\u05d1",
  emoji: "👩‍👩‍👧 👍🏽",
  "a NUL": "a\u0000b",
  "other scripts": "\ufeff日本語 ไทย नमस्ते",
  "line breaks": "a\r\nb\u2028c",
  "an empty text": "",
};

export const hugeInput: Contract = {
  name: "answers to a text of a megabyte",
  check: async (subject) =>
    await eachText(subject, async (argument) => {
      const args = { ...subject.sample.args, [argument.name]: asArgument(argument, MEGABYTE) };
      requireHandled(await subject.call(args), `a megabyte of text in ${argument.name}`, args);
    }),
};

export const unicodeInput: Contract = {
  name: "answers to text of every kind",
  check: async (subject) =>
    await eachText(subject, async (argument) => {
      for (const [what, text] of Object.entries(TEXTS)) {
        const args = { ...subject.sample.args, [argument.name]: asArgument(argument, text) };
        requireHandled(await subject.call(args), `${what} in ${argument.name}`, args);
      }
    }),
};

async function eachText(subject: Subject, work: (argument: Argument) => Promise<void>): Promise<string | undefined> {
  const texts = subject.facts.arguments.filter(({ isText, isTextList }) => isText || isTextList);
  for (const argument of texts) {
    subject.clear();
    await work(argument);
  }
  return texts.length === 0 ? "it takes no text" : undefined;
}
