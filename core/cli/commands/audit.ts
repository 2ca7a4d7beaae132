import type { AuditLine } from "../../governance/audit-line.ts";
import type { AuditFilter } from "../../governance/audit-reader.ts";
import { LEDGER_OUTCOMES } from "../../governance/ledger-lines.ts";
import { visibleLine } from "../../governance/visible-text.ts";
import type { Host } from "../../host.ts";
import type { Command, CommandContext } from "../command.ts";
import { endOnSignal } from "../interrupt.ts";
import { type CommandLine, switchOption, textOption } from "../options.ts";
import { table } from "../table.ts";
import { usageError } from "../usage.ts";

const ACTIONS: readonly string[] = ["tail", "search"];
const DECISIONS = ["run", "ask", "block"] as const;
const FILTERS = ["tool", "decision", "code", "outcome", "session", "agent", "face", "since", "text"] as const;

/** So many lines, where nothing else is said. */
const TAIL = 10;
const SEARCH = 50;

/** `audit`: what was decided of calls, why, and what came of it. */
export const command: Command = {
  usage: "audit [tail [-n N] [--follow] | search]",
  summary: "what was decided of calls, why, and what came of it",
  options: {
    ...Object.fromEntries(FILTERS.map((name) => [name, { type: "string" as const }])),
    limit: { type: "string", short: "n" },
    follow: { type: "boolean", short: "f" },
  },
  optionHelp: {
    tool: "calls of this tool",
    decision: `what was decided (${DECISIONS.join(", ")})`,
    code: "calls that ended with this code",
    outcome: `how they ended (${LEDGER_OUTCOMES.join(", ")})`,
    session: "calls of this conversation",
    agent: "calls of agents of this profile",
    face: "calls that came from there (cli, library, delegate, …)",
    since: "not before this time (ISO 8601)",
    text: "lines that hold this text",
    limit: `so many, the newest (default: tail ${TAIL}, search ${SEARCH})`,
    follow: "tail: goes on with each line as it is written, until Ctrl-C; with --json one line of JSON each",
  },
  async run(context) {
    const { line } = context;
    const [action = "tail", ...words] = line.words;
    if (!ACTIONS.includes(action)) throw usageError(`audit has the actions ${ACTIONS.join(", ")}, found "${action}"`);
    if (words.length > 0) throw usageError(`audit ${action} takes no words, found ${words.join(" ")}`);
    const follow = switchOption(line, "follow");
    if (follow && action !== "tail") throw usageError("--follow belongs to audit tail");
    const filter = filterOf(line);
    const limit = limitOf(line) ?? (action === "tail" ? TAIL : SEARCH);
    const host = await context.host();
    return follow ? await tail(host, context, { filter, limit }) : await list(host, context, { filter, limit });
  },
};

interface Asked {
  readonly filter: AuditFilter;
  readonly limit: number;
}

async function list({ audit }: Host, { terminal }: CommandContext, { filter, limit }: Asked): Promise<number> {
  const { lines, broken, lost } = await audit.search({ ...filter, limit });
  if (terminal.json) terminal.value({ lines, broken, lost });
  else if (lines.length > 0) terminal.say(table([HEAD, ...lines.map(rowOf)]));
  else
    terminal.say("There are none. What is decided of calls is written down unless the setting audit.enabled is false.");
  if (broken > 0) terminal.note(`${broken} lines of ${audit.file} are no JSON.`);
  if (lost > 0) terminal.note(`${lost} lines could not be written.`);
  return 0;
}

async function tail({ audit }: Host, { terminal }: CommandContext, { filter, limit }: Asked): Promise<number> {
  const ending = endOnSignal();
  const stop = new AbortController();
  const tell = (line: AuditLine): void => {
    if (terminal.json) terminal.line(line);
    else terminal.say(rowOf(line).join("  "));
  };
  void ending.ended.then(() => stop.abort());
  try {
    const { lines } = await audit.search({ ...filter, limit });
    for (const line of lines) tell(line);
    await audit.follow(tell, { filter, signal: stop.signal });
    return 0;
  } finally {
    ending.release();
  }
}

const HEAD = ["time (UTC)", "from", "agent", "tool", "decision", "outcome", "why"];

function rowOf({ time, face, agent, subordinate, tool, decision, approver, outcome, code, rule, summary }: AuditLine) {
  return [
    time.slice(0, 19).replace("T", " "),
    face,
    subordinate === null ? agent : `${agent} ${subordinate}`,
    tool,
    approver === null ? (decision ?? "–") : `${decision}: ${approver}`,
    code === null ? outcome : `${outcome} ${code}`,
    `${rule ?? "–"}  ${summary}`,
    // A model may have named a tool in any way.
  ].map(visibleLine);
}

function filterOf(line: CommandLine): AuditFilter {
  const given = FILTERS.flatMap((name) => {
    const value = textOption(line, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const filter: AuditFilter = Object.fromEntries(given);
  const { decision } = filter;
  if (decision !== undefined && !DECISIONS.some((known) => known === decision))
    throw usageError(`--decision needs one of ${DECISIONS.join(", ")}, found ${decision}`);
  return filter;
}

function limitOf(line: CommandLine): number | undefined {
  const limit = textOption(line, "limit");
  if (limit === undefined) return undefined;
  if (!/^[1-9]\d*$/u.test(limit)) throw usageError(`--limit needs a number, found ${limit}`);
  return Number(limit);
}
