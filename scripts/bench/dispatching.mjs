import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trivialToolText } from "./content.mjs";

const ARGS = Object.freeze({ text: "done" });

/**
 * A host over a tree of `tools` tools and one that does next to nothing, which is loaded and called once. Its log
 * goes to a file, as it does by default.
 *
 * @param settings the text of `usr/settings.yaml`, where the row is about one
 * @returns `{call, run, close}`: `call` goes through all stages of dispatch, `run` is a turn of a new agent that calls
 *   the tool and answers
 */
export async function openDispatching(context, tools, settings) {
  const { root } = context.ownTree({ plugins: Math.ceil(tools / 2) });
  const directory = join(root, "usr/tools");
  mkdirSync(directory);
  writeFileSync(join(directory, "trivial.ts"), trivialToolText());
  if (settings !== undefined) writeFileSync(join(root, "usr/settings.yaml"), settings);
  const { createHost } = await context.core("host.js");
  const host = await createHost({ root, workspace: root, env: {}, trust: true });
  const call = async () => await host.call("trivial", ARGS);
  const { status, message } = await call();
  if (status !== "success") throw new Error(`expected a call that succeeds, found: ${message}`);
  const run = async () => {
    const { calls, answer } = await host.run(`/trivial text=${ARGS.text}`);
    if (calls[0]?.name !== "trivial" || answer !== ARGS.text) throw new Error(`expected a call, found: ${answer}`);
  };
  return { call, run, close: () => host.close() };
}

/** Calls `execute` of the same tool, with nothing around it. */
export async function openDirectCall(context) {
  const { Tool, bindTool } = await context.core("sdk/tool.js");
  class Trivial extends Tool {
    async execute({ text }) {
      return this.success(text);
    }
  }
  const tool = new Trivial();
  const host = { owner: "core", generation: 1, requested: ARGS, elapsedMs: () => 0, pathResolved: () => undefined };
  bindTool(tool, { name: "trivial", host });
  return async () => await tool.execute(ARGS);
}
