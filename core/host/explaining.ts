import type { Kind } from "../discovery/catalog.ts";
import { type Explanation, explain } from "../discovery/explain.ts";
import type { Registry } from "../loading/registry.ts";
import { HostError } from "../sdk/errors.ts";
import type { Authority } from "./authority.ts";

const KINDS: readonly Kind[] = ["tool", "fragment", "prompt", "extension", "profile", "plugin", "skill", "locale"];

/**
 * Explains one id: what discovery knows, and which of the files did not load when they were last tried.
 * @throws HostError USAGE for a kind that does not exist
 */
export function explainEntry(
  registry: Registry,
  question: { readonly id: string; readonly kind?: string | undefined; readonly refusal: Authority["refusal"] },
): Explanation {
  const { id, kind: asked = "tool", refusal } = question;
  const kind = KINDS.find((name) => name === asked);
  if (!kind) throw new HostError("USAGE", `a kind is one of ${KINDS.join(", ")}; found "${asked}".`, { kind: "usage" });
  if (kind !== "tool") return explain(registry.view, { id, kind });
  const told = explain(registry.view, {
    id,
    kind,
    failures: registry.failures(id),
    ...withheldBy(registry, id),
    ...refusedBy(refusal(id)),
  });
  return { ...told, ...describedBy(registry, id), diagnostics: [...told.diagnostics, ...registry.troubles(id)] };
}

function describedBy(registry: Registry, id: string): Pick<Explanation, "description" | "describedIn"> {
  const entry = registry.resolve(id);
  if (entry?.id !== id) return {};
  const describedIn = registry.describedIn(entry);
  return describedIn === undefined ? {} : { description: registry.words(entry).description, describedIn };
}

/** A tool that wins, and that may not be called. */
function refusedBy(denial: ReturnType<Authority["refusal"]>): { refused?: string } {
  return denial ? { refused: denial.message } : {};
}

/** A tool that wins but that the profile switched off is not registered. */
function withheldBy(registry: Registry, id: string): { withheld?: string } {
  const { profile, catalog } = registry.view;
  if (!catalog.get("tool", id)?.winner || registry.resolve(id)) return {};
  const { disable } = profile.tools;
  const list = disable.includes(id) ? "tools.disable names it" : "tools.enable does not name it";
  return { withheld: `not registered: ${list} in the agent.yaml of profile ${profile.id}` };
}
