import { readFileSync, writeFileSync } from "node:fs";
import { settle } from "./trees.mjs";

/**
 * The prompts of a root with so many fragments, as a host assembles them: the bundled prompts around them.
 *
 * @returns `assemble(prompts?)`: the prompt, by default with everything that was read before; `createPrompts`: prompts
 *   with nothing read yet; `change()`: writes one fragment anew and reads the directories again
 */
export async function openPrompting(context, fragments) {
  const { openDiscovery } = await context.core("discovery/discovery.js");
  const { createPrompts } = await context.core("prompt/assemble.js");
  const tree = context.ownTree({ plugins: Math.ceil(fragments / 2) });
  // What has just been written is looked at twice: that is not what is measured.
  if (!context.smoke) await settle(tree);
  const discovery = openDiscovery({ root: tree.root, home: context.home, cacheDir: context.path("cache") });
  const toolsOf = (view) =>
    view.catalog.list("tool").map(({ id, winner }) => ({ id, description: id, parameters: null, file: winner.path }));
  const prompts = createPrompts();
  let view = discovery.view("default");
  let tools = toolsOf(view);
  let changes = 0;

  return {
    createPrompts,
    assemble: async (from = prompts) => await from.assemble({ view, tools, variables: { profile: "default" } }),
    change() {
      const [file] = tree.fragments;
      const text = readFileSync(file, "utf8");
      writeFileSync(file, text.replace(/Count the words of a text\..*/u, `Count the words of a text. Change ${changes++}.`));
      discovery.refresh();
      view = discovery.view("default");
      tools = toolsOf(view);
      return `Change ${changes - 1}.`;
    },
  };
}
