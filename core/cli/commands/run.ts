import type { Agent, Host } from "../../host.ts";
import { approverAt } from "../approver.ts";
import type { Command } from "../command.ts";
import { stopOnInterrupt } from "../interrupt.ts";
import { switchOption, textOption } from "../options.ts";
import { strictCode } from "../strict.ts";
import type { Terminal } from "../terminal.ts";
import { tellUnasked } from "../unasked.ts";
import { usageError } from "../usage.ts";

/** `run`: one turn of the agent. */
export const command: Command = {
  usage: 'run "<message>" [--session new | latest | ID] [--events]',
  summary: "one turn of the agent until it answers",
  options: { session: { type: "string" }, events: { type: "boolean" } },
  optionHelp: {
    session: "write the turn down: in a new session, the one that was last used, or this one",
    events: "each event as one line of JSON on stdout; the last one is turn_end, with the answer",
  },
  async run({ line, terminal, host: open }) {
    const message = line.words.join(" ").trim();
    if (message === "") throw usageError('run needs a message: toolroom run "How many lines does README.md have?"');
    const events = switchOption(line, "events");
    if (events && terminal.json) throw usageError("expected --json (one value) or --events (one a line), found both");
    // Who reads events reads them by a program, which nobody sits at.
    const approver = events ? undefined : approverAt(terminal);
    const host = await open(approver ? { approver } : {});
    const unasked = tellUnasked(host, terminal);
    const interrupt = stopOnInterrupt();
    if (events) streamEvents(host, terminal);
    else host.on("warning", ({ code, message: words }) => terminal.note(`warning ${code} ${words}`));
    try {
      const session = textOption(line, "session");
      const agent = await host.agent(session === undefined ? {} : { session });
      const outcome = await agent.run(message, { signal: interrupt.signal });
      if (session !== undefined) terminal.note(`session ${agent.id}`);
      if (terminal.json) terminal.value(session === undefined ? outcome : { ...outcome, session: agent.id });
      else if (!events) showAnswer(outcome, terminal);
      const diagnostics = host.diagnostics();
      terminal.report(diagnostics);
      return outcome.stopped || unasked() ? 1 : strictCode(line, diagnostics);
    } finally {
      interrupt.release();
    }
  },
};

function showAnswer({ answer, stopped }: Awaited<ReturnType<Agent["run"]>>, terminal: Terminal): void {
  // Words about a turn that was ended are no answer.
  if (stopped) terminal.note(answer);
  else terminal.say(answer);
}

/** Writes the events of the first turn, those of its subordinates among them; what comes after its end is not its own. */
function streamEvents(host: Host, terminal: Terminal): void {
  let turnId: string | undefined;
  const stop = host.onAny((event) => {
    if (event.type === "turn_start") turnId ??= event.turnId;
    terminal.line(event);
    if (event.type === "turn_end" && event.turnId === turnId) stop();
  });
}
