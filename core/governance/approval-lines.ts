import type { StandingApproval } from "../sdk/approval.ts";
import type { Json } from "../sdk/json.ts";

const VERSION = 1;

/** A line of the file of standing approvals, without its end: one more holds. */
export function approvalLine(approval: StandingApproval): string {
  return JSON.stringify({ v: VERSION, type: "approval", ...approval });
}

/** One holds no longer. */
export function revokedLine(id: string): string {
  return JSON.stringify({ v: VERSION, type: "revoked", id });
}

/** What a line says. */
type ReadLine = { readonly approval: StandingApproval } | { readonly revoked: string } | { readonly fault: string };

/** Checks a line as if anybody had written it. */
export function readApprovalLine(line: string): ReadLine {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
  } catch {
    return { fault: "expected JSON, found something else" };
  }
  const fields = (typeof value === "object" && value !== null ? value : {}) as { readonly [key: string]: Json };
  const { v, type, ...rest } = fields;
  if (v !== VERSION) return { fault: `expected version ${VERSION}, found ${JSON.stringify(v) ?? "none"}` };
  if (type === "revoked" && typeof rest.id === "string") return { revoked: rest.id };
  const wrong = type === "approval" ? faultyField(rest) : "type";
  return wrong === undefined
    ? { approval: rest as unknown as StandingApproval }
    : { fault: `expected an approval, found another value of ${wrong}` };
}

type FieldCheck = (value: Json | undefined) => boolean;
const isText: FieldCheck = (value) => typeof value === "string" && value !== "";
const isTime: FieldCheck = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isAbsent: FieldCheck = (value) => value === undefined;
const isPattern: FieldCheck = (value) =>
  value === undefined || (typeof value === "object" && value !== null && !Array.isArray(value));
const isRisk: FieldCheck = (value) => value === "low" || value === "medium" || value === "high";

const COMMON: Readonly<Record<string, FieldCheck>> = {
  id: isText,
  tool: isText,
  method: (value) => value === undefined || isText(value),
  risk: isRisk,
  riskProfile: isText,
  face: isText,
  modules: isText,
  shown: (value) => typeof value === "string",
  by: isText,
  given: isTime,
};
/** What a scope adds; what belongs to the other one must not be there, or a mistake would widen an approval. */
const SCOPES: Readonly<Record<string, Readonly<Record<string, FieldCheck>>>> = {
  session: { session: isText, hash: isText, args: isAbsent, expires: isAbsent },
  pattern: { session: isAbsent, hash: isAbsent, args: isPattern, expires: isTime },
};

function faultyField(fields: { readonly [key: string]: Json }): string | undefined {
  const { scope } = fields;
  const own = typeof scope === "string" && Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  if (!own) return "scope";
  const checks = { scope: isText, ...COMMON, ...own };
  const unknown = Object.keys(fields).find((key) => !Object.hasOwn(checks, key));
  return unknown ?? Object.entries(checks).find(([key, check]) => !check(fields[key]))?.[0];
}
