import { visibleLine } from "../governance/visible-text.ts";
import type { StandingApproval } from "../sdk/approval.ts";
import { table } from "./table.ts";

/** How much of the arguments is shown. */
const MAX_SHOWN = 60;

/** Standing approvals as a table for people. */
export function approvalsText(approvals: readonly StandingApproval[]): string {
  if (approvals.length === 0) return "There are no standing approvals.";
  const rows = approvals.map(({ id, scope, tool, args, shown, session, expires, face, by, given }) => [
    id,
    `${tool} ${scope === "pattern" ? patternText(args) : shorten(shown)}`,
    scope === "turn"
      ? "in this turn"
      : scope === "pattern"
        ? `until ${minute(expires ?? "")}`
        : `in session ${session}`,
    face,
    `${by}, ${minute(given)}`,
  ]);
  // The file may be of anybody.
  const shownRows = rows.map((row) => row.map(visibleLine));
  return table([["approval", "calls", "holds (UTC)", "face", "given (UTC)"], ...shownRows]);
}

function patternText(args: StandingApproval["args"]): string {
  return args === undefined ? "(any arguments)" : JSON.stringify(args);
}

function minute(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

function shorten(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
