/** Which agent an event is of. */
export interface EventAgent {
  /** As its superior names it. */
  readonly id: string;
  readonly profile: string;
  /** 1 for a subordinate of the agent that a person talks to. */
  readonly depth: number;
  /** The turn of its superior that it works for. */
  readonly askedBy: string;
}
