import { parseArguments } from "../../sdk/arguments.ts";
import { HostError } from "../../sdk/errors.ts";
import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";

/** `call`: one call through the whole dispatch, without a model. */
export const command: Command = {
  usage: "call <tool[:method]> [key=value … | one JSON object]",
  summary: "one call through the whole dispatch, without a model",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const [name, ...words] = line.words;
    if (name === undefined)
      throw new HostError("USAGE", "call needs a tool: toolroom call <tool> key=value …", { kind: "usage" });
    const host = await open();
    const parsed = parseArguments(words, await host.parameters(name));
    if ("error" in parsed && parsed.error.kind === "usage")
      throw new HostError("USAGE", parsed.error.message, { kind: "usage" });
    const interrupt = stopOnInterrupt();
    try {
      const options = { signal: interrupt.signal };
      // Text that is no JSON goes on as it is: dispatch refuses it as INVALID_JSON, like a model's.
      const result = await host.call(name, "error" in parsed ? words.join(" ") : parsed.args, options);
      if (terminal.json) terminal.value(result);
      else if (result.status === "error") terminal.note(result.message);
      else terminal.say(result.message);
      return result.status === "error" ? 1 : 0;
    } finally {
      interrupt.release();
    }
  },
};
