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
  return [
    ...prompts.flatMap(({ diagnostics }) => diagnostics),
    ...(await checkPromptNames(subject, prompts)),
    ...(await checkFragments(subject)),
    ...(await checkBudgets(subject)),
    ...checkHygiene(subject),
  ];
}
