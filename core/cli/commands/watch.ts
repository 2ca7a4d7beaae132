import type { Diagnostic } from "../../diagnostics.ts";
import type { Host } from "../../host.ts";
import type { ReloadReceipt } from "../../sdk/events.ts";
import { type ChatInput, openChatInput } from "../chat-input.ts";
import type { Command } from "../command.ts";
import { endOnSignal } from "../interrupt.ts";
import { isOperatorCommand, OPERATOR_HELP, operate } from "../operator-commands.ts";
import { switchOption } from "../options.ts";
import { reloadBlock } from "../reload-text.ts";
import { strictCode } from "../strict.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

const HELP = `/help           this text
${OPERATOR_HELP}
/quit           end (also Ctrl-C)`;

/** `watch`: serves nothing, and tells what each change of the content comes to. */
export const command: Command = {
  usage: "watch [--events]",
  summary: "tells of each change of the content what came of it; /help lists its commands, Ctrl-C ends it",
  options: { events: { type: "boolean" } },
  optionHelp: { events: "each event as one line of JSON on stdout" },
  async run({ line, terminal: given, host: open }) {
    if (line.words.length > 0) throw usageError(`watch takes no words, found "${line.words.join(" ")}"`);
    const events = switchOption(line, "events");
    if (events && given.json) {
      throw usageError("expected --json (one value at the end) or --events (one a line), found both");
    }
    // With --events, too, stdout is for programs.
    const terminal: Terminal = events ? { ...given, say: given.note } : given;
    const host = await open({ watch: "all", probe: true });
    // So that each receipt tells what became of it.
    await host.prompt();
    // Only now: until here a signal ends the process, whatever content does.
    const ending = endOnSignal();
    try {
      const last = await follow({ host, terminal, events, ended: ending.ended });
      if (terminal.json) terminal.value(host.generations.list());
      const strict = switchOption(line, "strict");
      return strict && last?.status === "failed" ? 1 : strictCode(line, host.diagnostics());
    } finally {
      ending.release();
    }
  },
};

interface Following {
  readonly host: Host;
  readonly terminal: Terminal;
  readonly events: boolean;
  /** Resolves when a signal ends it. */
  readonly ended: Promise<void>;
}

/** Tells of changes and obeys, until somebody ends it. @returns the last receipt */
async function follow({ host, terminal, events, ended }: Following): Promise<ReloadReceipt | undefined> {
  const input = openChatInput(terminal);
  let last: ReloadReceipt | undefined;
  const tell = (receipt: ReloadReceipt): void => {
    last = receipt;
    input.aside(() => {
      if (!events) terminal.say(reloadBlock(receipt));
      terminal.report(beside(receipt, host.diagnostics()));
    });
  };
  const offs = [
    ...(events ? [host.onAny((event) => terminal.line(event))] : []),
    host.on("reload", tell),
    host.on("stale_call", () => input.aside(() => terminal.report(host.diagnostics()))),
  ];
  const { generation, watching } = await host.status();
  const how = watching?.mode === "polling" ? "polling" : `${watching?.directories ?? 0} directories`;
  terminal.note(`watching ${host.root} (${how}), generation ${generation}. /help lists the commands.`);
  terminal.report(host.diagnostics());
  await obey({ host, terminal, input, ended });
  for (const off of offs) off();
  input.close();
  return last;
}

/** What is wrong and was not told with the receipt. */
function beside({ diagnostics }: ReloadReceipt, all: readonly Diagnostic[]): readonly Diagnostic[] {
  return all.filter(({ code, file, message }) =>
    diagnostics.every((told) => told.code !== code || told.file !== file || told.message !== message),
  );
}

async function obey({
  host,
  terminal,
  input,
  ended,
}: Pick<Following, "host" | "terminal" | "ended"> & { readonly input: ChatInput }): Promise<void> {
  // Nothing else keeps the process alive where the input has ended.
  const alive = setInterval(() => {}, 2 ** 30);
  const over = ended.then(() => "over" as const);
  try {
    for (;;) {
      const typed = await Promise.race([input.next(), over]);
      if (typed === "over") return;
      if (typed === undefined) {
        // In the background there is nobody to type; at a terminal it was Ctrl-D.
        if (terminal.stdin.isTTY !== true) await ended;
        return;
      }
      const command = typed.trim();
      if (command === "/quit" || command === "/exit") return;
      if (command === "/help") terminal.say(HELP);
      else if (isOperatorCommand(command)) await operate(command, { host, terminal });
      else if (command !== "") terminal.note(`There is no command ${command}; /help lists those that there are.`);
    }
  } finally {
    clearInterval(alive);
  }
}
