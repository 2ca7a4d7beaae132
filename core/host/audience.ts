import type { Denial } from "../governance/denials.ts";
import type { RiskLevel } from "../sdk/tool.ts";

/** What a person has said of one call, beyond that call. */
export interface Said {
  readonly id: string;
  readonly risk: RiskLevel;
  readonly riskProfile: string;
}

/** A conversation that a person has with an agent, or a call of its own. */
export interface Conversation {
  readonly session: string;
  /** It is written down, and so is what a person approves for it. */
  readonly kept: boolean;
  /** One call, and nothing behind it. */
  readonly isCall: boolean;
  /** Approved for as long as it goes on, by the hash of the call; where it is not kept. */
  approved: Map<string, Said> | undefined;
  /** Of the turn that runs. */
  turn: Audience | undefined;
}

/**
 * Whom the questions of a turn go to, and what was said in it: the same for all that works for the turn, however far
 * below. Plain fields, because one is made for every call.
 */
export interface Audience {
  readonly conversation: Conversation;
  /** Where the conversation is had. */
  readonly face: string;
  /** For the rest of the turn, by the hash of the call. */
  approved: Map<string, Said> | undefined;
  denied: Map<string, Denial> | undefined;
  /** How many questions are open, since when, and how long there were any before. */
  open: number;
  since: number;
  waitedMs: number;
}

export function createConversation(facts: Pick<Conversation, "session" | "kept" | "isCall">): Conversation {
  const { session, kept, isCall } = facts;
  return { session, kept, isCall, approved: undefined, turn: undefined };
}

/** What was approved for the turn holds no longer, also for what goes on in the background. */
export function endTurn(conversation: Conversation): void {
  if (conversation.turn) conversation.turn.approved = undefined;
  conversation.turn = undefined;
}

/** @param face of the agent that the person talks to */
export function createAudience(conversation: Conversation, face: string): Audience {
  return { conversation, face, approved: undefined, denied: undefined, open: 0, since: 0, waitedMs: 0 };
}

/** How long the turn has waited for a person, in milliseconds: no deadline of its calls counts it. */
export function waitedMs({ open, since, waitedMs: before }: Audience): number {
  return open === 0 ? before : before + performance.now() - since;
}

/** Waits for a person in the time that no deadline counts. */
export async function waiting<T>(audience: Audience, work: () => Promise<T>): Promise<T> {
  if (audience.open++ === 0) audience.since = performance.now();
  try {
    return await work();
  } finally {
    if (--audience.open === 0) audience.waitedMs += performance.now() - audience.since;
  }
}
