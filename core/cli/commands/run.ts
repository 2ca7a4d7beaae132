import { HostError } from "../../sdk/errors.ts";
import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";
import { switchOption } from "../options.ts";

/** `run`: one turn of the agent. */
export const command: Command = {
  usage: 'run "<message>"',
  summary: "one turn of the agent until it answers",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const message = line.words.join(" ").trim();
    if (message === "")
      throw new HostError("USAGE", 'run needs a message: toolroom run "How many lines does README.md have?"', {
        kind: "usage",
      });
    const host = await open();
    const interrupt = stopOnInterrupt();
    try {
      const outcome = await host.run(message, { signal: interrupt.signal });
      if (terminal.json) terminal.value(outcome);
      else terminal.say(outcome.answer);
      const diagnostics = host.diagnostics();
      terminal.report(diagnostics);
      if (outcome.stopped) return 1;
      return switchOption(line, "strict") && diagnostics.some((item) => item.severity === "error") ? 1 : 0;
    } finally {
      interrupt.release();
    }
  },
};
