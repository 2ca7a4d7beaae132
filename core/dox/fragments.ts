import { join } from "node:path";
import type { Diagnostic, Severity } from "../diagnostics.ts";
import { contains } from "../discovery/paths.ts";
import { checkExamples } from "./fragment-examples.ts";
import { checkParameters } from "./fragment-parameters.ts";
import { checkReturns } from "./fragment-returns.ts";
import { type FragmentText, parseFragmentText } from "./fragment-text.ts";
import { checkWording } from "./fragment-wording.ts";
import type { CheckedFragment, CheckSubject } from "./subject.ts";

/**
 * The fragments that win in some profile: does each say what a model needs, and does it agree with the code? Looked at are
 * those of the root, and others where a tool of the root takes the place of the tool that they were written for.
 */
export async function checkFragments(subject: CheckSubject): Promise<readonly Diagnostic[]> {
  const { files, fragments, tools } = subject;
  const ids = new Set(tools.map(({ id }) => id));
  const found: Diagnostic[] = [];
  for (const fragment of fragments) {
    // A fragment without a tool is told by the prompt.
    if (fragment.tools.length === 0 || !(fragment.own || describesOwn(fragment))) continue;
    const severity = severityFor(subject, fragment);
    const text = parseFragmentText(fragment.body, fragment.line);
    const whole = withIncluded(text, fragment, subject);
    if (fragment.own) found.push(...checkWording(fragment, whole, severity));
    found.push(...(await checkExamples(fragment, text, { files, ids, severity })));
    found.push(...checkParameters(fragment, { claims: text.lines, all: whole.lines, severity }));
    found.push(...checkReturns(fragment, text, { severity, files }));
  }
  return found;
}

/** One that asks for parameters by their names is left out of the prompt where they are others, which is told then. */
function describesOwn({ tools, body }: CheckedFragment): boolean {
  return tools.some(({ own }) => own) && !/\{\{\s*param\b/u.test(body);
}

/** What is shipped is held to all rules; a person is told. */
function severityFor({ home }: CheckSubject, { candidate: { file } }: CheckedFragment): Severity {
  return contains(home, file) && !contains(join(home, "usr"), file) ? "error" : "warning";
}

/** The text with what it takes from elsewhere: other files, and the description of its front matter. */
function withIncluded(text: FragmentText, fragment: CheckedFragment, { profiles }: CheckSubject): FragmentText {
  const { body, candidate, meta } = fragment;
  if (!body.includes("{{")) return text;
  const { view } =
    profiles.find((one) => one.view.catalog.get("fragment", fragment.id)?.winner?.file === candidate.file) ?? {};
  const added: FragmentText[] = [];
  if (/\{\{\s*description\s*\}\}/u.test(body)) added.push(parseFragmentText(meta.description ?? "", fragment.line));
  for (const [, name] of view ? body.matchAll(INCLUDE) : []) {
    const other =
      name === undefined
        ? view?.lower(candidate)
        : (view?.catalog.get("prompt", name)?.winner ?? view?.catalog.get("fragment", toolOf(name))?.winner);
    const included = other && view?.body(other);
    if (included) added.push(parseFragmentText(included.text, included.line));
  }
  return {
    lines: [text, ...added].flatMap(({ lines }) => lines),
    blocks: [text, ...added].flatMap(({ blocks }) => blocks),
  };
}

const INCLUDE = /\{\{\s*include\s+(?:original|["']([^"']+)["'])\s*\}\}/gu;

function toolOf(file: string): string {
  return /^agent\.system\.tool\.(.+)\.md$/u.exec(file)?.[1] ?? "";
}
