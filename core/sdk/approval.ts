import type { EventAgent } from "./event-agent.ts";
import type { Json } from "./json.ts";
import type { JsonObject } from "./result.ts";
import type { RiskLevel } from "./risk-level.ts";

/**
 * For how long an approval holds. `once`: this call. `turn`, `session`: this call and others of the same tool, method and
 * arguments, until the turn, or the conversation, ends. `pattern`: calls of the tool with arguments like these, for a time.
 */
export type ApprovalScope = "once" | "turn" | "session" | "pattern";

/** A call that waits for a person. Plain data, masked; secrets are placeholders. */
export interface ApprovalRequest {
  /** Of the question. */
  readonly id: string;
  readonly turnId: string;
  readonly callId: string;
  /** The conversation that the person has: that of the agent at the top, also where a subordinate asks. */
  readonly session: string;
  /** Where that conversation is had: `cli`, `library`, … */
  readonly face: string;
  /** The subordinate that asks; absent for the agent that the person talks to. */
  readonly agent?: EventAgent;
  /** The background call that asks. */
  readonly job?: string;
  /** The tool's id. */
  readonly tool: string;
  readonly owner: string;
  readonly method?: string;
  /** Exactly what would run. */
  readonly args: JsonObject;
  /** SHA-256 of tool, method, arguments and the content of the tool's modules: what an approval is bound to. */
  readonly hash: string;
  readonly risk: { readonly level: RiskLevel; readonly reasons: readonly string[] };
  /** The key of the risk profile that asks. */
  readonly rule: string;
  /** That setting with its risk profile and file. */
  readonly setting: string;
  /** What the call would change, as its tool shows it; absent where it shows nothing. */
  readonly preview?: string;
  /** What an approval may be given for. `pattern` is left out where none could cover the call. */
  readonly scopes: readonly ApprovalScope[];
  /** How long the answer is waited for. */
  readonly timeoutMs: number;
  /** All of this for a person: the whole call, with what cannot be seen (control characters, changes of direction) made visible. */
  readonly text: string;
}

/** What a person, or who decides for him, says of a call. Anything else is no decision, and nothing is run. */
export type ApprovalDecision = ApprovalAnswer & {
  /** Who says so. Default: the face of the conversation. */
  readonly by?: string;
  /**
   * {@link ApprovalRequest.id} of the question that is answered, and {@link ApprovalRequest.hash} of the call that is
   * meant: for answers that come from far away, by a channel that could give them twice or to another question. Where
   * either is another one's, nothing is run. Default: those of the question.
   */
  readonly question?: string;
  readonly hash?: string;
};

type ApprovalAnswer =
  | { readonly decision: "approve"; readonly scope?: Exclude<ApprovalScope, "pattern"> }
  /** `args`: a pattern for each argument that matters, as in `auto_approve`; absent: any arguments. At most 30 days. */
  | {
      readonly decision: "approve";
      readonly scope: "pattern";
      readonly args?: { readonly [name: string]: Json };
      readonly forMs: number;
    }
  /** `message`: why, in words for the model. */
  | { readonly decision: "deny"; readonly message?: string }
  /** The call is not run, and the model is given this text, marked as a person's; at most 64 KB. */
  | { readonly decision: "replace"; readonly message: string };

/**
 * Decides about calls that ask; one question at a time. What it throws is no decision.
 * @param options.signal fires when nobody waits for the answer any more: the call was stopped, or time is up
 */
export type Approver = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalDecision | PromiseLike<ApprovalDecision>;

/** An approval that holds for more than one call. */
export interface StandingApproval {
  readonly id: string;
  /** Of scope `turn`, and of `session` where the conversation is not written down, only the host knows that it was given to. */
  readonly scope: "turn" | "session" | "pattern";
  /** The tool's id. */
  readonly tool: string;
  readonly method?: string;
  /** Of scope `turn` and `session`: the conversation, and what is approved there. */
  readonly session?: string;
  readonly hash?: string;
  /** Of scope `pattern`: what arguments have to be like; absent: any. */
  readonly args?: { readonly [name: string]: Json };
  /** ISO 8601, UTC. Of scope `pattern`. */
  readonly expires?: string;
  /** The highest risk that it covers. */
  readonly risk: RiskLevel;
  /** Of the risk profile that asked. */
  readonly riskProfile: string;
  /** Where the conversation was had that it was given in; it covers no calls of another one. */
  readonly face: string;
  /** SHA-256 of the content of the tool's modules: another version of them is asked about again. */
  readonly modules: string;
  /** The call that was asked about: the beginning of its arguments, masked. */
  readonly shown: string;
  readonly by: string;
  /** ISO 8601, UTC. */
  readonly given: string;
}
