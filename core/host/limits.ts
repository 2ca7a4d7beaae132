import type { Registry } from "../loading/registry.ts";

/** What an agent may call, and so the most that its subordinates may. */
export interface ToolLimits {
  /** Ids or aliases that whoever called named; absent = all. */
  readonly allowed?: readonly string[] | undefined;
  /** What the profiles of those above have switched on and off, each as its `agent.yaml` says. */
  readonly above: readonly ToolSwitches[];
}

interface ToolSwitches {
  /** Where it is not empty, nothing else. */
  readonly enable: readonly string[];
  readonly disable: readonly string[];
}

/** Of whoever a person talks to. */
export const NO_LIMITS: ToolLimits = Object.freeze({ above: Object.freeze([]) });

/** What the subordinates of an agent may call at most: what it may itself, as far as that is forbidden by name. */
export function limitsBelow(limits: ToolLimits, { view }: Registry): ToolLimits {
  const { enable, disable } = view.profile.tools;
  if (enable.length === 0 && disable.length === 0) return limits;
  return { ...limits, above: [...limits.above, { enable, disable }] };
}

/**
 * The ids of the tools of a profile that stay within limits. The answering tool always does: without it an agent could not
 * end its turn.
 *
 * @returns undefined where there is no limit
 */
export async function toolsWithin(
  registry: Registry,
  { allowed, above }: ToolLimits,
): Promise<readonly string[] | undefined> {
  if (!allowed && above.length === 0) return undefined;
  const ids: string[] = [];
  for (const entry of registry.entries()) {
    const { id } = entry;
    const names = [id, ...registry.words(entry).aliases];
    const fits =
      (!allowed || names.some((name) => allowed.includes(name))) &&
      above.every(({ enable, disable }) => !disable.includes(id) && (enable.length === 0 || enable.includes(id)));
    if (fits || (await answers(registry, entry))) ids.push(id);
  }
  return ids;
}

async function answers(registry: Registry, entry: Parameters<Registry["contract"]>[0]): Promise<boolean> {
  const contract = await registry.contract(entry);
  return !("severity" in contract) && contract.role === "answer";
}
