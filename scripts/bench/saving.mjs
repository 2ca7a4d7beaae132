import { fork } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { watch } from "chokidar";
import { createJiti } from "jiti";
import { settle } from "./trees.mjs";

/** Longer than the watcher's second look, so that one save is not counted to the burst of another. */
const QUIET_MS = 130;

const EXAMPLE = readFileSync(new URL("../../plugins/_files/tools/word_count.ts", import.meta.url), "utf8");

/** The worked example of the tools, in one file, which answers with a word. */
export function wordToolText(word) {
  const edits = [
    [/^import .*missing\.ts";\n/mu, ""],
    [/^import .*one-line\.ts";\n/mu, ""],
    ["oneLine(workspace.relative(path))", "workspace.relative(path)"],
    [/^import .*text-file\.ts";\n/mu, 'const many = (count: number, unit: string) => count + " " + unit;\n'],
    [/withNextStep\(workspace, path, \(\) => (.*)\);/u, "$1;"],
    ["z.string().min(1)", "z.string().optional()"],
    ["  static readonly output = output;\n", `  readonly word: string = ${JSON.stringify(word)};\n`],
    ["async execute(", "async execute() {\n    return this.success(this.word);\n  }\n\n  async count("],
  ];
  const alone = edits.reduce((text, [from, to]) => {
    const edited = text.replace(from, to);
    if (edited === text) throw new Error(`expected ${from} in the worked example`);
    return edited;
  }, EXAMPLE);
  const left = /from "\..*"/u.exec(alone);
  if (left) throw new Error(`expected the worked example in one file, found an import ${left[0]}`);
  return alone;
}

/** Another process that writes. */
function startWriter(context) {
  const child = fork(context.child("writer"));
  const waiting = new Map();
  let next = 0;
  child.on("message", ({ id, at }) => {
    waiting.get(id)?.(BigInt(at));
    waiting.delete(id);
  });
  return {
    /** Resolves with when the last text was written, in ns of the monotonic clock. */
    write: (order) =>
      new Promise((resolve) => {
        const id = next++;
        waiting.set(id, resolve);
        child.send({ ...order, id });
      }),
    close: () => child.disconnect(),
  };
}

/**
 * A root of so many plugins with a host that watches it, and tools of one word each.
 *
 * @param options `probe`; `words`: how many such tools, all in one plugin
 */
export async function openSaving(context, { plugins, probe = false, words = 1 }) {
  const { createHost } = await context.core("host.js");
  const tree = context.ownTree({ plugins });
  const directory = join(tree.root, "usr/plugins/plugin_00000/tools");
  const tools = Array.from({ length: words }, (_, index) => {
    const name = `word_${index}`;
    const file = join(directory, `${name}.ts`);
    writeFileSync(file, wordToolText("first"));
    return { name, file };
  });
  if (!context.smoke) await settle(tree);
  const host = await createHost({ root: tree.root, workspace: tree.root, env: {}, trust: true, watch: true, probe });
  const read = async ({ name }) => {
    const { status, message } = await host.call(name, {});
    if (status !== "success") throw new Error(`expected ${name} to answer, found ${message}`);
    return message;
  };
  for (const tool of tools) await read(tool);
  const writer = startWriter(context);
  let saves = 0;

  return {
    host,
    tools,
    read,
    writer,
    /** One save; the milliseconds until a call answers with what was saved. */
    async save({ restMs = QUIET_MS } = {}) {
      const [tool] = tools;
      const word = `save ${saves++}`;
      const served = new Promise((resolve, reject) => {
        // The file may be seen while it is being written: then there is another one.
        const off = host.on("reload", () => {
          read(tool).then((said) => {
            if (said !== word) return;
            off();
            resolve(process.hrtime.bigint());
          }, reject);
        });
      });
      const at = await writer.write({ file: tool.file, texts: [wordToolText(word)] });
      const ms = Number((await served) - at) / 1e6;
      await sleep(restMs);
      return ms;
    },
    async close() {
      writer.close();
      await host.close();
    },
  };
}

/** The same save, seen by the same events and loaded by jiti as it comes. */
export async function openStockSaving(context) {
  const directory = context.path("stock");
  mkdirSync(directory);
  const file = join(directory, "word.ts");
  writeFileSync(file, wordToolText("first"));
  const sdk = await context.core("index.js");
  const jiti = createJiti(`${directory}/`, { moduleCache: false, fsCache: false, virtualModules: { toolroom: sdk } });
  const load = async () => new (await jiti.import(file)).default().word;
  // What is wrong with the example shows before anything is open that keeps the process alive.
  await load();
  const watcher = watch(directory, { ignoreInitial: true, depth: 0 });
  await new Promise((resolve) => watcher.once("ready", resolve));
  const writer = startWriter(context);
  let saves = 0;

  return {
    async save() {
      const word = `save ${saves++}`;
      const seen = new Promise((resolve) => watcher.once("raw", resolve));
      const at = await writer.write({ file, texts: [wordToolText(word)] });
      await seen;
      while ((await load()) !== word);
      const ms = Number(process.hrtime.bigint() - at) / 1e6;
      await sleep(QUIET_MS);
      return ms;
    },
    async close() {
      writer.close();
      await watcher.close();
    },
  };
}
