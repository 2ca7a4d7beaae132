import type { ReloadReceipt } from "../../core/sdk/events.ts";
import type { Tree } from "../helpers/tree.ts";
import { type House, openHouse, pluginFiles } from "./house.ts";

/** The plugin that {@link watched} begins with, by its files. */
export const TOOL = "usr/plugins/greeter/tools/greet.ts";
export const FRAGMENT = "usr/plugins/greeter/prompts/agent.system.tool.greet.md";
export const MANIFEST = "usr/plugins/greeter/plugin.yaml";
export const FILES = pluginFiles("greeter", "greet", "hello");

/** A host that watches, with what it told. */
export interface Watched extends House {
  readonly receipts: readonly ReloadReceipt[];
  /** Waits for it; it is asked again and again. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
  /** What a call of a tool answers, or the code of its error. */
  answer(tool: string): Promise<string>;
  /** Waits until a call answers so. */
  answers(tool: string, word: string): Promise<void>;
  /** The same of `greet`. */
  greet(): Promise<string>;
  greets(word: string): Promise<void>;
  /** Waits until a change that is made now has been taken up, and so all that were made before it. */
  caughtUp(): Promise<void>;
}

/** Opens a host that watches a fresh root with these files. */
export async function watched(files: Tree = FILES, options: Parameters<typeof openHouse>[1] = {}): Promise<Watched> {
  const house = await openHouse(files, { watch: true, ...options });
  const receipts: ReloadReceipt[] = [];
  house.host.on("reload", (receipt) => receipts.push(receipt));
  let marks = 0;
  const until: Watched["until"] = async (condition) => {
    const end = Date.now() + 15_000;
    while (!(await condition())) {
      if (Date.now() > end) throw new Error(`it did not come about; ${JSON.stringify(receipts)}`);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const answer = async (tool: string): Promise<string> => {
    const { message, error } = await house.host.call(tool, {});
    return error?.code ?? message;
  };
  const answers = async (tool: string, word: string) => await until(async () => (await answer(tool)) === word);
  return {
    ...house,
    receipts,
    until,
    answer,
    answers,
    greet: async () => await answer("greet"),
    greets: async (word) => await answers("greet", word),
    async caughtUp() {
      const path = `usr/prompts/fw.mark_${marks++}.md`;
      house.write({ [path]: "mark" });
      await until(() => receipts.some((receipt) => receipt.files.includes(path)));
      // The second look at what was written.
      await new Promise((resolve) => setTimeout(resolve, 150));
    },
  };
}

/** What `list` says of a tool. */
export const statusOf = async ({ host }: House, name: string) =>
  (await host.list()).tools.find((tool) => tool.name === name);
