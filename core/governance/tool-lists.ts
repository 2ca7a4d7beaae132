import { fitsName } from "./call-pattern.ts";
import type { RiskProfile } from "./risk-profile.ts";

/** A tool as lists name it. */
export interface ListedTool {
  readonly id: string;
  readonly aliases: readonly string[];
  /**
   * It answers for the agent (the roles `answer` and `fallback`): an agent has to be able to answer, so no list leaves it
   * out that does not name it.
   */
  readonly answers: boolean;
}

/** Who wants to call. */
export interface ListedCaller {
  /** Where the call comes from. */
  readonly face: string;
  /** The risk profile of the agent, then those of its superiors. */
  readonly profiles: readonly RiskProfile[];
  /** Ids or aliases that whoever started the run or the call named; absent = all. */
  readonly allowed?: readonly string[] | undefined;
}

/** The list that leaves a tool out. */
export type ListRefusal =
  | {
      readonly rule: "denied_tools" | "excluded_tools" | "allowed_tools";
      /** That it belongs to. */
      readonly profile: RiskProfile;
    }
  | { readonly rule: "allowedTools" };

/** The local command line: `run`, `chat`, `call`. A subordinate's calls come from `delegate`, whoever started it. */
const LOCAL_FACE = "cli";

/**
 * The list that keeps a tool from being called, if one does:
 *
 * 1. `denied_tools` that names it, of the agent's risk profile or of a superior's
 * 2. `excluded_tools` that names it, on every face but the local command line
 * 3. `allowed_tools` that is not empty and does not name it, unless it was discovered at run time (`<server>__<tool>`,
 *    `<skill>__<tool>`: ids of files hold no `__`)
 * 4. the caller's list, which is strict: empty means nothing
 *
 * Several lists of one kind intersect.
 */
export function refusingList(tool: ListedTool, { face, profiles, allowed }: ListedCaller): ListRefusal | undefined {
  const named = (list: readonly unknown[], exactly = false): boolean =>
    list.some((entry) => isNamed(tool, entry as string, exactly));
  for (const profile of profiles) {
    if (named(profile.values.denied_tools, tool.answers)) return { rule: "denied_tools", profile };
  }
  if (face !== LOCAL_FACE) {
    for (const profile of profiles) {
      if (named(profile.values.excluded_tools, tool.answers)) return { rule: "excluded_tools", profile };
    }
  }
  if (tool.answers) return undefined;
  for (const profile of profiles) {
    const { allowed_tools: list } = profile.values;
    if (list && !tool.id.includes("__") && !named(list)) return { rule: "allowed_tools", profile };
  }
  const strict = allowed && ![tool.id, ...tool.aliases].some((name) => allowed.includes(name));
  return strict ? { rule: "allowedTools" } : undefined;
}

/** Whether any list can leave a tool out. */
export function hasLists({ face, profiles, allowed }: ListedCaller): boolean {
  if (allowed) return true;
  return profiles.some(
    ({ values }) =>
      values.denied_tools.length > 0 ||
      values.allowed_tools !== null ||
      (face !== LOCAL_FACE && values.excluded_tools.length > 0),
  );
}

function isNamed({ id, aliases }: ListedTool, entry: string, exactly: boolean): boolean {
  if (exactly && entry.includes("*")) return false;
  return fitsName(entry, id) || aliases.some((alias) => fitsName(entry, alias));
}
