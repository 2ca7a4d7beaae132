import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

/** `run`: one turn of the agent. */
export const command: Command = {
  usage: 'run "<message>"',
  summary: "one turn of the agent until it answers",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const message = line.words.join(" ").trim();
    if (message === "") throw usageError('run needs a message: toolroom run "How many lines does README.md have?"');
    const host = await open();
    const interrupt = stopOnInterrupt();
    host.on("warning", ({ code, message: words }) => terminal.note(`warning ${code} ${words}`));
    try {
      const outcome = await host.run(message, { signal: interrupt.signal });
      if (terminal.json) terminal.value(outcome);
      // Words about a turn that was ended are no answer.
      else if (outcome.stopped) terminal.note(outcome.answer);
      else terminal.say(outcome.answer);
      const diagnostics = host.diagnostics();
      terminal.report(diagnostics);
      return outcome.stopped ? 1 : strictCode(line, diagnostics);
    } finally {
      interrupt.release();
    }
  },
};
