import { type Denial, deniedByList } from "../governance/denials.ts";
import { type RiskProfile, riskProfileOf } from "../governance/risk-profile.ts";
import { createPolicy, type Policy } from "../governance/ruling.ts";
import { hasLists, type ListedCaller, refusingList } from "../governance/tool-lists.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import { type LimitSettings, limitSettings } from "./limit-settings.ts";
import { NO_LIMITS, type ToolLimits, type ToolSwitches } from "./limits.ts";

/** What an agent, or a call of its own, may do at most. */
export interface Authority {
  /** Where its calls come from. */
  readonly face: string;
  readonly policy: Policy;
  /** Why a tool may not be called, whatever the arguments; undefined: it may, as far as lists say. */
  refusal(id: string): Denial | undefined;
  /** A tool's id, then its aliases. */
  names(id: string): readonly string[];
  readonly settings: LimitSettings;
}

/** Whose authority it is. */
export interface AuthorityOptions {
  readonly face: string;
  /** Default: none. */
  readonly limits?: ToolLimits;
}

/** The authorities of a host. What is the same for many calls is made once for each registry. */
export interface Authorities {
  /** Told at once where no list may leave out a tool that answers: whether one does is known when it was loaded. */
  of(registry: Registry, options: AuthorityOptions): Authority | Promise<Authority>;
  /** What lists leave out, as it is shown: no module is run for it. */
  shown(registry: Registry, face: string): Authority["refusal"];
  /** What those that work for somebody may do at most. */
  limitsBelow(registry: Registry, limits: ToolLimits): ToolLimits;
}

export function createAuthorities(): Authorities {
  const known = new WeakMap<Registry, Known>();
  const knownOf = (registry: Registry): Known => {
    let made = known.get(registry);
    if (!made) {
      const settings = limitSettings(registry.view.settings);
      made = { own: riskProfileOf(registry.view), settings, authorities: new Map(), names: new Map() };
      known.set(registry, made);
    }
    return made;
  };
  return {
    of(registry, { face, limits = NO_LIMITS }) {
      const { authorities, ...known } = knownOf(registry);
      if (limits !== NO_LIMITS) return authorityOf(registry, { ...known, face, limits });
      const standing = authorities.get(face) ?? authorityOf(registry, { ...known, face, limits });
      authorities.set(face, standing);
      // From now on without a wait.
      if (standing instanceof Promise) standing.then((made) => authorities.set(face, made)).catch(() => {});
      return standing;
    },
    shown(registry, face) {
      const { own, names } = knownOf(registry);
      const input = { caller: { face, profiles: [own] }, above: [], names: namesIn(registry, names) };
      return (id) => {
        const entry = registry.resolve(id);
        return entry && denialOf(entry, input, registry.mayAnswer(entry));
      };
    },
    limitsBelow(registry, limits) {
      const { own } = knownOf(registry);
      const { id, tools } = registry.view.profile;
      const switches = tools.enable.length > 0 || tools.disable.length > 0 ? [{ profile: id, ...tools }] : [];
      return {
        ...limits,
        above: [...limits.above, ...switches],
        profiles: limits.profiles.includes(own) ? limits.profiles : [...limits.profiles, own],
      };
    },
  };
}

interface Known {
  readonly own: RiskProfile;
  readonly settings: LimitSettings;
  /** By face, for those without limits. */
  readonly authorities: Map<string, Authority | Promise<Authority>>;
  readonly names: Map<string, readonly string[]>;
}

interface Asked extends Required<AuthorityOptions>, Omit<Known, "authorities"> {}

function authorityOf(
  registry: Registry,
  { own, settings, names, face, limits }: Asked,
): Authority | Promise<Authority> {
  const policy = createPolicy(own, limits.profiles);
  const namesOf = namesIn(registry, names);
  const authority = { face, policy, names: namesOf, settings };
  const caller = { face, profiles: policy.profiles, allowed: limits.allowed };
  if (!hasLists(caller) && limits.above.length === 0) return { ...authority, refusal: () => undefined };
  return refusalsOf(registry, { caller, above: limits.above, names: namesOf }).then((refusals) => ({
    ...authority,
    refusal: (id) => refusals.get(id),
  }));
}

function namesIn(registry: Registry, known: Map<string, readonly string[]>): Authority["names"] {
  return (id) => {
    const told = known.get(id);
    if (told) return told;
    const entry = registry.resolve(id);
    const made = [id, ...(entry ? registry.aliases(entry) : [])];
    known.set(id, made);
    return made;
  };
}

interface RefusalInput {
  readonly caller: ListedCaller;
  readonly above: readonly ToolSwitches[];
  names(id: string): readonly string[];
}

/** A tool is loaded for it only where that decides: it says that it has a role, and no list names it. */
async function refusalsOf(registry: Registry, input: RefusalInput): Promise<ReadonlyMap<string, Denial>> {
  const refusals = new Map<string, Denial>();
  for (const entry of registry.entries()) {
    const denial = denialOf(entry, input, false);
    if (!denial) continue;
    const stands = denialOf(entry, input, true) ?? ((await registry.answers(entry)) ? undefined : denial);
    if (stands) refusals.set(entry.id, stands);
  }
  return refusals;
}

function denialOf({ id }: ToolEntry, { caller, above, names }: RefusalInput, answers: boolean): Denial | undefined {
  const [, ...aliases] = names(id);
  const listed = refusingList({ id, aliases, answers }, caller);
  if (listed) return deniedByList(id, listed);
  if (answers) return undefined;
  const switched = above.find(
    ({ enable, disable }) => disable.includes(id) || !(enable.length === 0 || enable.includes(id)),
  );
  return switched && switchedOffAbove(id, switched);
}

function switchedOffAbove(tool: string, { profile, disable }: ToolSwitches): Denial {
  const [rule, does] = disable.includes(tool) ? ["tools.disable", "names it"] : ["tools.enable", "does not name it"];
  const setting = `${rule} of agent profile ${profile}`;
  const message = `${tool} may not be called: ${setting}, whose agent this one works for, ${does}`;
  return { code: "DENIED_BY_POLICY", rule, setting, message, hint: "Use another tool." };
}
