import { MAX_PATTERN_MS, MAX_REPLACEMENT } from "../governance/approval-decision.ts";
import { createCallPatterns } from "../governance/call-pattern.ts";
import type { ApprovalDecision, ApprovalRequest } from "../sdk/approval.ts";
import type { Json } from "../sdk/json.ts";

/** What a person can answer, in one line. */
export function choicesText({ scopes, timeoutMs }: Pick<ApprovalRequest, "scopes" | "timeoutMs">): string {
  const choices = [
    "y yes",
    ...(scopes.includes("turn") ? ["t for this turn"] : []),
    ...(scopes.includes("session") ? ["a always in this session"] : []),
    ...(scopes.includes("pattern") ? ["p 1h [ARGUMENT=PATTERN] calls like it, for a time"] : []),
    "n no [WHY]",
    "r TEXT in place of the result",
  ];
  return `Run it? ${choices.join(" · ")} (within ${Math.round(timeoutMs / 1000)} s)`;
}

/** What a line that a person typed says; what it does not say in so many words is asked again. */
export function readAnswer(line: string, request: ApprovalRequest): ApprovalDecision | { readonly fault: string } {
  const [, word = "", rest = ""] = /^\s*(\p{L}*)[\s,:]*(.*?)\s*$/su.exec(line) ?? [];
  const plain = rest === "" ? PLAIN[word.toLowerCase()] : undefined;
  if (plain) return request.scopes.includes(plain) ? { decision: "approve", scope: plain } : unknown();
  switch (word.toLowerCase()) {
    case "n":
    case "no":
      return rest === "" ? { decision: "deny" } : { decision: "deny", message: rest };
    case "r":
    case "replace":
      if (rest === "") return { fault: "Expected a text behind r." };
      if (Buffer.byteLength(rest) > MAX_REPLACEMENT) return { fault: `Expected at most ${MAX_REPLACEMENT} bytes.` };
      return { decision: "replace", message: rest };
    case "p":
    case "pattern":
      return request.scopes.includes("pattern") ? readPattern(rest, request) : unknown();
    default:
      return unknown();
  }
}

const PLAIN: Readonly<Record<string, "once" | "turn" | "session">> = {
  y: "once",
  yes: "once",
  t: "turn",
  turn: "turn",
  a: "session",
  always: "session",
};

function unknown(): { readonly fault: string } {
  return { fault: "That is none of the answers; nothing was decided." };
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 };

function readPattern(text: string, request: ApprovalRequest): ApprovalDecision | { readonly fault: string } {
  const [, count, unit = "", rest = ""] = /^(\d{1,9})\s*(s|min|m|h|d)(?:\s+(.*))?$/su.exec(text) ?? [];
  const forMs = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (!(forMs > 0 && forMs <= MAX_PATTERN_MS))
    return { fault: "Expected a time of at most 30 d behind p: 30m, 1h, 2d." };
  const read = readArguments(rest);
  if ("fault" in read) return read;
  const { args } = read;
  if (args === undefined && request.rule === "always_ask") {
    return { fault: "always_ask names this tool: expected an argument, as in p 1h ARGUMENT=PATTERN." };
  }
  const { tool } = request;
  const means = createCallPatterns([args === undefined ? tool : { [tool]: args }]);
  if (means.match({ names: [tool], args: request.args }, { admits: true }) === 0) {
    return { fault: "That pattern does not mean this call." };
  }
  return { decision: "approve", scope: "pattern", forMs, ...(args === undefined ? {} : { args }) };
}

function readArguments(
  text: string,
): { readonly args?: { readonly [name: string]: Json } } | { readonly fault: string } {
  if (text === "") return {};
  const at = text.indexOf("=");
  if (!text.startsWith("{")) {
    if (at > 0) return { args: { [text.slice(0, at).trim()]: text.slice(at + 1).trim() } };
    return { fault: "Expected ARGUMENT=PATTERN, or a JSON object of them, behind the time." };
  }
  try {
    return { args: JSON.parse(text) as { readonly [name: string]: Json } };
  } catch {
    return { fault: "Expected JSON behind the time, because it begins with {." };
  }
}
