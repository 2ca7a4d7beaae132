import type { Diagnostic } from "../diagnostics.ts";
import { checkFragments } from "./fragments.ts";
import { checkBudgets } from "./prompt-budgets.ts";
import { checkHygiene } from "./prompt-hygiene.ts";
import { checkPromptNames } from "./prompt-names.ts";
import type { CheckedPrompt, CheckSubject } from "./subject.ts";

/** All that a model is told: what assembling it finds, and what can only be seen by reading it. */
export async function checkPrompts(subject: CheckSubject): Promise<readonly Diagnostic[]> {
  const prompts: CheckedPrompt[] = [];
  // One after the other: the first renders what all of them share.
  for (const profile of subject.profiles) prompts.push(await profile.prompt());
  const names = await checkPromptNames(subject, prompts);
  // What reading has found says more than what rendering stumbled over at the same place.
  const told = new Set(names.map(placeOf));
  return [
    ...prompts.flatMap(({ diagnostics }) => diagnostics.filter((item) => !told.has(placeOf(item)))),
    ...names,
    ...(await checkFragments(subject)),
    ...(await checkBudgets(subject)),
    ...checkHygiene(subject),
  ];
}

function placeOf({ code, file, line }: Diagnostic): string {
  return `${code} ${file} ${line}`;
}
