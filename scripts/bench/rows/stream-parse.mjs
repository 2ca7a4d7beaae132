import { ratioAtMost } from "../goals.mjs";

/** Characters of a piece: about those of a token, which is what providers send. */
const PIECE = 4;
const CHARACTERS = 1_000_000;
/** Prose with what has to be looked at twice: quotes, brackets, line breaks, backslashes. */
const SENTENCE =
  'He said "a {brace}, a [bracket]", and wrote C:\\temp\\notes.txt.\nThen nothing of note for a long while. ';

/** A long reply by the JSON protocol, read as the agent reads it. Without the scan the same pieces are read and kept. */
export const streamParse = {
  name: "a reply of 1 MB, read and parsed while it comes",
  against: "reading it",
  unit: "ms",
  rounds: 21,
  warmUp: () => 5,
  goal: () => ratioAtMost(1.2),
  async setup({ context }) {
    const { createExtractor } = await context.core("agent/extract.js");
    const { readReply } = await context.core("agent/reply.js");
    const characters = context.smoke ? 1_000 : CHARACTERS;
    const answer = SENTENCE.repeat(Math.ceil(characters / SENTENCE.length));
    const pieces = piecesOf(JSON.stringify({ thoughts: [], tool_name: "response", tool_args: { text: answer } }));
    const model = {
      async *stream() {
        yield* pieces;
      },
    };
    const read = async (text) => {
      const request = { signal: new AbortController().signal };
      return await readReply(model, request, { text, reasoning() {}, checkpoint() {} });
    };
    const timed = async (run) => {
      const start = performance.now();
      await run();
      return performance.now() - start;
    };
    return {
      ours: () =>
        timed(async () => {
          const extractor = createExtractor({ protocol: "json", id: "id", tools: [] });
          const { requests } = await extractor.end(await read(extractor.push));
          if (requests[0]?.args.text !== answer) throw new Error("expected the request of the reply");
        }),
      baseline: () => timed(() => read(() => true)),
    };
  },
};

/** Each a text of its own, as what comes from a socket is. */
function piecesOf(text) {
  const count = Math.ceil(text.length / PIECE);
  return Array.from({ length: count }, (_, index) => {
    const piece = text.slice(index * PIECE, (index + 1) * PIECE);
    return { type: "text", text: Buffer.from(piece).toString() };
  });
}
