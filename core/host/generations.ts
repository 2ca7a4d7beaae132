import { diagnostic, hostError } from "../diagnostics.ts";
import { type Cancellation, createCancellation } from "../governance/cancellation.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Generation } from "./generation.ts";

/** A hold on a generation: as long as it lasts, whatever was begun on it can go on. */
export interface Lease {
  readonly generation: Generation;
  /** Fires when whoever took the lease is stopped, the host is closed, or the generation had to end. */
  readonly signal: AbortSignal;
  /** Lets go; a generation that is not the current one is retired with its last lease. */
  release(): void;
}

/** The generations of a host: one that serves, and older ones that something still runs on. */
export interface Generations {
  readonly current: Generation;
  /**
   * Takes hold of a generation; default: the current one.
   * @param signal stops what runs on the lease
   * @throws HostError HOST_CLOSED
   */
  lease(signal?: AbortSignal, generation?: Generation): Lease;
  /**
   * Takes in a generation that is not one of those that serve one after the other: leases of it may last for as long as
   * they like.
   * @returns lets go of it: it is retired when its last lease has ended
   * @throws HostError HOST_CLOSED
   */
  adopt(generation: Generation): () => void;
  /** Whether it was taken in so. */
  isGuest(generation: Generation): boolean;
  /** @throws HostError HOST_CLOSED */
  requireOpen(): void;
  /**
   * Serves what comes from now on from `next`. What runs on the generation before has a minute to end; then it is told
   * to stop.
   */
  replace(next: Generation): void;
  /** Stops all that runs now; what comes afterwards is not touched. */
  stop(reason: ToolError): void;
  /** Resolves when all that nobody holds is retired. */
  retired(): Promise<void>;
  /** Stops what runs, waits a moment for it, and retires every generation. */
  close(): Promise<void>;
}

/** How long the leases of a generation may outlast it. */
const DRAIN_MS = 60_000;

/** How long the end of the host waits for calls that were told to stop. */
const CLOSE_DEADLINE_MS = 5_000;

/** What {@link createGenerations} takes. */
export interface GenerationsOptions {
  readonly first: Generation;
  /** How long what runs on a generation may go on when another serves. Default: a minute. */
  readonly drainMs?: number;
}

/** The generations of a host, beginning with its first. */
export function createGenerations({ first, drainMs = DRAIN_MS }: GenerationsOptions): Generations {
  /** Those that do not serve any more and are not retired yet, oldest first. */
  const replaced: Generation[] = [];
  const adopted = new Map<Generation, { isLeft: boolean }>();
  const leases = new Map<Generation, Holds>();
  let running = 0;
  const retiring = new Set<Promise<void>>();
  let closed = false;
  let current = first;
  let idle: (() => void) | undefined;

  const requireOpen = (): void => {
    if (!closed) return;
    throw hostError(
      diagnostic("HOST_CLOSED", { message: "the host is closed", hint: "createHost makes another one." }),
    );
  };

  const retire = (generation: Generation): Promise<void> => {
    const done = generation.retire().finally(() => retiring.delete(done));
    retiring.add(done);
    return done;
  };

  /** Made once for a generation: a lease is taken for every call. */
  const holdsOf = (generation: Generation): Holds => {
    const known = leases.get(generation);
    if (known) return known;
    const fresh: Holds = { open: new Set(), end: new AbortController(), draining: undefined };
    leases.set(generation, fresh);
    return fresh;
  };

  const release = (generation: Generation, hold: Hold): void => {
    hold.work?.close();
    const held = leases.get(generation);
    if (!held?.open.delete(hold)) return;
    running -= 1;
    if (held.open.size === 0) endIdle(generation);
    if (running === 0) idle?.();
  };

  /**
   * Retires what nobody holds any more, oldest first: a later generation may share modules with an older one, and what
   * they hold is given back when the last of them has ended.
   */
  const retireIdle = (): void => {
    for (let [oldest] = replaced; oldest && !leases.get(oldest)?.open.size; [oldest] = replaced) {
      clearTimeout(leases.get(oldest)?.draining);
      leases.delete(oldest);
      replaced.shift();
      void retire(oldest);
    }
  };

  const endIdle = (generation: Generation): void => {
    const guest = adopted.get(generation);
    if (guest?.isLeft) {
      adopted.delete(generation);
      leases.delete(generation);
      void retire(generation);
    } else if (!guest && generation !== current) {
      retireIdle();
    }
  };

  const stop = ({ open, end }: Holds, reason: ToolError): void => {
    end.abort(reason);
    for (const { work } of open) work?.abort(reason);
  };

  const drain = (generation: Generation, held: Holds): void => {
    const seconds = drainMs / 1_000;
    const message = `generation ${generation.number} is no longer served, and its ${seconds} s to end are over`;
    held.draining = setTimeout(() => stop(held, new ToolError("STOPPED", message)), drainMs);
    held.draining.unref();
  };

  /** Until nothing runs any more, but not for ever: a tool need not heed its signal. */
  const quiet = (): Promise<void> => {
    if (running === 0) return Promise.resolve();
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
    lease(signal, generation = current) {
      requireOpen();
      const held = holdsOf(generation);
      const work = signal && createCancellation(signal);
      const hold: Hold = { work };
      held.open.add(hold);
      running += 1;
      return { generation, signal: work?.signal ?? held.end.signal, release: () => release(generation, hold) };
    },
    isGuest: (generation) => adopted.has(generation),
    adopt(generation) {
      requireOpen();
      const guest = { isLeft: false };
      adopted.set(generation, guest);
      return () => {
        guest.isLeft = true;
        if (!leases.get(generation)?.open.size) endIdle(generation);
      };
    },
    requireOpen,
    stop(reason) {
      for (const held of leases.values()) {
        stop(held, reason);
        held.end = new AbortController();
      }
    },
    async retired() {
      await Promise.all(retiring);
    },
    replace(next) {
      requireOpen();
      const before = current;
      current = next;
      replaced.push(before);
      const held = leases.get(before);
      if (held && held.open.size > 0) drain(before, held);
      retireIdle();
    },
    async close() {
      closed = true;
      const reason = new ToolError("STOPPED", "the host was closed");
      for (const held of leases.values()) {
        clearTimeout(held.draining);
        stop(held, reason);
      }
      await quiet();
      for (const generation of [...adopted.keys(), ...replaced, current]) void retire(generation);
      await Promise.all(retiring);
    },
  };
}

/** The leases of one generation; `end` stops those whose taker has no signal of his own. */
interface Holds {
  readonly open: Set<Hold>;
  end: AbortController;
  draining: NodeJS.Timeout | undefined;
}

/** One lease as the host sees it. `work` is there where the taker has a signal of his own. */
interface Hold {
  readonly work: Cancellation | undefined;
}
