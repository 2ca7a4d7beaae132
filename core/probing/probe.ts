import type { Diagnostic } from "../diagnostics.ts";
import { displayPath } from "../discovery/paths.ts";
import type { SourceText } from "../discovery/texts.ts";
import type { Job, ProbeTarget } from "./messages.ts";
import { type Prober, startProber } from "./prober.ts";
import { type ProbeOutcome, runJob } from "./run-job.ts";
import { abandoned, unavailable } from "./verdicts.ts";

export type { ProbeOutcome, ProbeTarget };

/** What {@link openProbe} needs. */
export interface ProbeOptions {
  /** Absolute; files below it are shown relative to it. */
  readonly root: string;
  /** Absolute directories whose modules are content; asked at each check. */
  contentRoots(): readonly string[];
  /** Where transformed texts are kept: the host's own directory, so that its load after the probe finds them. */
  readonly cacheDir?: string;
  /** The built program of a probing process: an absolute path. */
  readonly entry: string;
  /** How long the top level of one target, with all that it imports, may take; default 5,000 ms. */
  readonly timeoutMs?: number;
  /** By how much one check may make its process grow, buffers included; default 256 MB. */
  readonly memoryMb?: number;
  /** Told when no process can be started; once. */
  report(diagnostic: Diagnostic): void;
}

/** How one check differs. */
interface CheckOptions {
  /** Gives the check up. */
  readonly signal?: AbortSignal;
  /**
   * Texts that the host would serve although the file may hold another by now: the last good one of a helper, or what
   * was read of the targets. Absolute paths; every other file is read from the disk.
   */
  readonly texts?: Iterable<readonly [file: string, text: SourceText]>;
}

/** Loads changed modules where they can do no harm, before the host loads them. */
export interface Probe {
  /**
   * Loads the modules in a process of their own, one after the other, with one module map for all of them. A module
   * that blocks, ends the process or fills its memory costs itself alone: those behind it get the next process. What a
   * top level does to files or to the network it does here as well as in the host. Checks run one after the other.
   * Where no process can be started, every module is ok. Never rejects.
   * @returns one outcome for each target, in their order; PROBE_ABANDONED for those without a verdict at the signal
   */
  check(targets: readonly ProbeTarget[], options?: CheckOptions): Promise<readonly ProbeOutcome[]>;
  /** Ends all processes; a check that runs settles. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const MEMORY_MB = 256;

/** After a check the host loads what was changed; a start takes a core for a while, so it comes behind that. */
const NEXT_AFTER_MS = 20;

/**
 * Starts a process and keeps it ready: that is what makes a check fast. Each one serves one check, so nothing that a
 * module leaves behind meets the next.
 *
 * It is a process and not a thread: when one thread runs out of memory V8 ends the whole process in most cases, and
 * neither a long native call nor a crash of native code can be ended from beside it. There, too, modules find what they
 * find in the host: a directory to change, native addons, streams.
 *
 * It gets the host's environment variables as they are when it starts. Content sees them in the host as well, and a
 * module that needs one to load must find it; what it sets stays there.
 */
export function openProbe(options: ProbeOptions): Probe {
  const { root, entry, timeoutMs = TIMEOUT_MS, memoryMb = MEMORY_MB } = options;
  const closing = new AbortController();
  const running = new Set<Prober>();
  let next: Prober | undefined;
  let starting: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let told = false;

  const start = (): Prober => {
    const prober = startProber({ entry, memoryMb });
    running.add(prober);
    void prober.ended.then(() => {
      running.delete(prober);
      if (next === prober) next = undefined;
    });
    return prober;
  };
  const startNext = (): void => {
    clearTimeout(starting);
    starting = setTimeout(() => {
      next ??= start();
    }, NEXT_AFTER_MS).unref();
  };
  const take = (): Prober => {
    clearTimeout(starting);
    const prober = next ?? start();
    next = undefined;
    return prober;
  };
  const tellOnce = (why: string): void => {
    if (!told) options.report(unavailable(why));
    told = true;
  };

  /** As many processes as it takes; each one settles at least one target. */
  const probe = async (
    targets: readonly ProbeTarget[],
    { signal, texts }: { readonly signal: AbortSignal; readonly texts: Job["texts"] },
  ): Promise<readonly ProbeOutcome[]> => {
    const outcomes: ProbeOutcome[] = [];
    let failed = false;
    while (!failed && outcomes.length < targets.length && !signal.aborted) {
      const rest = targets.slice(outcomes.length);
      const { contentRoots, cacheDir } = options;
      const places = { root, contentRoots: contentRoots(), ...(cacheDir ? { cacheDir } : {}) };
      const job = { targets: rest, texts, timeoutMs, ...places };
      const { verdicts, failure } = await runJob(take(), job, { signal, memoryMb });
      outcomes.push(...verdicts);
      if (failure === undefined || signal.aborted) continue;
      failed = true;
      tellOnce(failure);
    }
    for (const { file } of targets.slice(outcomes.length)) {
      const diagnostic = abandoned(displayPath(root, file));
      outcomes.push(signal.aborted ? { ok: false, diagnostic, notes: [] } : { ok: true, notes: [] });
    }
    // Where none could be started, the next check tries again.
    if (!failed && !closing.signal.aborted) startNext();
    return outcomes;
  };

  next = start();
  return {
    check: (targets, { signal, texts = [] } = {}) => {
      const either = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      // As they are now; a text may work its hash out only when it is asked.
      const taken = [...texts].map(([file, { text, hash }]) => [file, { text, hash }] as const);
      const outcomes = last.then(() => (targets.length === 0 ? [] : probe(targets, { signal: either, texts: taken })));
      last = outcomes.catch(() => {});
      return outcomes;
    },
    close: async () => {
      clearTimeout(starting);
      closing.abort();
      for (const prober of running) {
        // Who waits for the end must not end before it.
        prober.hold(true);
        prober.kill();
      }
      await last;
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}
