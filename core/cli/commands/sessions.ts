import type { SessionInfo, ShownSession } from "../../agent/sessions.ts";
import type { TranscriptRecord } from "../../agent/transcript-records.ts";
import type { Host } from "../../host.ts";
import type { Command } from "../command.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

const ACTIONS = ["list", "show", "delete"] as const;

/** `sessions`: what was written down of conversations. */
export const command: Command = {
  usage: "sessions [list | show ID | delete ID …]",
  summary: "conversations that were written down; chat --resume ID goes on with one",
  options: {},
  optionHelp: {},
  async run({ line, terminal, host: open }) {
    const [word = "list", ...ids] = line.words;
    const action = ACTIONS.find((name) => name === word);
    if (!action) throw usageError(`sessions has the actions ${ACTIONS.join(", ")}, found "${word}"`);
    if (action === "list" && ids.length > 0) throw usageError(`sessions list takes no words, found "${ids.join(" ")}"`);
    if (action === "show" && ids.length !== 1) throw usageError(`sessions show takes one id, found ${ids.length}`);
    if (action === "delete" && ids.length === 0)
      throw usageError("sessions delete needs an id; sessions list shows them");
    const host = await open();
    if (action === "list") await list(host, terminal);
    else if (action === "show") await show(host, terminal, ids[0] as string);
    else await remove(host, terminal, ids);
    return 0;
  },
};

async function list({ sessions }: Host, terminal: Terminal): Promise<void> {
  const found = await sessions.list();
  if (terminal.json) return terminal.value({ sessions: found });
  if (found.length === 0) return terminal.say("There are no sessions. A chat makes one.");
  const rows = found.map(({ id, updated, profile, turns, state, title, parent, agent }) => [
    id,
    updated.slice(0, 16).replace("T", " "),
    profile ?? "?",
    String(turns),
    state,
    parent === null ? title : `${title} (${agent ?? "a subordinate"} of ${parent})`,
  ]);
  terminal.say(table([["session", "last used (UTC)", "profile", "turns", "state", "began with"], ...rows]));
}

async function show({ sessions }: Host, terminal: Terminal, id: string): Promise<void> {
  const session = await sessions.show(id);
  if (terminal.json) return terminal.value(session);
  terminal.say([headOf(session), ...session.records.flatMap(linesOf)].join("\n"));
  for (const { line, fault } of session.damaged) terminal.note(`line ${line} could not be read: ${fault}`);
}

async function remove({ sessions }: Host, terminal: Terminal, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await sessions.delete(id);
    if (!terminal.json) terminal.say(`deleted ${id}`);
  }
  if (terminal.json) terminal.value({ deleted: ids });
}

function headOf({ id, profile, model, parent, agent, turns, state }: SessionInfo & ShownSession): string {
  const of = parent === null ? "" : `, ${agent ?? "a subordinate"} of ${parent}`;
  return `session ${id}: profile ${profile ?? "?"}, model ${model ?? "?"}, ${turns} turns, ${state}${of}`;
}

/** A record as a person reads it; what only a host needs is left out. */
function linesOf(record: TranscriptRecord): readonly string[] {
  switch (record.type) {
    case "user":
      return ["", `[${record.kind === "message" ? "you" : record.kind}] ${record.content}`];
    case "assistant": {
      const calls = (record.calls ?? []).map(({ name, args }) => `  → ${name} ${JSON.stringify(args ?? {})}`);
      const said = record.content.trim() === "" ? [] : [`[agent] ${record.content}${record.partial ? " …" : ""}`];
      return [...said, ...calls];
    }
    case "result":
      return [`  ← ${record.name} ${record.code ?? record.status}: ${record.content}`];
    case "compaction":
      return ["", `[summary by ${record.by}] ${record.content}`];
    case "subordinate":
      return [`  ⇢ ${record.id}, profile ${record.profile}: session ${record.session}`];
    case "job":
      return record.state === "ended"
        ? [`  ⇠ ${record.id} ${record.name} ${record.code ?? record.status}: ${record.content}`]
        : [];
    case "turn":
      return record.stopped === undefined ? [] : [`[stopped: ${record.stopped}] ${record.answer}`];
    case "resumed":
      return ["", `[resumed ${record.ts}]`];
    default:
      return [];
  }
}
