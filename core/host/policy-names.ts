import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { readCallPattern } from "../discovery/pattern-entry.ts";
import type { RiskProfile } from "../governance/risk-profile.ts";
import type { Registry } from "../loading/registry.ts";
import type { Json } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";

const LISTS = ["auto_approve", "always_ask", "denied_tools", "excluded_tools", "allowed_tools"] as const;

/**
 * Names in the lists of a risk profile that no tool of an agent profile has: a slip would forbid nothing. Tools that are
 * discovered at run time need not be there yet.
 */
export function unknownNames({ name, values, origins }: RiskProfile, registry: Registry): readonly Diagnostic[] {
  return LISTS.flatMap((key) =>
    (values[key] ?? []).flatMap((entry) => {
      const tool = toolOf(entry);
      if (tool.includes("*") || tool.includes("__") || registry.resolve(tool) || registry.resolve(tool.toLowerCase())) {
        return [];
      }
      const [file] = origins[key];
      const message = `${key} of risk profile ${name} names ${tool}, which no tool of this agent profile is called`;
      const meant = nearest(
        tool,
        registry.entries().map(({ id }) => id),
      );
      const hint = meant === undefined ? "It counts as soon as there is one." : `Did you mean ${meant}?`;
      return [diagnostic("RISK_PROFILE_NAME_UNKNOWN", { ...(file === undefined ? {} : { file }), message, hint })];
    }),
  );
}

function toolOf(entry: Json): string {
  const pattern = readCallPattern(entry);
  return "tool" in pattern ? pattern.tool : "*";
}
