import type { Host } from "../../host.ts";
import { parseArguments } from "../../sdk/arguments.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

/** `call`: one call through the whole dispatch, without a model. */
export const command: Command = {
  usage: "call <tool[:method]> [key=value … | one JSON object]",
  summary: "one call through the whole dispatch, without a model",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const [name, ...words] = line.words;
    if (name === undefined) throw usageError("call needs a tool: toolroom call <tool> key=value …");
    const host = await open();
    const args = await readArguments(host, name, words);
    const interrupt = stopOnInterrupt();
    try {
      const result = await host.call(name, args, { signal: interrupt.signal });
      if (terminal.json) terminal.value(result);
      else if (result.status === "error") terminal.note(result.message);
      else terminal.say(result.message);
      const diagnostics = host.diagnostics();
      terminal.report(diagnostics);
      return result.status === "error" ? 1 : strictCode(line, diagnostics);
    } finally {
      interrupt.release();
    }
  },
};

async function readArguments(host: Host, name: string, words: readonly string[]): Promise<JsonObject | string> {
  const parsed = parseArguments(words, await host.parameters(name));
  if (!("error" in parsed)) return parsed.args;
  if (parsed.error.kind === "usage") throw usageError(parsed.error.message);
  // Text that is no JSON goes on as it is: dispatch refuses it as INVALID_JSON, like a model's.
  return words.join(" ");
}
