import { compareText, type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { Verdict } from "../dispatch/environment.ts";
import { type AskedCall, alwaysAskMatch, covers, isWithin } from "../governance/approval-cover.ts";
import { approvalHash } from "../governance/approval-hash.ts";
import { type Denial, deniedByPerson } from "../governance/denials.ts";
import { openStandingApprovals, type StandingApprovals } from "../governance/standing-approvals.ts";
import { visibleLine } from "../governance/visible-text.ts";
import type { ApprovalRequest, StandingApproval } from "../sdk/approval.ts";
import type { AskingCall } from "./asking-call.ts";
import type { Said } from "./audience.ts";
import { createPassingApprovals } from "./passing-approvals.ts";
import { type Answered, createQuestions, type QuestionsOptions } from "./questions.ts";

/** The approvals of a host, as a person sees them. */
export interface HostApprovals {
  /** Approvals that hold for more than one call, the oldest first; of this host's turns and conversations those of scope `turn`, too. */
  list(): readonly StandingApproval[];
  /** Calls that wait for an answer now, the one that is asked first. */
  open(): readonly ApprovalRequest[];
  /**
   * Ends approvals; calls that run go on.
   * @returns the ids of those that are ended
   * @throws HostError APPROVAL_UNKNOWN (usage), APPROVALS_UNWRITABLE
   */
  revoke(ids: readonly string[] | "all"): readonly string[];
}

/** Gives calls leave that ask. */
export interface Approvals extends HostApprovals {
  /** Ends the approvals of a conversation that was written down and is no more. */
  sessionDeleted(id: string): void;
  /** @throws ToolError what stopped the call while it waited */
  decide(asking: AskingCall): Verdict | Promise<Verdict>;
}

/** What {@link createApprovals} takes. */
export interface ApprovalsOptions extends QuestionsOptions {
  /** Of the standing approvals, absolute. */
  readonly file: string;
  /** How a file is named in messages. */
  display(file: string): string;
  report(item: Diagnostic): void;
}

export function createApprovals({ file, display, report, ...options }: ApprovalsOptions): Approvals {
  const { masker } = options;
  const now = (): Date => new Date();
  const standing = openStandingApprovals({ file, shown: display(file), now, report });
  const passing = createPassingApprovals();
  const questions = createQuestions(options);
  const decide = (asking: AskingCall): Verdict | Promise<Verdict> => {
    const asked = askedCall(asking);
    if ("code" in asked) return { deny: asked, ...factsOf(asking) };
    const known = knownAnswer(asking, asked, standing);
    if (known) return known;
    return questions.put(asking, {
      asked,
      // What was answered meanwhile may be the answer to this one, too.
      known: () => knownAnswer(asking, asked, standing),
      patternCovers: (args) => covers(approvalOf(asked, { args, forMs: 0 }, NOBODY), asked),
      settle(answered) {
        remember(asking, asked, answered);
        return verdictOf(asking, asked, answered);
      },
    });
  };

  const remember = (asking: AskingCall, asked: AskedCall, { id, decision, by }: Answered): void => {
    const { audience } = asking.scope;
    const { conversation } = audience;
    const { hash, risk, riskProfile } = asked;
    if ("deny" in decision) {
      audience.denied ??= new Map();
      audience.denied.set(hash, deniedByPerson(asked.tool, asking.ruling, decision.deny));
    }
    if (!("approve" in decision) || decision.approve === "once") return;
    const pattern = decision.approve === "pattern" ? decision : undefined;
    const shown = shownCall({ ...asked, args: masker.maskJson(asked.args) });
    const approval = masker.maskJson(approvalOf(asked, pattern, { id, by, given: now(), shown }));
    const said: Said = { id, risk, riskProfile };
    if (decision.approve === "turn") passing.add({ ...approval, scope: "turn" }, { where: audience, hash, said });
    else if (decision.approve === "session" && !conversation.kept)
      passing.add(approval, { where: conversation, hash, said });
    else standing.add(approval);
  };
  const list = (): readonly StandingApproval[] =>
    [...standing.list(), ...passing.list()].sort((a, b) => compareText(a.given, b.given));

  return {
    decide,
    list,
    open: questions.open,
    sessionDeleted(id) {
      const held = standing.list().filter(({ session }) => session === id);
      // Where it cannot be written down that is told, and nobody has that session any more.
      if (held.length > 0) standing.revoke(held.map((approval) => approval.id));
    },
    revoke(ids) {
      if (ids !== "all") requireKnown(ids, list());
      const ended = passing.revoke(ids);
      const revoked = standing.revoke(ids);
      if (revoked) return [...revoked, ...ended];
      const message = "the end of an approval could not be written down, so it goes on";
      throw hostError(diagnostic("APPROVALS_UNWRITABLE", { message, hint: "Make the file of approvals writable." }));
    },
  };
}

function askedCall({ call, scope, ruling }: AskingCall): AskedCall | Denial {
  const { tool, method, args } = call;
  const { authority, audience } = scope;
  const { id, modules } = tool;
  try {
    return {
      tool: id,
      method,
      args,
      modules,
      hash: approvalHash({ tool: id, method, args, modules }),
      risk: ruling.risk.level,
      riskProfile: ruling.profile.name,
      session: audience.conversation.session,
      face: audience.face,
      // What the call holds, or what was read before it, is news to whoever allowed calls like it.
      alwaysAsk: ruling.raised ? 3 : alwaysAskMatch({ names: authority.names(id), args }, authority.policy),
    };
  } catch (error) {
    const message = `${id} was not run: a person would be asked, and its arguments cannot be shown: ${(error as Error).message}`;
    return { code: "INVALID_PARAM", rule: ruling.by, setting: "", message, hint: "Send well-formed text." };
  }
}

/** What follows from what was said before, without asking. */
function knownAnswer(asking: AskingCall, asked: AskedCall, standing: StandingApprovals): Verdict | undefined {
  const { approved, denied, conversation } = asking.scope.audience;
  const { hash, risk, riskProfile } = asked;
  const denial = denied?.get(hash);
  if (denial) return { deny: denial, ...factsOf(asking), approver: "an earlier answer" };
  const said = approved?.get(hash) ?? conversation.approved?.get(hash);
  if (said && said.riskProfile === riskProfile && isWithin(risk, said.risk)) return leave(asking, asked, said.id);
  const stands = standing.list().find((approval) => covers(approval, asked));
  return stands && leave(asking, asked, stands.id);
}

function leave(asking: AskingCall, { hash }: AskedCall, id: string): Verdict {
  return { run: true, ...factsOf(asking), approver: `approval ${id}`, approval: id, bound: hash };
}

function verdictOf(asking: AskingCall, { tool, hash }: AskedCall, { id, decision, by }: Answered): Verdict {
  const facts = { ...factsOf(asking), approver: by, approval: id };
  if ("approve" in decision) return { run: true, ...facts, bound: hash };
  if ("deny" in decision) return { deny: deniedByPerson(tool, asking.ruling, decision.deny), ...facts };
  const message = `${tool} was not run: a person was asked, and gave this text in place of its result.\n${decision.replace}`;
  return { replace: { message }, ...facts };
}

function factsOf({ ruling }: AskingCall): { readonly decision: "ask"; readonly rule: string } {
  return { decision: "ask", rule: ruling.by };
}

/** So much of the arguments is kept to tell what was approved. */
const MAX_SHOWN = 200;

function shownCall({ method, args }: Pick<AskedCall, "method" | "args">): string {
  const shown = visibleLine(`${method === undefined ? "" : `:${method} `}${JSON.stringify(args)}`);
  return shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}…` : shown;
}

interface Given {
  readonly id: string;
  readonly by: string;
  readonly given: Date;
  readonly shown: string;
}

const NOBODY: Given = { id: "", by: "", given: new Date(0), shown: "" };

/** @param pattern absent: of exactly this call, in its session */
function approvalOf(
  { tool, method, hash, modules, risk, riskProfile, session, face }: AskedCall,
  pattern: { readonly args: StandingApproval["args"] | undefined; readonly forMs: number } | undefined,
  { id, by, given, shown }: Given,
): StandingApproval {
  const of = { id, tool, ...(method === undefined ? {} : { method }), risk, riskProfile, face, modules };
  const common = { ...of, shown, by, given: given.toISOString() };
  if (!pattern) return { ...common, scope: "session", session, hash };
  const { args, forMs } = pattern;
  const expires = new Date(given.getTime() + forMs).toISOString();
  return { ...common, scope: "pattern", ...(args === undefined ? {} : { args }), expires };
}

/** @throws HostError APPROVAL_UNKNOWN (usage) */
function requireKnown(ids: readonly string[], held: readonly StandingApproval[]): void {
  const unknown = ids.find((id) => !held.some((approval) => approval.id === id));
  if (unknown === undefined) return;
  const message = `expected the id of a standing approval, found ${unknown}`;
  throw hostError(diagnostic("APPROVAL_UNKNOWN", { message, hint: "approvals list shows them." }), "usage");
}
