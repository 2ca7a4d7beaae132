import { diagnostic, hostError } from "../diagnostics.ts";
import { type Cancellation, createCancellation } from "../governance/cancellation.ts";
import { HostError, ToolError } from "../sdk/errors.ts";
import type { ReloadReceipt } from "../sdk/events.ts";
import type { Events } from "./events.ts";
import { createGeneration, type Generation, type GenerationParts } from "./generation.ts";
import { writtenFiles } from "./written-files.ts";

/** A hold on a generation: as long as it lasts, whatever was begun on it can go on. */
export interface Lease {
  readonly generation: Generation;
  /** Fires when whoever took the lease is stopped, or the host is closed. */
  readonly signal: AbortSignal;
  /** Lets go; a generation that is not the current one is retired with its last lease. */
  release(): void;
}

/** The generations of a host: one that serves, and older ones that something still runs on. */
export interface Generations {
  readonly current: Generation;
  /**
   * Takes hold of the current generation.
   * @param signal stops what runs on the lease
   * @throws HostError HOST_CLOSED
   */
  lease(signal?: AbortSignal): Lease;
  /** Reads the directories again. @throws HostError HOST_CLOSED */
  reload(events: Events): Promise<ReloadReceipt>;
  /** Stops what runs, waits a moment for it, and retires every generation. */
  close(): Promise<void>;
}

/** How long the end of the host waits for calls that were told to stop. */
const CLOSE_DEADLINE_MS = 5_000;

/** Builds the first generation; the rest come from `reload`. */
export function createGenerations(parts: GenerationParts): Generations {
  const leases = new Map<Generation, Set<Hold>>();
  const retiring = new Set<Promise<void>>();
  const closing = new AbortController();
  let current = createGeneration(1, parts);
  let idle: (() => void) | undefined;

  const requireOpen = (): void => {
    if (!closing.signal.aborted) return;
    throw hostError(
      diagnostic("HOST_CLOSED", { message: "the host is closed", hint: "createHost makes another one." }),
    );
  };

  const retire = (generation: Generation): Promise<void> => {
    const done = generation.retire().finally(() => retiring.delete(done));
    retiring.add(done);
    return done;
  };

  const release = (generation: Generation, hold: Hold): void => {
    hold.work?.close();
    const held = leases.get(generation);
    if (!held?.delete(hold) || held.size > 0) return;
    leases.delete(generation);
    if (generation !== current) void retire(generation);
    if (leases.size === 0) idle?.();
  };

  /** Until nothing runs any more, but not for ever: a tool need not heed its signal. */
  const quiet = (): Promise<void> => {
    if (leases.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CLOSE_DEADLINE_MS);
      idle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  };

  return {
    get current() {
      return current;
    },
    lease(signal) {
      requireOpen();
      const generation = current;
      const work = signal && createCancellation(signal);
      const hold: Hold = { work };
      const held = leases.get(generation);
      if (held) held.add(hold);
      else leases.set(generation, new Set([hold]));
      return { generation, signal: work?.signal ?? closing.signal, release: () => release(generation, hold) };
    },
    async reload(events) {
      requireOpen();
      const before = current;
      parts.discovery.refresh();
      parts.secrets.reload();
      const files = writtenFiles(before, parts.discovery);
      const next = succeed(before, parts);
      current = next.generation;
      if (current !== before && !leases.has(before)) await retire(before);
      const { diagnostics } = next;
      const status = diagnostics.length > 0 ? "failed" : "ok";
      const receipt = { status, from: before.number, to: next.generation.number, files, diagnostics } as const;
      events.emit({ type: "reload", ...receipt });
      return receipt;
    },
    async close() {
      const reason = new ToolError("STOPPED", "the host was closed");
      closing.abort(reason);
      for (const { work } of [...leases.values()].flatMap((held) => [...held])) work?.abort(reason);
      await quiet();
      for (const generation of [...leases.keys(), current]) void retire(generation);
      await Promise.all(retiring);
    },
  };
}

/** One lease as the host sees it. `work` is there where the taker has a signal of his own; the host's stops all others. */
interface Hold {
  readonly work: Cancellation | undefined;
}

/** The generation after `before`, or `before` itself where the host's own profile or project is gone, and what is wrong now. */
function succeed(
  before: Generation,
  parts: GenerationParts,
): { readonly generation: Generation; readonly diagnostics: ReloadReceipt["diagnostics"] } {
  try {
    const generation = createGeneration(before.number + 1, parts);
    const diagnostics = [...generation.registry().view.diagnostics, ...parts.secrets.diagnostics()];
    return { generation, diagnostics: diagnostics.filter(({ severity }) => severity === "error") };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { code, message } = error;
    return { generation: before, diagnostics: [{ code, message }] };
  }
}
