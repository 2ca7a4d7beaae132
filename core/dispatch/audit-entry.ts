import type { AuditEntry } from "../governance/audit-line.ts";
import { type Denial, settingOfRuling } from "../governance/denials.ts";
import type { Json } from "../sdk/json.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { Call } from "./call.ts";
import type { CallFacts } from "./call-facts.ts";
import type { CallAudit } from "./environment.ts";
import { guarded } from "./events.ts";
import { isObject } from "./schema-rules.ts";

/** Of the arguments so much is told in words. */
const SUMMARY = 200;

interface Concluded {
  readonly facts: CallFacts;
  readonly result: ToolResult;
  readonly audit: CallAudit;
}

/** Writes down what was decided of a call, why, and what came of it. It never keeps a call from going on. */
export function noteDecision(call: Call, { facts, result, audit }: Concluded): void {
  guarded(call.env, "the audit log", () => audit.note(entryOf(call, { facts, result, audit })));
}

function entryOf(call: Call, { facts, result, audit }: Concluded): AuditEntry {
  const { clean, verdict, judged, method } = call;
  const { face, call: id, tool, owner, args, decision, code, approver, outcome, generation } = facts;
  const { session, turn, agent, subordinate } = audit;
  const { ruling } = verdict ?? judged ?? {};
  const denial = verdict && "deny" in verdict ? verdict.deny : undefined;
  const told = denial ?? (verdict ? undefined : ruleIn(result.error?.cause));
  const setting = told?.setting ?? (ruling && settingOfRuling(tool, ruling));
  return {
    face,
    session,
    turn,
    agent,
    subordinate,
    call: id,
    tool: `tool.${tool}`,
    owner,
    method: method === undefined ? null : clean.kept(method),
    args,
    summary: summaryOf(call),
    decision,
    code,
    rule: clean.kept(told?.rule ?? ruling?.by ?? "") || null,
    setting: clean.kept(setting ?? "") || null,
    risk: ruling ? { level: ruling.risk.level, reasons: ruling.risk.reasons.map(clean.kept) } : null,
    approver,
    outcome,
    durationMs: result.stats.durationMs,
    generation,
  };
}

/** Of what was refused before any verdict: whoever does it names its rule as the cause. */
function ruleIn(cause: Json | undefined): Pick<Denial, "rule" | "setting"> | undefined {
  if (!isObject(cause)) return undefined;
  const { rule, setting } = cause;
  return typeof rule === "string" && typeof setting === "string" ? { rule, setting } : undefined;
}

/** Masked before it is cut. */
function summaryOf({ env, asked, authorised, maskedArgs }: Call): string {
  const text = JSON.stringify(maskedArgs ?? env.masker.maskJson(authorised ?? asked));
  if (text.length <= SUMMARY) return text;
  // Not in the middle of a character.
  return `${text.slice(0, SUMMARY).replace(/[\ud800-\udbff]$/, "")}…`;
}
