import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { watch } from "chokidar";
import { atMost } from "../goals.mjs";
import { openSaving, wordToolText } from "../saving.mjs";

const SAVES = 1_000;
/** So many files are saved at a time. */
const FILES = 20;
/** From here on after the last write nothing but that text may run. */
const SETTLED_MS = 150;
const WAYS = ["plain", "truncate", "rename"];

/** Saves of three kinds, many of them double, 0 to 80 ms apart; after each round every tool must be the last text. */
export const lostSaves = {
  name: "saves lost or stale, of 1,000",
  against: "chokidar's change alone",
  unit: "saves",
  counted: true,
  rounds: 1,
  warmUp: () => 0,
  goal: () => atMost(0, "saves"),
  async setup({ context }) {
    const ours = await openSaving(context, { plugins: 2, words: FILES });
    const total = context.smoke ? FILES : SAVES;
    const naive = await watchNaively(ours.tools);
    return {
      ours: () => countLost(ours, total, async (tool) => await ours.read(tool)),
      baseline: () => countLost(ours, total, (tool) => naive.seen(tool.file)),
      async close() {
        await naive.close();
        await ours.close();
      },
    };
  },
};

async function countLost({ tools, writer }, total, read) {
  let lost = 0;
  for (let done = 0; done < total; done += tools.length) {
    const words = await Promise.all(
      tools.map(async (tool, index) => {
        const save = done + index;
        const word = `${read.name} ${save}`;
        const double = save % 2 === 0;
        await writer.write({
          file: tool.file,
          texts: [...(double ? [wordToolText(`first of ${word}`)] : []), wordToolText(word)],
          gaps: [(save * 7) % 81],
          way: WAYS[save % WAYS.length],
        });
        return word;
      }),
    );
    await sleep(SETTLED_MS);
    const found = await Promise.all(tools.map(read));
    lost += found.filter((word, index) => word !== words[index]).length;
  }
  return lost;
}

/** What somebody serves who reads a file when chokidar says that it changed. */
async function watchNaively(tools) {
  const words = new Map();
  const wordOf = (file) => /word: string = "(.*)";/.exec(readFileSync(file, "utf8"))?.[1];
  const watcher = watch(
    tools.map(({ file }) => file),
    { ignoreInitial: true },
  );
  watcher.on("change", (file) => words.set(file, wordOf(file)));
  await new Promise((resolve) => watcher.once("ready", resolve));
  return { seen: (file) => words.get(file), close: () => watcher.close() };
}
