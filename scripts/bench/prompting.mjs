import { readFileSync, writeFileSync } from "node:fs";
import { settle } from "./trees.mjs";

/** The prompt files that grow with the content: the sections of the system prompt that the bundled plugin makes of them. */
const FILES = ["agent.system.main.md", "agent.system.tools.md"];

/**
 * The prompts of a root with so many fragments and the bundled prompts around them.
 *
 * @returns `again()`: the prompt from what was read before; `fromNothing()`: the milliseconds of reading, parsing and
 *   rendering everything; `change()`: writes one fragment anew, looks at that file again as a watcher has it done, and
 *   gives words that the next prompt must hold
 */
export async function openPrompting(context, fragments) {
  const { openDiscovery } = await context.core("discovery/discovery.js");
  const { createPrompts } = await context.core("prompt/assemble.js");
  const tree = context.ownTree({ plugins: Math.ceil(fragments / 2) });
  // What has just been written would be looked at twice: that is not what is measured.
  if (!context.smoke) await settle(tree);
  const places = { root: tree.root, home: context.home };

  const discovery = openDiscovery(places);
  const prompts = createPrompts();
  let input = inputOf(discovery);
  let changes = 0;

  return {
    again: async () => await render(prompts, input),
    async fromNothing() {
      const fresh = inputOf(openDiscovery(places));
      const start = performance.now();
      await render(createPrompts(), fresh);
      return performance.now() - start;
    },
    change() {
      const [file] = tree.fragments;
      const words = `Count the words of a text. Change ${changes++}.`;
      writeFileSync(file, readFileSync(file, "utf8").replace(/^Count the words of a text\..*/mu, words));
      discovery.refresh({ only: [file] });
      input = inputOf(discovery);
      return words;
    },
  };
}

/** @returns the text of the last file, which holds the fragments */
async function render(prompts, input) {
  let text = "";
  for (const part of input) ({ text } = await prompts.assemble(part));
  return { text };
}

function inputOf(discovery) {
  const view = discovery.view("default");
  const found = view.catalog.list("tool").filter(({ winner }) => winner);
  const tools = found.map(({ id, winner }) => ({ id, description: id, parameters: null, file: winner.path }));
  return FILES.map((file) => ({ view, tools, variables: { profile: "default" }, file }));
}
