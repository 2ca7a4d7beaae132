import { lineDifference } from "../dox/line-diff.ts";
import { amount } from "../governance/limit-denials.ts";
import type { Host } from "../host.ts";
import { HostError } from "../sdk/errors.ts";
import type { ReloadReceipt } from "../sdk/events.ts";
import { approvalsText } from "./approvals-text.ts";
import { doctorText } from "./doctor-text.ts";
import { estopLine } from "./estop-text.ts";
import { table } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** What the commands work on. */
export interface Operator {
  readonly host: Host;
  readonly terminal: Pick<Terminal, "say" | "note">;
}

/** The help of the commands that `chat` and `watch` share. */
export const OPERATOR_HELP = `/generations    the generations that there were
/generations diff A B, rollback N, pin, release
                how the files of two differ; serve what N was made of; stay with
                the one that serves; follow the disk again
/reload         look at all files now
/status         what is served
/approvals      what was approved for more than one call, and what waits
/approvals revoke ID, revoke --all
/doctor         test the watcher, look at limits, model, content and leaked timers
/estop [on [reason] | off | status]
                stop everything in all hosts of this root, until it is off`;

const COMMAND = /^\/(generations|reload|status|approvals|doctor|estop)(?:\s+(\S.*))?$/u;

/** Whether a line is one of the commands that `chat` and `watch` share. */
export function isOperatorCommand(line: string): boolean {
  return COMMAND.test(line);
}

/** Does what such a line says. What a person got wrong is told, and nothing is thrown for it. */
export async function operate(line: string, operator: Operator): Promise<void> {
  const [, name, rest = ""] = COMMAND.exec(line) ?? [];
  const { host, terminal } = operator;
  const words = rest.split(/\s+/u).filter((word) => word !== "");
  try {
    if (name === "generations") await generations(words, operator);
    else if (name === "estop") terminal.say(estop(words, host));
    else if (name === "approvals") approvals(words, operator);
    else if (words.length > 0) terminal.note(`/${name} takes no words, found "${words.join(" ")}".`);
    else if (name === "reload") terminal.say(outcome("reload", await host.reload(), host));
    else if (name === "status") terminal.say(await statusText(host));
    else terminal.say(doctorText(await host.doctor()));
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    terminal.note(error.message);
  }
}

function estop([action = "status", ...words]: readonly string[], { estop: at }: Host): string {
  if (action === "on") return estopLine(at.on(words.join(" ")));
  if (words.length === 0 && action === "off") return estopLine(at.off());
  if (words.length === 0 && action === "status") return estopLine(at.status());
  return `Expected /estop, or with: on [reason], off, status; found "${[action, ...words].join(" ")}".`;
}

async function generations(words: readonly string[], { host, terminal }: Operator): Promise<void> {
  const history = host.generations;
  const [action, ...more] = words;
  const numbers = more.map(Number);
  const isGiven = (count: number): boolean => numbers.length === count && numbers.every(Number.isSafeInteger);
  if (action === undefined) terminal.say(listText(host));
  else if (action === "diff" && isGiven(2)) terminal.say(diffText(host, numbers as [number, number]));
  else if (action === "rollback" && isGiven(1)) {
    terminal.say(outcome("rollback", await history.rollback(numbers[0] as number), host));
  } else if (action === "pin" && isGiven(0)) {
    history.pin();
    terminal.say(held(host));
  } else if (action === "release" && isGiven(0)) {
    const receipt = await history.release();
    terminal.say(receipt ? outcome("release", receipt, host) : "No generation was held; the disk is followed.");
  } else {
    terminal.note(`Expected /generations, or with: diff A B, rollback N, pin, release; found "${words.join(" ")}".`);
  }
}

function approvals([action, ...ids]: readonly string[], { host, terminal }: Operator): void {
  if (action === undefined) {
    const open = host.approvals.open().map(({ tool, text }) => `${tool} waits for an answer:\n${text}`);
    terminal.say([approvalsText(host.approvals.list()), ...open].join("\n"));
  } else if (action === "revoke" && ids.length > 0) {
    const revoked = host.approvals.revoke(ids.length === 1 && ids[0] === "--all" ? "all" : ids);
    terminal.say(revoked.length === 0 ? "There were none." : revoked.map((id) => `revoked ${id}`).join("\n"));
  } else terminal.note(`Expected /approvals, or with: revoke ID, revoke --all; found "${[action, ...ids].join(" ")}".`);
}

/** What came of it, with the exit code that a command would have. What changed is told where reloads are told. */
function outcome(what: string, { status, to, cause, files }: ReloadReceipt, host: Host): string {
  const done = `${what}: ${status} (exit code ${status === "ok" ? 0 : 1}), generation ${to}`;
  const { pinned } = host.generations;
  if (pinned === undefined) return done;
  // Nothing was looked at.
  return cause === "request" && files.length === 0
    ? `${what}: nothing is taken up. ${held(host)}`
    : `${done}. ${held(host)}`;
}

function held({ generations: { pinned } }: Host): string {
  return `Generation ${pinned} is held; /generations release follows the disk again.`;
}

function listText(host: Host): string {
  const { pinned } = host.generations;
  const rows = host.generations.list().map(({ number, at, receipt }) => {
    const marks = [...(number === host.generation ? ["serves"] : []), ...(number === pinned ? ["held"] : [])];
    const files = receipt?.files ?? [];
    const [first = ""] = files;
    return [
      String(number),
      at.slice(11, 19),
      receipt?.cause ?? "start",
      receipt?.status ?? "ok",
      marks.join(", "),
      files.length > 1 ? `${first} and ${files.length - 1} more` : first,
    ];
  });
  return table([["generation", "at (UTC)", "cause", "status", "", "files"], ...rows]);
}

/** So many lines of one file are shown. */
const MAX_LINES = 40;

function diffText({ generations: history }: Host, [from, to]: readonly [number, number]): string {
  const differences = history.diff(from, to);
  if (differences.length === 0) return `Generations ${from} and ${to} use the same texts.`;
  return differences
    .flatMap(({ path, before, after }) => {
      const { line, removed, added } = lineDifference(before, after);
      const lines = [...removed.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)];
      const shown = lines.slice(0, MAX_LINES);
      if (lines.length > MAX_LINES) shown.push(`  and ${lines.length - MAX_LINES} more lines`);
      const state = before === undefined ? ", not in use before" : after === undefined ? ", no longer in use" : "";
      return [`${path}:${line}${state}`, ...shown];
    })
    .join("\n");
}

async function statusText(host: Host): Promise<string> {
  const {
    generation,
    health,
    profile,
    tools,
    failedTools,
    failedPlugins,
    watching,
    estop: stop,
    spent,
  } = await host.status();
  const { pinned } = host.generations;
  return [
    `generation ${generation}, ${health}, profile ${profile}`,
    `${tools} tools, ${failedTools} failed; ${failedPlugins} failed plugins`,
    watching ? `${watching.directories} directories watched, by ${watching.mode}` : "nothing is watched",
    ...(stop.on ? [estopLine(stop)] : []),
    ...(spent && spent.month > 0
      ? [`spent on models: ${amount(spent.day)} today, ${amount(spent.month)} this month`]
      : []),
    ...(pinned === undefined ? [] : [held(host)]),
  ].join("\n");
}
