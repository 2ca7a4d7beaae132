import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { keysIn } from "../governance/key-shapes.ts";
import { hiddenCharacters } from "./hidden-characters.ts";
import { overridePhrases } from "./override-phrases.ts";
import { privateData } from "./private-data.ts";
import { isOwn, type PromptText, promptTexts } from "./prompt-texts.ts";
import type { CheckSubject } from "./subject.ts";

/**
 * What no text for a model may hold: values of secrets, keys, private data, hidden characters, and orders to ignore others.
 * Looked at are the prompts, fragments, skills and locales of all layers of the root, and what its tools and profiles say of
 * themselves.
 */
export function checkHygiene(subject: CheckSubject): readonly Diagnostic[] {
  return [...promptTexts(subject), ...schemaTexts(subject), ...profileTexts(subject)].flatMap((text) =>
    findings(text, subject),
  );
}

/** What a provider is sent of a tool, beside the fragment's description. A line in it says nothing. */
function schemaTexts({ tools }: CheckSubject): readonly (PromptText & { readonly unplaced: true })[] {
  return tools.flatMap(({ own, file, contract }) => {
    if (!own || !contract) return [];
    const text = JSON.stringify([contract.description, contract.parameters]);
    return [{ file, text, unplaced: true }];
  });
}

/** What prompts are given of a profile. */
function profileTexts({ root, profiles }: CheckSubject): readonly (PromptText & { readonly unplaced: true })[] {
  return profiles.flatMap(({ id, view }) => {
    const winner = view.catalog.get("profile", id)?.winner;
    if (!winner || !isOwn(root, winner)) return [];
    const { title, description, context } = view.profile;
    return [{ file: winner.path, text: [title, description, context].join("\n"), unplaced: true }];
  });
}

interface Spot {
  readonly line?: number;
  readonly column?: number;
}

function findings(
  { file, text, unplaced }: PromptText & { readonly unplaced?: true },
  { mask }: CheckSubject,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const spot = (index: number): Spot => (unplaced ? {} : placeAt(text, index));
  if (mask(text) !== text) {
    found.push(
      diagnostic("PROMPT_SECRET", {
        ...{ file, ...spot(firstMasked(text, mask)) },
        message: "holds the value of a secret",
        hint: "Name it as §§secret(NAME); the value takes that place when the tool runs. Then change the secret.",
      }),
    );
  }
  for (const { name, index, text: key } of keysIn(text)) {
    found.push(
      diagnostic("PROMPT_KEY", {
        ...{ file, ...spot(index) },
        message: `holds what looks like ${name} (${key.slice(0, 5)}…)`,
        hint: "Take it out, and make it invalid where it came from. In an example write sk-… or xxxx.",
      }),
    );
  }
  for (const { what, index } of privateData(text)) {
    const hint = "Write an address of example.com, or a path of nobody, such as ~/notes.";
    found.push(diagnostic("PROMPT_PRIVATE_DATA", { file, ...spot(index), message: `holds ${what}`, hint }));
  }
  for (const { what, index } of hiddenCharacters(text)) {
    const hint = "Delete it: a model reads it, and whoever looks at the file does not.";
    found.push(diagnostic("PROMPT_HIDDEN_TEXT", { file, ...spot(index), message: `holds ${what}`, hint }));
  }
  for (const { example, index } of overridePhrases(text)) {
    found.push(
      diagnostic("PROMPT_OVERRIDE", {
        ...{ file, ...spot(index) },
        message: `tells the model to drop what it was told elsewhere, as in "${example}"`,
        hint: "Say what to do, and leave the other instructions alone.",
      }),
    );
  }
  return found;
}

/** A secret of several lines begins in its first. */
function firstMasked(text: string, mask: (text: string) => string): number {
  let index = 0;
  for (const line of text.split("\n")) {
    if (mask(line) !== line) return index;
    index += line.length + 1;
  }
  const masked = mask(text);
  for (let at = 0; at < text.length; at++) if (text[at] !== masked[at]) return at;
  return 0;
}

function placeAt(text: string, index: number): Spot {
  const before = text.slice(0, index).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
