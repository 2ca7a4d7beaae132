import type { Diagnostic } from "../diagnostics.ts";
import type { Discovery, View } from "../discovery/discovery.ts";
import { type HeldText, hashAt } from "../discovery/texts.ts";
import type { Prompts } from "../prompt/assemble.ts";
import { HostError } from "../sdk/errors.ts";
import { isModule } from "./changed-files.ts";
import type { Generation, GenerationParts } from "./generation.ts";

/** What {@link textsToHold} looks with. */
export interface HeldTextsOptions extends Pick<GenerationParts, "defaults"> {
  readonly discovery: Discovery;
  readonly prompts: Pick<Prompts, "fault">;
}

/**
 * The texts of files that are data and cannot be used as they are now, although they could before: these go on. What
 * a module does is not known before it is loaded, so modules are kept as modules.
 */
export async function textsToHold(
  before: Generation,
  changed: readonly string[],
  options: HeldTextsOptions,
): Promise<ReadonlyMap<string, HeldText>> {
  const { discovery } = options;
  const held = new Map<string, HeldText>();
  const data = changed.filter((file) => !isModule(file) && before.edition.texts.get(file) !== undefined);
  if (data.length === 0) return held;
  const now = new Map<string, Diagnostic>();
  for (const profile of before.profiles) {
    const [old, fresh] = [before.registry(profile).view, viewOf(options, profile)];
    if (!fresh) continue;
    const known = new Set((await faultsIn(old, data, options)).map(({ file }) => file));
    for (const item of await faultsIn(fresh, data, options)) {
      if (item.file !== undefined && !known.has(item.file)) now.set(item.file, item);
    }
  }
  for (const file of data) {
    const why = now.get(discovery.display(file));
    const text = before.edition.texts.get(file);
    if (why && text) held.set(file, { text: text.text, hash: text.hash, instead: hashAt(file), why });
  }
  return held;
}

function viewOf({ discovery, defaults }: HeldTextsOptions, profile: string): View | undefined {
  try {
    return discovery.view(profile, defaults.project);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** The errors of a view that name one of the files. */
async function faultsIn(
  view: View,
  files: readonly string[],
  { discovery, prompts }: Pick<HeldTextsOptions, "discovery" | "prompts">,
): Promise<readonly Diagnostic[]> {
  const named = new Map(files.map((file) => [discovery.display(file), file]));
  const found = [...view.diagnostics, ...view.localeKeys().diagnostics];
  for (const kind of ["fragment", "prompt", "skill"] as const) {
    for (const { winner } of view.catalog.list(kind)) {
      if (!winner || !named.has(winner.path)) continue;
      if (kind === "skill") found.push(...view.skill(winner).diagnostics);
      else {
        if (kind === "fragment") found.push(...view.fragment(winner).diagnostics);
        const fault = await prompts.fault(view, winner);
        if (fault) found.push(fault);
      }
    }
  }
  return found.filter(({ severity, file }) => severity === "error" && file !== undefined && named.has(file));
}
