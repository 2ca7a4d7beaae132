import type { Candidate, Catalog } from "./catalog.ts";
import { keysOrder } from "./layers.ts";
import { parameterKey, toolKey } from "./locale-keys.ts";
import type { LocaleKeys, LocaleText } from "./locale-texts.ts";

/** What locales say of the tools of a view. */
export interface ToolTexts {
  /** undefined: no locale of the chain describes the tool, or the fragment's description goes before it. */
  description(tool: string): LocaleText | undefined;
  /** @param path names from the top of the arguments down */
  parameter(tool: string, path: readonly string[]): LocaleText | undefined;
}

/** What {@link createToolTexts} looks at. */
interface ToolTextsParts {
  readonly catalog: Pick<Catalog, "get">;
  /** First to last. */
  readonly chain: readonly string[];
  keys(): LocaleKeys;
  /** The fragment that documents a tool, if it gives a description. */
  describing(tool: string): Candidate | undefined;
}

/**
 * Looks each key up by itself: in the first locale of the chain that has it, there in the highest layer.
 *
 * Whoever replaces a tool describes another one: keys that lie where a shadowed file of the tool lies, or below it, do
 * not count for the one that shadows it. In the same way a fragment that shadows another goes, with its description,
 * before the keys of that one.
 */
export function createToolTexts({ catalog, chain, keys, describing }: ToolTextsParts): ToolTexts {
  const limits = new Map<string, number>();

  const limitOf = (tool: string): number => {
    const limit = limits.get(tool) ?? belongsBelow(catalog, catalog.get("tool", tool)?.winner);
    limits.set(tool, limit);
    return limit;
  };

  // Most tools are not described by locales, and limits are only worked out where one is.
  const look = (key: string, limit: () => number): LocaleText | undefined => {
    const { texts } = keys();
    for (const locale of chain) {
      const found = texts.get(locale)?.get(key);
      if (found && found.candidate.order < limit()) return found;
    }
    return undefined;
  };

  return {
    description: (tool) => look(toolKey(tool), () => Math.min(limitOf(tool), belongsBelow(catalog, describing(tool)))),
    parameter: (tool, path) => look(parameterKey(tool, path), () => limitOf(tool)),
  };
}

/** The sub-row from which on texts belong to what a winner shadows; infinite where it shadows nothing. */
function belongsBelow(catalog: Pick<Catalog, "get">, winner: Candidate | undefined): number {
  if (!winner) return Number.POSITIVE_INFINITY;
  const { kind, id, order } = winner;
  const shadowed = catalog
    .get(kind, id)
    ?.standings.find(({ candidate, state }) => state === "shadowed" && candidate.order > order);
  return shadowed ? keysOrder(shadowed.candidate) : Number.POSITIVE_INFINITY;
}
