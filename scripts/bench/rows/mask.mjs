import { createHash } from "node:crypto";
import { timesFaster } from "../goals.mjs";
import { milliseconds } from "../harness.mjs";

const SECRETS = 100;
const HITS = 20;
const BYTES = 100 * 1024;
/** One pass is too short for the clock of a busy machine. */
const TIMES = 20;

/** Output of a tool in which a few of many secrets stand. Both sides give the same bytes. */
export const mask = {
  name: "masking 100 KB, 100 secrets, 20 hits",
  against: "a replaceAll loop",
  unit: "ms",
  rounds: 21,
  warmUp: () => 3,
  goal: () => timesFaster(20),
  async setup({ context }) {
    const { createMasker } = await context.core("governance/mask.js");
    const secrets = Array.from({ length: SECRETS }, (_, index) => ({
      name: `SECRET_${index}`,
      value: hash(`secret ${index}`).slice(0, 16 + (index % 25)),
    }));
    const text = outputWith(secrets);
    const { mask: masked } = createMasker(secrets);
    const looped = (given) =>
      secrets.reduce((left, { name, value }) => left.replaceAll(value, `§§secret(${name})`), given);
    if (masked(text) !== looped(text)) throw new Error("expected the same text from both");
    const times = context.smoke ? 1 : TIMES;
    const each = (run) => () =>
      milliseconds(() => {
        for (let round = 0; round < times; round++) run(text);
      }) / times;
    return { ours: each(masked), baseline: each(looped) };
  },
};

/** Lines as of a log: words, numbers, hashes. The same bytes each time. */
function outputWith(secrets) {
  const lines = [];
  for (let index = 0, bytes = 0; bytes < BYTES; index++) {
    const line = `2026-01-01T00:00:${index % 60} info request ${index} of /api/v1/items served in ${index % 97} ms, etag ${hash(`line ${index}`)}\n`;
    lines.push(line);
    bytes += line.length;
  }
  for (let hit = 0; hit < HITS; hit++) {
    const { value } = secrets[(hit * 7) % SECRETS];
    lines[Math.floor(((hit + 0.5) / HITS) * lines.length)] += `authorization: Bearer ${value}\n`;
  }
  // A text that was read, not one that was put together.
  return Buffer.from(lines.join("")).toString();
}

function hash(text) {
  return createHash("sha256").update(text).digest("base64url");
}
