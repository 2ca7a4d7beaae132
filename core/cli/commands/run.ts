import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";
import { textOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import { usageError } from "../usage.ts";

/** `run`: one turn of the agent. */
export const command: Command = {
  usage: 'run "<message>" [--session new | latest | ID]',
  summary: "one turn of the agent until it answers",
  options: { session: { type: "string" } },
  optionHelp: { session: "write the turn down: in a new session, the one that was last used, or this one" },
  async run({ line, terminal, host: open }) {
    const message = line.words.join(" ").trim();
    if (message === "") throw usageError('run needs a message: toolroom run "How many lines does README.md have?"');
    const host = await open();
    const interrupt = stopOnInterrupt();
    host.on("warning", ({ code, message: words }) => terminal.note(`warning ${code} ${words}`));
    try {
      const session = textOption(line, "session");
      const agent = await host.agent(session === undefined ? {} : { session });
      const outcome = await agent.run(message, { signal: interrupt.signal });
      if (session !== undefined) terminal.note(`session ${agent.id}`);
      if (terminal.json) terminal.value(session === undefined ? outcome : { ...outcome, session: agent.id });
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
