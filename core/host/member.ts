import type { TurnOutcome } from "../agent/turn-options.ts";
import type { Taint } from "../governance/taint.ts";
import type { ToolError } from "../sdk/errors.ts";
import type { Usage } from "../sdk/events.ts";
import type { Audience } from "./audience.ts";
import type { ToolLimits } from "./limits.ts";
import type { SubordinateSession } from "./sessions.ts";

/** What binds one turn of a subordinate. */
export interface TaskTerms {
  /** Stops it. */
  readonly signal: AbortSignal;
  readonly limits: ToolLimits;
  /** Whom its questions go to. */
  readonly audience: Audience;
  /** What the turn has read that it works for: the same for both. */
  readonly taint: Taint;
  /** How many rounds it may take. */
  readonly rounds: number | undefined;
  /** The background call that it works in, if it works in one. */
  readonly background: string | undefined;
  /** The turn that it works for. */
  readonly askedBy: string;
  /** Whether its superior is paused. */
  paused(): boolean;
  /** Takes what a person said when it did not listen any more. */
  handUp(message: string): void;
}

/** A subordinate, as its superior's host holds it. */
export interface Member {
  readonly profile: string;
  /** @throws HostError AGENT_BUSY, ROLE_MISSING, MODEL_UNREACHABLE, MODEL_REFUSED */
  work(message: string, terms: TaskTerms): Promise<TurnOutcome>;
  /** @returns false where it is not at work */
  intervene(message: string): boolean;
  /** What it and those below it have used, for as long as it is held. */
  usage(): Usage;
  /** Holds it and all that work for it, or lets them go. */
  hold(paused: boolean): void;
  /** Stops what it has running in the background. @returns whether anything did */
  stop(reason: ToolError): boolean;
  close(): void;
}

/** Where a subordinate is made or taken up again. */
export interface MemberChoice {
  readonly profile: string;
  readonly session: SubordinateSession;
  /** An earlier process left it. */
  readonly resume: boolean;
}
