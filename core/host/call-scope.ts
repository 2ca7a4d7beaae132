import type { Control } from "../agent/control.ts";
import type { History } from "../agent/history.ts";
import type { CallHistory } from "../dispatch/environment.ts";
import type { SeenFiles } from "../governance/seen-files.ts";
import type { Taint } from "../governance/taint.ts";
import type { AgentProcesses } from "../processes/agent-processes.ts";
import type { EventAgent } from "../sdk/events.ts";
import type { LoopData } from "../sdk/tool.ts";
import type { Audience } from "./audience.ts";
import type { Authority } from "./authority.ts";
import type { ToolLimits } from "./limits.ts";
import type { CallSpills } from "./sessions.ts";
import type { Team, TeamScope } from "./team.ts";

/** The turn that a call belongs to. */
export interface TurnContext {
  readonly id: string;
  /** The id of the conversation. */
  readonly session: string;
  readonly history: History;
  readonly loopData: LoopData;
  readonly spills: CallSpills;
  readonly seen: SeenFiles;
  readonly processes: AgentProcesses;
  readonly control: Control;
  /** Who works for the agent. */
  readonly team: Team;
  readonly limits: ToolLimits;
  /** What it may do within them. */
  readonly authority: Authority;
  /** The conversation whose calls count together: of an agent and of all that work for it. */
  readonly account: string;
  /** Whom its questions go to. */
  readonly audience: Audience;
  /** What it has read, and whoever works for it. */
  readonly taint: Taint;
  /** Set for a subordinate. */
  readonly agent: EventAgent | undefined;
  /** The background call that it works in. */
  readonly background: string | undefined;
  /** Rounds of the turn, the one that runs included. */
  roundsLeft(): number;
}

/** What a call is made in: a turn, or nothing but itself. */
export interface CallScope {
  readonly id: string;
  /** Absent without a conversation. */
  readonly session?: string;
  readonly loopData: LoopData;
  readonly spills: CallSpills;
  /** Absent without a conversation. */
  readonly seen?: SeenFiles;
  readonly processes: AgentProcesses;
  readonly history?: History | undefined;
  readonly control?: Control | undefined;
  readonly authority: Authority;
  readonly audience: Audience;
  readonly limits: ToolLimits;
  readonly account: string;
  readonly taint: Taint;
  team(): Team;
  /** Where calls are noted; default: in the history. */
  readonly calls?: CallHistory | undefined;
  readonly agent?: EventAgent | undefined;
  readonly background?: string | undefined;
  roundsLeft?(): number | undefined;
}

export function scopeOf(turn: TurnContext): CallScope {
  return { ...turn, team: () => turn.team };
}

/** What a team has to know of it. */
export function teamScopeOf(
  { id: turnId, authority, audience, control, taint, background, roundsLeft }: CallScope,
  served: Pick<TeamScope, "registry" | "masker" | "limitsBelow" | "openJob">,
): TeamScope {
  return { ...served, turnId, authority, audience, control, taint, background, roundsLeft: () => roundsLeft?.() };
}
