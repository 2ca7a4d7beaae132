import { diagnostic, hostError } from "../diagnostics.ts";
import type { Probe } from "../probing/probe.ts";
import type { HostOptions } from "./options.ts";
import type { Watching } from "./watching.ts";

/** The watch of a host and its probe, which begin together: at once, or when somebody says so. */
export interface Lookout {
  /** Undefined as long as nothing is watched. */
  readonly watching: Watching | undefined;
  /** Opens the probe with its first check, if it is not open yet; undefined where the host has none. */
  readonly probe: Pick<Probe, "check"> | undefined;
  /** @throws HostError USAGE (usage) where the host was opened without `watch` */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** What {@link createLookout} joins. */
export interface LookoutOptions extends Pick<HostOptions, "watch" | "probe"> {
  openProbe(): Probe;
  startWatching(): Promise<Watching>;
}

/** Opens the probe where it is not to wait for the watch; starts nothing else. */
export function createLookout({ watch, probe, openProbe, startWatching }: LookoutOptions): Lookout {
  let opened: Probe | undefined;
  let watching: Watching | undefined;
  let beginning: Promise<void> | undefined;
  const open = (): Probe => {
    opened ??= openProbe();
    return opened;
  };
  const begin = async (): Promise<void> => {
    if (probe) open();
    watching = await startWatching();
  };
  if (probe && watch !== "later") open();
  return {
    get watching() {
      return watching;
    },
    probe: probe ? { check: (targets, options) => open().check(targets, options) } : undefined,
    async begin() {
      if (!watch) throw unwatched();
      beginning ??= begin();
      await beginning;
    },
    async close() {
      // Whoever began it was told of its failure.
      await beginning?.catch(() => {});
      await Promise.all([watching?.close(), opened?.close()]);
    },
  };
}

function unwatched(): Error {
  const message = "the host was opened without watch";
  return hostError(
    diagnostic("USAGE", { message, hint: 'createHost({ watch: "later" }) makes it possible.' }),
    "usage",
  );
}
