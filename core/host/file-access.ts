import { createFileRules, type FileRules } from "../governance/file-rules.ts";
import { createHostState, type HostPlaces } from "../governance/host-state.ts";
import type { Policy } from "../governance/ruling.ts";

/** Which files calls may touch, by the policy that holds for them. */
export type FileAccess = (policy: Policy) => FileRules;

/** @param workspace its real path */
export function createFileAccess(workspace: string, places: HostPlaces): FileAccess {
  const known = new WeakMap<Policy, FileRules>();
  const state = createHostState(places);
  return (policy) => {
    const made =
      known.get(policy) ?? createFileRules({ workspace, base: places.root, profiles: policy.profiles, state });
    known.set(policy, made);
    return made;
  };
}
