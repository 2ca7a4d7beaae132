import { type Cancellation, createCancellation } from "../governance/cancellation.ts";
import { ToolError } from "../sdk/errors.ts";

/** What a person can do to a turn that runs, and where the turn looks whether one did. */
export interface Control {
  /**
   * Stops what runs now: fires when the turn is stopped, and when a person speaks. After {@link take} there is
   * another one.
   */
  readonly signal: AbortSignal;
  /** Fires when the turn is stopped, and then only. */
  readonly stopSignal: AbortSignal;
  /** Why the turn was stopped; undefined while it may go on. */
  readonly stopped: ToolError | undefined;
  /** Whether somebody has said something that is not taken yet. */
  readonly pending: boolean;
  readonly paused: boolean;
  /** How long checkpoints have waited so far, in milliseconds; what is waiting now counts. */
  heldMs(): number;
  /** Says something to the agent: what runs now is given up, a pause ends. */
  intervene(message: string): void;
  /** Says what somebody else did not hear any more: the call that runs now comes to its end first. */
  hand(message: string): void;
  /** The turn waits at its next checkpoint. */
  pause(): void;
  resume(): void;
  /** @param reason default: code STOPPED */
  stop(reason?: ToolError): void;
  /**
   * Waits while the turn is paused. Nothing is waited for where nothing is to be done.
   * @throws ToolError STOPPED, or ABORTED when a person spoke
   */
  checkpoint(): void | Promise<void>;
  /** Waits while the turn is paused, then gives what was said since the last time. Never throws. */
  take(): Promise<readonly string[]>;
  /** The turn is over. @returns what nobody took */
  close(): readonly string[];
}

/** What a call that was given up is told. */
const INTERRUPTED = "a person spoke while this ran, so it was interrupted";

/** The control of one turn. @param signal stops the turn too; a reason that is a ToolError is kept */
export function createControl({ signal }: { readonly signal: AbortSignal }): Control {
  const turn = createCancellation(signal);
  const said: string[] = [];
  let part = createCancellation(turn.signal);
  let pause: Pause | undefined;
  let held = 0;

  const resume = (): void => {
    if (!pause) return;
    held += pause.heldMs();
    pause.end();
    pause = undefined;
  };
  /** Until nothing is paused. A stop ends the waiting too. */
  const wait = async (work: Cancellation): Promise<void> => {
    while (pause && !work.reason) await pause.wait(work);
  };
  const reason = (): ToolError | undefined => turn.reason ?? part.reason;
  const passOrThrow = (): void => {
    const why = reason();
    if (why) throw why;
  };

  return {
    get signal() {
      return part.signal;
    },
    get stopSignal() {
      return turn.signal;
    },
    get stopped() {
      return turn.reason;
    },
    get pending() {
      return said.length > 0;
    },
    get paused() {
      return pause !== undefined;
    },
    heldMs: () => held + (pause?.heldMs() ?? 0),
    intervene(message) {
      said.push(message);
      part.abort(new ToolError("ABORTED", INTERRUPTED));
      resume();
    },
    hand: (message) => void said.push(message),
    pause: () => {
      pause ??= createPause();
    },
    resume,
    stop(why = new ToolError("STOPPED", "The turn was stopped.")) {
      turn.abort(why);
      resume();
    },
    checkpoint() {
      passOrThrow();
      return pause ? wait(part).then(passOrThrow) : undefined;
    },
    async take() {
      await wait(turn);
      if (said.length === 0) return [];
      part.close();
      part = createCancellation(turn.signal);
      return said.splice(0);
    },
    close() {
      resume();
      part.close();
      turn.close();
      return said.splice(0);
    },
  };
}

interface Pause {
  /** How long somebody has been waiting at it. */
  heldMs(): number;
  wait(work: Cancellation): Promise<void>;
  end(): void;
}

function createPause(): Pause {
  let end = (): void => {};
  let since: number | undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    heldMs: () => (since === undefined ? 0 : performance.now() - since),
    async wait(work) {
      since ??= performance.now();
      try {
        await work.race(() => over);
      } catch {
        // Whoever is stopped looks at the reason himself.
      }
    },
    end,
  };
}
