import { mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ratioAtMost } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";

const BYTES = 10 * 1024 * 1024;

/** A whole call: the file is opened, checked and read, its lines are counted, and as many as can be shown are numbered. */
export const fileRead = {
  name: "file_read of 10 MB",
  against: "readFile and numbering its lines",
  unit: "ms",
  rounds: 15,
  warmUp: () => 3,
  goal: () => ratioAtMost(1.5),
  async setup({ context }) {
    const workspace = context.path("workspace");
    mkdirSync(workspace);
    const file = join(workspace, "long.txt");
    const text = textOf(context.smoke ? 10_000 : BYTES);
    writeFileSync(file, text);
    const { createHost } = await context.core("host.js");
    const { root } = context.ownTree({ plugins: 2 });
    const host = await createHost({ root, workspace, env: {}, trust: true });
    const ours = async () => await host.call("file_read", { path: "long.txt" });
    const baseline = async () => numbered(await readFile(file, "utf8"));
    const { data, message } = await ours();
    const first = (await baseline()).slice(0, 1000);
    if (data.bytes !== text.length || !message.includes(first))
      throw new Error(`expected its lines, found: ${message}`);
    const each = (run) => async () => (await microsecondsEach(1, run)) / 1000;
    return { ours: each(ours), baseline: each(baseline), close: () => host.close() };
  },
};

function numbered(text) {
  let made = "";
  let number = 1;
  for (const line of text.split("\n")) made += `${number++}: ${line}\n`;
  return made;
}

/** Lines as of a source text. The same bytes each time. */
function textOf(bytes) {
  const lines = [];
  for (let index = 0, length = 0; ; index++) {
    const line = `  const value${index} = read("setting-${(index * 7919) % 1000}", { fallback: ${index % 97} });\n`;
    length += line.length;
    if (length > bytes) return lines.join("");
    lines.push(line);
  }
}
