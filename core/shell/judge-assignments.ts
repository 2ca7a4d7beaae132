import type { Judging } from "./judging.ts";
import { shown } from "./refusal.ts";
import type { Assigned } from "./tree.ts";
import { isOwnVariable, variableKind } from "./variables.ts";

/** Judges what a command is given in its environment. */
export function judgeAssignments(assignments: readonly Assigned[], judging: Judging): void {
  for (const { name, value } of assignments) {
    const kind = variableKind(name, value);
    if (kind === "unknown") judging.raise("high", `it is not known what ${shown(name)} does`);
    if (kind === "redirects") refuse(name, judging);
  }
}

/** Judges a variable that the text sets for itself. */
export function judgeVariable(name: string, value: string, judging: Judging): void {
  const kind = isOwnVariable(name) ? "harmless" : variableKind(name, value);
  if (kind === "redirects") refuse(name, judging);
  if (kind === "unknown") judging.raise("high", `it is not known what ${shown(name)} does`);
}

function refuse(name: string, judging: Judging): void {
  const message = `${shown(name)} says what is run, loaded or read instead; leave it out`;
  judging.refuse({ rule: "environment", message });
}
