import { createFileRules } from "../governance/file-rules.ts";
import { createFileTurns } from "../governance/file-turns.ts";
import { createHostState, type HostPlaces } from "../governance/host-state.ts";
import type { Policy } from "../governance/ruling.ts";
import type { CallFiles } from "../governance/workspace.ts";

/** Which files calls may touch, by the policy that holds for them; changes of a file come one after the other in a host. */
export type FileAccess = (policy: Policy) => Pick<CallFiles, "rules" | "turns">;

/** What {@link createFileAccess} takes. */
export interface FileAccessOptions {
  /** Its real path. */
  readonly workspace: string;
  readonly places: HostPlaces;
  /** Where hosts of one root wait for each other. Absolute. */
  readonly locks: string;
}

export function createFileAccess({ workspace, places, locks }: FileAccessOptions): FileAccess {
  const known = new WeakMap<Policy, ReturnType<FileAccess>>();
  const turns = createFileTurns({ locks });
  const state = createHostState(places);
  return (policy) => {
    const found = known.get(policy);
    if (found) return found;
    const made = {
      rules: createFileRules({ workspace, base: places.root, profiles: policy.profiles, state }),
      turns,
    };
    known.set(policy, made);
    return made;
  };
}
