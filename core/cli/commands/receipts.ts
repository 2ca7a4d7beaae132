import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { argsDigest, textDigest } from "../../governance/ledger-digests.ts";
import type { LedgerExport } from "../../governance/ledger-export.ts";
import { type CallLine, LEDGER_OUTCOMES, type LedgerOutcome } from "../../governance/ledger-lines.ts";
import type { LedgerReport } from "../../governance/ledger-report.ts";
import { visibleLine } from "../../governance/visible-text.ts";
import type { Host } from "../../host.ts";
import type { Json } from "../../sdk/json.ts";
import type { Command, CommandContext } from "../command.ts";
import { switchOption, textOption } from "../options.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

/** What each action takes besides its name. */
const ACTIONS: Readonly<Record<string, { readonly words: string; readonly most: number; readonly least: number }>> = {
  list: { words: "no words", least: 0, most: 0 },
  show: { words: "one id", least: 1, most: 1 },
  verify: { words: "one file or none", least: 0, most: 1 },
  export: { words: "one id or none", least: 0, most: 1 },
};

/** `receipts`: what was entered of calls, and whether it is still what was entered. */
export const command: Command = {
  usage: "receipts [list | show ID | verify [FILE] [--key KEY] | export [ID] [--to FILE]]",
  summary: "what was entered of calls, with receipts.enabled; verify finds what was changed since",
  options: {
    tool: { type: "string" },
    outcome: { type: "string" },
    turn: { type: "string" },
    since: { type: "string" },
    limit: { type: "string" },
    all: { type: "boolean" },
    text: { type: "string" },
    args: { type: "string" },
    key: { type: "string" },
    to: { type: "string" },
  },
  optionHelp: {
    tool: "list: calls of this tool",
    outcome: `list: calls that ended so (${LEDGER_OUTCOMES.join(", ")})`,
    turn: "list: calls of this turn",
    since: "list: not before this time (ISO 8601)",
    limit: "list: so many, the newest (default 50)",
    all: "list: also calls without a receipt",
    text: "show: a file; exit 1 unless it holds the text that the entry was made for",
    args: "show: a JSON object; exit 1 unless the entry was made for these arguments",
    key: "verify: the one key whose lines count, by its id or its public half",
    to: "export: the file to write (default: stdout)",
  },
  async run(context) {
    const { line } = context;
    const [action = "list", ...words] = line.words;
    const row = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!row) throw usageError(`receipts has the actions ${Object.keys(ACTIONS).join(", ")}, found "${action}"`);
    if (words.length < row.least || words.length > row.most)
      throw usageError(`receipts ${action} takes ${row.words}, found ${words.length === 0 ? "none" : words.join(" ")}`);
    const host = await context.host();
    if (action === "show") return await show(host, context, words[0] as string);
    if (action === "verify") return await verify(host, context, words[0]);
    if (action === "export") return await exportLines(host, context, words[0]);
    return await list(host, context);
  },
};

async function list({ receipts }: Host, { line, terminal }: CommandContext): Promise<number> {
  const option = (name: string) => {
    const value = textOption(line, name);
    return value === undefined ? {} : { [name]: value };
  };
  const limit = textOption(line, "limit");
  const outcome = textOption(line, "outcome");
  if (limit !== undefined && !/^[1-9]\d*$/u.test(limit)) throw usageError(`--limit needs a number, found ${limit}`);
  if (outcome !== undefined && !LEDGER_OUTCOMES.includes(outcome as LedgerOutcome))
    throw usageError(`--outcome needs one of ${LEDGER_OUTCOMES.join(", ")}, found ${outcome}`);
  const calls = await receipts.list({
    ...option("tool"),
    ...option("outcome"),
    ...option("turn"),
    ...option("since"),
    ...(limit === undefined ? {} : { limit: Number(limit) }),
    receipts: !switchOption(line, "all") && outcome === undefined,
  });
  if (terminal.json) terminal.value({ calls });
  else if (calls.length === 0)
    terminal.say("There are none. Calls are entered when the setting receipts.enabled is true.");
  else terminal.say(table([["time (UTC)", "tool", "outcome", "decision", "id"], ...calls.map(rowOf)]));
  return 0;
}

function rowOf({ time, owner, tool, outcome, code, decision, approver, id }: CallLine): readonly string[] {
  const ended = code === null ? outcome : `${outcome} ${code}`;
  const decided = approver === null ? (decision ?? "–") : `${decision}: ${approver}`;
  // A model may have named a tool in any way.
  return [time.slice(0, 19).replace("T", " "), `${owner}.${tool}`, ended, decided, id].map(visibleLine);
}

async function show({ receipts }: Host, { line, terminal }: CommandContext, id: string): Promise<number> {
  const call = await receipts.show(id);
  const matches = comparisons(call, { line, terminal });
  const isReceipt = call.outcome === "success";
  if (terminal.json) terminal.value({ receipt: isReceipt, entry: call, ...matches });
  else {
    const rows = Object.entries({ ...call, ...matches }).map(([name, value]) => [
      name,
      visibleLine(String(value ?? "–")),
    ]);
    terminal.say(table([[isReceipt ? "receipt" : "entry", id], ...rows.filter(([name]) => name !== "id")]));
  }
  return Object.values(matches).every(Boolean) ? 0 : 1;
}

/** Whether the entry was made for what is given. */
function comparisons(
  { id, args, result }: CallLine,
  { line, terminal }: Pick<CommandContext, "line" | "terminal">,
): Readonly<Record<string, boolean>> {
  const text = textOption(line, "text");
  const given = textOption(line, "args");
  return {
    ...(text === undefined ? {} : { sameText: textDigest(readText(resolve(terminal.cwd(), text)), id) === result }),
    ...(given === undefined ? {} : { sameArgs: argsDigest(parseJson(given)) === args }),
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(`--text needs a file, found ${(error as NodeJS.ErrnoException).code ?? error}: ${file}`);
  }
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`--args needs JSON, found text that is none (${(error as Error).message})`);
  }
}

async function verify(host: Host, { line, terminal }: CommandContext, file: string | undefined): Promise<number> {
  const key = textOption(line, "key");
  const report = await host.receipts.verify({
    ...(file === undefined ? {} : { file: resolve(terminal.cwd(), file) }),
    ...(key === undefined ? {} : { key }),
  });
  if (terminal.json) terminal.value(report);
  else tell(report, terminal);
  return report.ok ? 0 : 1;
}

function tell({ ok, lines, calls, receipts, unsigned, keys, problems, notes }: LedgerReport, terminal: Terminal): void {
  for (const { line, message } of notes) terminal.note(`line ${line}: ${message}`);
  for (const { line, what, message } of problems) terminal.say(`line ${line}: ${what}: ${message}`);
  const by = keys.length === 0 ? "" : `, signed with ${keys.map(({ id }) => id).join(", ")}`;
  const open = unsigned === 0 ? "" : `, ${unsigned} of them not signed yet`;
  const verdict = ok ? "The ledger is as it was written" : "The ledger is not as it was written";
  terminal.say(`${verdict}: ${lines} lines, ${calls} calls, ${receipts} receipts${open}${by}.`);
}

async function exportLines(host: Host, { line, terminal }: CommandContext, id: string | undefined): Promise<number> {
  const made = await host.receipts.export(id);
  const to = textOption(line, "to");
  if (to === undefined) {
    if (terminal.json) terminal.value(made);
    else terminal.say(JSON.stringify(made));
    return 0;
  }
  write(resolve(terminal.cwd(), to), made);
  const told = { file: to, from: made.from, lines: made.lines.length };
  if (terminal.json) terminal.value(told);
  else terminal.say(`wrote ${told.lines} lines to ${to}; receipts verify ${to} checks them`);
  return 0;
}

function write(file: string, made: LedgerExport): void {
  try {
    writeFileSync(file, `${JSON.stringify(made)}\n`);
  } catch (error) {
    throw usageError(
      `expected a file that can be written, found ${(error as NodeJS.ErrnoException).code ?? error}: ${file}`,
    );
  }
}
