import type { ApprovalDecision, ApprovalScope } from "../sdk/approval.ts";
import type { Json } from "../sdk/json.ts";

/** A decision that can be carried out. */
export type ReadDecision =
  | { readonly approve: Exclude<ApprovalScope, "pattern"> }
  | { readonly approve: "pattern"; readonly args: ArgumentPatterns | undefined; readonly forMs: number }
  | { readonly deny: string | undefined }
  | { readonly replace: string };

/** A pattern for each argument that matters. */
export type ArgumentPatterns = { readonly [name: string]: Json };

/** So long a text may be that stands in place of a result, in bytes. */
export const MAX_REPLACEMENT = 64 * 1024;
/** So long a pattern may hold: 30 days. */
export const MAX_PATTERN_MS = 30 * 24 * 3_600_000;
const MAX_WHY = 2000;

/** Checks what an approver answered, as if it came from anywhere. */
export function readDecision(
  given: unknown,
  scopes: readonly ApprovalScope[],
): ReadDecision | { readonly fault: string } {
  if (typeof given !== "object" || given === null) return { fault: `expected a decision, found ${typeof given}` };
  const { decision, ...rest } = given as { readonly decision?: unknown } & Record<string, unknown>;
  if (decision === "approve") return readApproval(rest, scopes);
  const { message } = rest as Partial<Extract<ApprovalDecision, { message?: string }>>;
  if (decision === "deny") {
    const why = typeof message === "string" ? cleaned(message).slice(0, MAX_WHY).trim() : "";
    return { deny: why === "" ? undefined : why };
  }
  if (decision !== "replace") return { fault: 'expected the decision "approve", "deny" or "replace"' };
  if (typeof message !== "string") return { fault: "expected a text in place of the result" };
  const bytes = Buffer.byteLength(message);
  if (bytes > MAX_REPLACEMENT) {
    return { fault: `expected at most ${MAX_REPLACEMENT} bytes in place of the result, found ${bytes}` };
  }
  const text = cleaned(message);
  return text.trim() === "" ? { fault: "expected a text in place of the result, found none" } : { replace: text };
}

function readApproval(
  given: Readonly<Record<string, unknown>>,
  scopes: readonly ApprovalScope[],
): ReadDecision | { readonly fault: string } {
  const { scope = "once", args, forMs } = given;
  const approve = scopes.find((one) => one === scope);
  if (!approve) return { fault: `expected a scope of ${scopes.join(", ")}, found ${String(scope)}` };
  if (approve !== "pattern") return { approve };
  if (typeof forMs !== "number" || !(forMs > 0 && forMs <= MAX_PATTERN_MS)) {
    return { fault: `expected a time of at most ${MAX_PATTERN_MS} ms for a pattern, found ${String(forMs)}` };
  }
  if (args === undefined) return { approve, args, forMs };
  const isMap = typeof args === "object" && args !== null && !Array.isArray(args) && Object.keys(args).length > 0;
  return isMap ? { approve, args: args as ArgumentPatterns, forMs } : { fault: "expected patterns by argument" };
}

/** Without control characters, but for line breaks and tabs. */
function cleaned(text: string): string {
  return text.replace(/\r\n?/gu, "\n").replace(/[^\P{Cc}\n\t]|\p{Cs}/gu, "");
}
