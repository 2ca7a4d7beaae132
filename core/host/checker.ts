import type { LocaleCoverage } from "../dox/locale-coverage.ts";
import type { CheckedPrompt } from "../dox/subject.ts";
import type { Caller, ProfileLease } from "./calls.ts";
import type { CheckParts } from "./check-subject.ts";
import type { CheckOptions, CheckReport } from "./checking.ts";
import type { Generations } from "./generations.ts";
import { listItems } from "./listing.ts";
import type { FilledLocales, FillQuestion, LocaleQuestion } from "./locale-content.ts";
import { type SnapshotParts, snapshotsOf } from "./snapshots.ts";

/** What {@link createChecker} works with. */
export interface CheckerParts
  extends Pick<CheckParts, "root" | "home" | "mask">,
    Pick<SnapshotParts, "cacheDir" | "trusted" | "open"> {
  readonly generations: Pick<Generations, "current">;
  readonly caller: Pick<Caller, "lease">;
  prompt(lease: ProfileLease): Promise<CheckedPrompt>;
  /** Takes up what was written. */
  reload(): Promise<void>;
}

/** Works on some profiles, all without a name, of the generation that serves; it is held until the work is done. */
type Look = <T>(profile: string | undefined, work: (parts: CheckParts) => Promise<T>) => Promise<T>;

function createLook(parts: Omit<CheckerParts, "reload">): Look {
  const { generations, caller, prompt, cacheDir, trusted, open, ...places } = parts;
  return async <T>(profile: string | undefined, work: (parts: CheckParts) => Promise<T>): Promise<T> => {
    const all = () => {
      const profiles = listItems(generations.current.registry().view, "profile", { hidden: true });
      return profiles.flatMap(({ id, status }) => (status === undefined ? [id] : []));
    };
    const leases = (profile === undefined ? all() : [profile]).map((id) => caller.lease(id));
    try {
      const registries = leases.map(({ registry }) => registry);
      const snapshots = snapshotsOf({ ...places, cacheDir, trusted, open }, profile);
      return await work({
        ...{ ...places, registries, snapshots },
        prompt: async (at) => await prompt(leases[at] as ProfileLease),
      });
    } finally {
      for (const lease of leases) lease.release();
    }
  };
}

/** What looks at descriptions of one host, in all languages. */
interface LocaleKeeper {
  coverage(question: LocaleQuestion): Promise<readonly LocaleCoverage[]>;
  fill(question: FillQuestion): Promise<FilledLocales>;
}

/** See {@link LocaleKeeper}. It holds the generation that it looks at, with all of its profiles. */
export function createLocaleKeeper({ reload, ...parts }: CheckerParts): LocaleKeeper {
  const look = createLook(parts);
  return {
    async coverage(question) {
      const { localeCoverage } = await import("./locale-content.ts");
      return await look(undefined, async (seen) => await localeCoverage(seen, question));
    },
    async fill(question) {
      const { fillLocales } = await import("./locale-content.ts");
      const filled = await look(undefined, async (seen) => await fillLocales(seen, question));
      if (filled.files.length > 0) await reload();
      return filled;
    },
  };
}

/** The check of one host. It holds the generation that it looks at, with all of its profiles. */
export function createChecker({ reload, ...parts }: CheckerParts): (options: CheckOptions) => Promise<CheckReport> {
  const look = createLook(parts);
  return async (options) => {
    const { checkContent, fixContent } = await import("./checking.ts");
    const { profile, fix } = options;
    const fixed = fix ? await look(profile, async (seen) => await fixContent(seen, options)) : [];
    if (fixed.length > 0) await reload();
    return await look(profile, async (seen) => await checkContent(seen, options, fixed));
  };
}
