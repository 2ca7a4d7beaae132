import { type Diagnostic, diagnostic, type Severity } from "../diagnostics.ts";
import { loadTemplateEngine, type TemplateEngine } from "../prompt/template.ts";
import { FRAGMENT_VARIABLES, MESSAGE_VARIABLES, PROMPT_VARIABLES, SYSTEM_VARIABLES } from "../prompt/variables.ts";
import { nearest } from "../sdk/nearest.ts";
import { type PromptFile, promptFiles } from "./prompt-texts.ts";
import type { CheckedPrompt, CheckSubject } from "./subject.ts";

/**
 * Every prompt file and fragment of every layer of the root, whether it wins or not, and every branch of it: does it parse,
 * does it name only what it is given, do its includes exist?
 *
 * A file is given the variables of every file, those that the host has for a message of its name, and those that an
 * extension gave it, or a file that includes it. A name that is asked for with `#if` may be missing.
 *
 * @param prompts the system prompts of all profiles, in their order
 */
export async function checkPromptNames(
  subject: CheckSubject,
  prompts: readonly CheckedPrompt[],
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  const engine = await loadTemplateEngine();
  const files = promptFiles(subject, ["prompt", "fragment"]);
  const bodies = files.flatMap((one) => {
    const { text, line, diagnostics } = one.profile.view.body(one.candidate);
    return diagnostics.some(({ severity }) => severity === "error") ? [] : [{ ...one, text, line }];
  });
  const named = bodies.map((body) => ({ ...body, ...namesOf(body.text, engine) }));
  const given = givenNames(prompts, named);
  for (const { file, candidate, profile, text, line, simple, variables, includes } of named) {
    const parsed = simple ? undefined : engine.parse({ text, line, file });
    if (parsed && "diagnostic" in parsed) {
      found.push(parsed.diagnostic);
      continue;
    }
    const known = given.get(candidate.id);
    const own = candidate.kind === "fragment" ? FRAGMENT_VARIABLES : [];
    const names = [...PROMPT_VARIABLES, ...SYSTEM_VARIABLES, ...own, ...(known ?? [])];
    const hosts = candidate.kind === "fragment" || known !== undefined || candidate.id.startsWith("agent.system.");
    for (const { name, at, asked } of variables) {
      if (names.includes(name)) continue;
      const meant = nearest(name, names);
      if (asked && meant === undefined) continue;
      const severity: Severity = hosts && !asked ? "error" : "warning";
      found.push(
        diagnostic("TEMPLATE_FAILED", {
          ...{ severity, file, line: line + at.line - 1, column: at.column + 1 },
          message: `{{${name}}} is given to this file by nobody; it may name ${names.join(", ")}`,
          hint: meant
            ? `Did you mean ${meant}?`
            : "Write braces that are meant literally as {{{{raw}}}} … {{{{/raw}}}}.",
        }),
      );
    }
    for (const { name, at } of includes) {
      const { catalog } = profile.view;
      const fragment = /^agent\.system\.tool\.(.+)\.md$/u.exec(name)?.[1];
      if (catalog.get("prompt", name)?.winner ?? (fragment && catalog.get("fragment", fragment)?.winner)) continue;
      const message = `no prompts directory holds ${JSON.stringify(name)}`;
      found.push(diagnostic("INCLUDE_MISSING", { file, line: line + at.line - 1, column: at.column + 1, message }));
    }
  }
  return found;
}

type Named = PromptFile & ReturnType<typeof namesOf>;

/** What files are given besides the variables of every file, by file name; handed on to the files that they include. */
function givenNames(
  prompts: readonly CheckedPrompt[],
  files: readonly Named[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const given = new Map<string, Set<string>>();
  const give = (file: string, names: Iterable<string>): void => {
    const known = given.get(file) ?? new Set();
    const size = known.size;
    for (const name of names) known.add(name);
    const isNew = !given.has(file);
    given.set(file, known);
    if (!isNew && known.size === size) return;
    for (const { candidate, includes } of files) {
      if (candidate.id === file) for (const { name } of includes) give(name, known);
    }
  };
  for (const [file, names] of Object.entries(MESSAGE_VARIABLES)) give(file, names);
  for (const prompt of prompts) for (const [file, names] of prompt.given) give(file, names);
  return given;
}

const RAW = /\{\{\{\{\s*raw\s*\}\}\}\}[\s\S]*?\{\{\{\{\s*\/raw\s*\}\}\}\}/gu;
const SHOWN = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/gu;

/** With a thousand fragments parsing takes long, and most of them show a plain variable or none. */
function namesOf(text: string, engine: TemplateEngine): ReturnType<TemplateEngine["names"]> & { simple: boolean } {
  if (!text.includes("{{")) return { variables: [], includes: [], simple: true };
  const plain = text.replace(RAW, (block) => block.replace(/[^\n]/gu, " "));
  if (text.includes("\\{{") || plain.replace(SHOWN, "").includes("{{")) return { ...engine.names(text), simple: false };
  const lines = plain.split("\n");
  const variables = lines.flatMap((line, index) =>
    [...line.matchAll(SHOWN)].map(({ 1: name = "", index: column }) => ({
      name,
      at: { line: index + 1, column },
      asked: false,
    })),
  );
  return { variables, includes: [], simple: true };
}
