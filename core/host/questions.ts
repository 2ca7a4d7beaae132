import { randomBytes } from "node:crypto";
import type { Verdict } from "../dispatch/environment.ts";
import type { AskedCall } from "../governance/approval-cover.ts";
import { type ArgumentPatterns, type ReadDecision, readDecision } from "../governance/approval-decision.ts";
import { approvalText } from "../governance/approval-text.ts";
import { createCancellation } from "../governance/cancellation.ts";
import {
  approvalExpired,
  approvedAnother,
  type Denial,
  deniedByPerson,
  nobodyToAsk,
  settingOfRuling,
} from "../governance/denials.ts";
import type { Masker } from "../governance/mask.ts";
import type { ProcessGuard } from "../governance/process-guard.ts";
import type { ApprovalRequest, ApprovalScope, Approver } from "../sdk/approval.ts";
import { ToolError } from "../sdk/errors.ts";
import type { EventMap } from "../sdk/events.ts";
import type { AskingCall } from "./asking-call.ts";
import { waiting } from "./audience.ts";
import type { Events } from "./events.ts";

/** Puts questions to a person, one after the other. */
export interface Questions {
  /** Calls that wait for an answer, in the order in which they are asked about. */
  open(): readonly ApprovalRequest[];
  /** @throws ToolError what stopped the call while it waited */
  put(asking: AskingCall, terms: QuestionTerms): Promise<Verdict>;
}

/** What a question comes to. */
export interface QuestionTerms {
  readonly asked: AskedCall;
  /** Asked again when the question's turn comes: what was answered meanwhile may answer it, too. */
  known(): Verdict | undefined;
  /** Whether an approval of these patterns would be one for the call. */
  patternCovers(args: ArgumentPatterns | undefined): boolean;
  /** Carries a person's decision out. */
  settle(answered: Answered): Verdict;
}

/** A person's decision that can be carried out. */
export interface Answered {
  /** Of the question. */
  readonly id: string;
  readonly decision: ReadDecision;
  readonly by: string;
}

/** What {@link createQuestions} takes. */
export interface QuestionsOptions {
  readonly approver: Approver | undefined;
  readonly masker: Pick<Masker, "maskJson">;
  readonly events: Pick<Events, "emit">;
  readonly guard: Pick<ProcessGuard, "leave"> | undefined;
}

export function createQuestions({ masker, events, guard, ...options }: QuestionsOptions): Questions {
  const approver = options.approver && outsideContent(options.approver, guard);
  const open: ApprovalRequest[] = [];
  let last: Promise<void> = Promise.resolve();

  const decided = (asking: AskingCall, { id }: ApprovalRequest, what: Decided): void => {
    events.emit({ type: "approval_decided", ...callOf(asking), id, ...what });
  };
  const refuse = (asking: AskingCall, request: ApprovalRequest, denial: Denial): Verdict => {
    const { code, message, hint } = denial;
    const outcome = OUTCOMES[code] ?? "no_approver";
    decided(asking, request, { outcome, code, message: `${message}. ${hint}` });
    return { deny: denial, decision: "ask", rule: denial.rule };
  };

  const ask = async (asking: AskingCall, request: ApprovalRequest, terms: QuestionTerms): Promise<Verdict> => {
    const { call, ruling } = asking;
    const { tool, id, face, scopes, hash, timeoutMs: ms } = request;
    const { turnId, callId, agent: _agent, tool: _tool, ...shown } = request;
    events.emit({ type: "approval_requested", ...callOf(asking), ...shown });
    if (!approver) return refuse(asking, request, nobodyToAsk(tool, ruling));
    const work = createCancellation(call.signal());
    const expired = new ToolError("APPROVAL_EXPIRED", "nobody answered in time");
    try {
      const given = await work.race(() => approver(request, { signal: work.signal }), { ms, expired: () => expired });
      const decision = readDecision(given, scopes);
      if ("fault" in decision) return refuse(asking, request, nobodyToAsk(tool, ruling, decision.fault));
      const { question = id, hash: meant = hash } = given;
      if (question !== id || meant !== hash) return refuse(asking, request, approvedAnother(tool, ruling));
      if ("forMs" in decision && !terms.patternCovers(decision.args)) {
        const fault = "the pattern that was approved does not mean this call";
        return refuse(asking, request, nobodyToAsk(tool, ruling, fault));
      }
      const by = typeof given.by === "string" && given.by !== "" ? given.by : face;
      decided(asking, request, decisionFacts(decision, { tool, by, asking }));
      return terms.settle({ id, decision, by });
    } catch (error) {
      if (error === expired) return refuse(asking, request, approvalExpired(tool, ruling, ms));
      if (work.reason) {
        decided(asking, request, { outcome: "withdrawn" });
        throw work.reason;
      }
      const words = error instanceof Error ? error.message : String(error);
      return refuse(asking, request, nobodyToAsk(tool, ruling, `whoever was asked failed: ${words}`));
    } finally {
      work.close();
    }
  };

  return {
    open: () => [...open],
    async put(asking, terms) {
      // Read before the question has its place among the others, so that a slow one keeps nobody waiting.
      const { call, scope } = asking;
      const showing = approver && call.preview?.(scope.authority.policy.values);
      const preview = showing && (await waiting(scope.audience, async () => await showing));
      const request = masker.maskJson(requestOf(asking, terms, preview));
      const shown = { ...request, text: approvalText(request) };
      if (!approver) return await ask(asking, shown, terms);
      open.push(shown);
      const before = last;
      let done = (): void => {};
      const mine = new Promise<void>((resolve) => {
        done = resolve;
      });
      last = before.then(() => mine);
      const work = createCancellation(asking.call.signal());
      try {
        return await waiting(asking.scope.audience, async () => {
          await work.race(() => before);
          return terms.known() ?? (await ask(asking, shown, terms));
        });
      } finally {
        work.close();
        open.splice(open.indexOf(shown), 1);
        done();
      }
    },
  };
}

/** A call of content may be what is asked about, and what an approver prints is the host's. */
function outsideContent(approver: Approver, guard: QuestionsOptions["guard"]): Approver {
  return guard ? (request, options) => guard.leave(() => approver(request, options)) : approver;
}

type Decided = Omit<EventMap["approval_decided"], "turnId" | "agent" | "callId" | "name" | "id">;

const OUTCOMES: { readonly [Code in Denial["code"]]?: Decided["outcome"] } = {
  APPROVAL_EXPIRED: "expired",
  APPROVAL_MISMATCH: "mismatch",
};

function decisionFacts(
  decision: ReadDecision,
  { tool, by, asking }: { readonly tool: string; readonly by: string; readonly asking: AskingCall },
): Decided {
  if ("approve" in decision) return { outcome: "approved", scope: decision.approve, approver: by };
  if ("replace" in decision) return { outcome: "replaced", approver: by };
  const { code, message } = deniedByPerson(tool, asking.ruling, decision.deny);
  return { outcome: "denied", approver: by, code, message };
}

function callOf({ call, scope }: AskingCall) {
  const { id: turnId, agent } = scope;
  return { turnId, callId: call.id, name: call.tool.id, ...(agent ? { agent } : {}) };
}

function requestOf(
  { call, scope, ruling }: AskingCall,
  { asked, patternCovers }: QuestionTerms,
  preview: string | undefined,
): ApprovalRequest {
  const { tool, owner, method, args } = call;
  const { audience, agent, background, id: turnId, authority } = scope;
  const { conversation, face } = audience;
  const scopes: ApprovalScope[] = conversation.isCall ? ["once"] : ["once", "turn", "session"];
  if (asked.alwaysAsk < 3 && (patternCovers(undefined) || Object.keys(args).length > 0)) scopes.push("pattern");
  return {
    // Short, because a person types it to revoke what he approved.
    id: randomBytes(6).toString("hex"),
    turnId,
    callId: call.id,
    session: conversation.session,
    face,
    ...(agent ? { agent } : {}),
    ...(background === undefined ? {} : { job: background }),
    tool: tool.id,
    owner,
    ...(method === undefined ? {} : { method }),
    args,
    hash: asked.hash,
    risk: { level: ruling.risk.level, reasons: ruling.risk.reasons },
    rule: ruling.by,
    setting: settingOfRuling(tool.id, ruling),
    ...(preview ? { preview } : {}),
    scopes,
    timeoutMs: authority.policy.values.approval_timeout_ms as number,
    text: "",
  };
}
