import type { CheckedPrompt } from "../dox/subject.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import type { CheckParts } from "./check-subject.ts";
import type { CheckOptions, CheckReport } from "./checking.ts";
import type { Generations } from "./generations.ts";
import { listItems } from "./listing.ts";
import { type SnapshotParts, snapshotsOf } from "./snapshots.ts";

/** What {@link createChecker} works with. */
interface CheckerParts extends Pick<CheckParts, "root" | "home" | "mask">, Pick<SnapshotParts, "cacheDir" | "open"> {
  readonly generations: Pick<Generations, "current">;
  readonly caller: Pick<Caller, "lease">;
  prompt(lease: ProfileLease): Promise<CheckedPrompt>;
  /** Takes up what was written. */
  reload(): Promise<void>;
}

/** The check of one host. It holds the generation that it looks at, with all of its profiles. */
export function createChecker(parts: CheckerParts): (options: CheckOptions) => Promise<CheckReport> {
  const { generations, caller, reload, prompt, cacheDir, open, ...places } = parts;

  const look = async <T>(profile: string | undefined, work: (parts: CheckParts) => Promise<T>): Promise<T> => {
    const all = () => listItems(generations.current.registry().view, "profile", { hidden: true }).map(({ id }) => id);
    const leases = (profile === undefined ? all() : [profile]).map((id) => caller.lease(id));
    try {
      const registries = leases.map(({ registry }) => registry);
      const snapshots = snapshotsOf({ ...places, cacheDir, open }, profile);
      return await work({
        ...{ ...places, registries, snapshots },
        prompt: async (at) => await prompt(leases[at] as ProfileLease),
      });
    } finally {
      for (const lease of leases) lease.release();
    }
  };

  return async (options) => {
    const { checkContent, fixContent } = await import("./checking.ts");
    const { profile, fix } = options;
    const fixed = fix ? await look(profile, async (seen) => await fixContent(seen, options)) : [];
    if (fixed.length > 0) await reload();
    return await look(profile, async (seen) => await checkContent(seen, options, fixed));
  };
}
