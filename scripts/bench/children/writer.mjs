// Writes files when it is told to, each by a process that is not the watching one. Takes messages {file, texts, gaps, way}:
// `texts` are written one after the other with `gaps` (ms) between them, the last one in the way `plain`, `truncate`
// (emptied, then written) or `rename` (another file takes its place). Answers with {at}: when the last one was written,
// in ns of the monotonic clock.
import { closeSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const WAYS = {
  plain: (file, text) => writeFileSync(file, text),
  truncate(file, text) {
    const opened = openSync(file, "w");
    writeSync(opened, text);
    closeSync(opened);
  },
  rename(file, text) {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  },
};

process.on("message", async ({ id, file, texts, gaps = [], way = "plain" }) => {
  for (const [index, text] of texts.entries()) {
    if (index > 0) await sleep(gaps[index - 1]);
    (index === texts.length - 1 ? WAYS[way] : WAYS.plain)(file, text);
  }
  process.send({ id, at: String(process.hrtime.bigint()) });
});
process.on("disconnect", () => process.exit());
