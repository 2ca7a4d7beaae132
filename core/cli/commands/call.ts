import { approverAt } from "../approver.ts";
import { readArguments } from "../call-arguments.ts";
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
    const approver = approverAt(terminal);
    const host = await open(approver ? { approver } : {});
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
