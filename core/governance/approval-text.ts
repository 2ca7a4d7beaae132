import type { ApprovalRequest } from "../sdk/approval.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import { visibleLine, visibleText } from "./visible-text.ts";

/** What of a request is shown. */
export type ShownRequest = Omit<ApprovalRequest, "text" | "id" | "hash" | "scopes" | "turnId" | "callId" | "session">;

/**
 * A question for a person, whole: nothing is left out at its end, whatever its length. Each argument stands below its
 * name, line by line; what replaces something (`old_text` and `new_text`) as a diff.
 */
export function approvalText(request: ShownRequest): string {
  const { tool, method, owner, risk, setting, args, preview } = request;
  const name = method === undefined ? tool : `${tool}:${method}`;
  const reasons = risk.reasons.map(visibleLine).join("; ");
  return [
    `${askedBy(request)}wants to call ${visibleLine(name)} (${visibleLine(owner)})`,
    ...argumentLines(args),
    ...(preview
      ? [
          "  what it would change:",
          ...visibleText(preview)
            .split("\n")
            .map((line) => `  | ${line}`),
        ]
      : []),
    `risk: ${risk.level} (${reasons})`,
    `asked by: ${visibleLine(setting)}`,
  ].join("\n");
}

function askedBy({ agent, job }: ShownRequest): string {
  const who = agent ? `The subordinate ${visibleLine(agent.id)} (profile ${visibleLine(agent.profile)})` : "The agent";
  return `${who}${job === undefined ? " " : `, in the background call ${visibleLine(job)}, `}`;
}

function argumentLines(args: JsonObject): readonly string[] {
  const entries = Object.entries(args);
  if (entries.length === 0) return ["  without arguments"];
  const shown = new Set<string>();
  return entries.flatMap(([name, value]) => {
    if (shown.has(name)) return [];
    const partner = partnerOf(name, args);
    if (partner === undefined) return argument(name, value);
    shown.add(partner);
    const [from, to] = OLD.test(name) ? [name, partner] : [partner, name];
    return change([from, String(args[from])], [to, String(args[to])]);
  });
}

function argument(name: string, value: Json): readonly string[] {
  const label = `  ${visibleLine(name)}:`;
  if (typeof value !== "string") return [`${label} ${visibleText(JSON.stringify(value))}`];
  const text = visibleText(value);
  if (text === "") return [`${label} (an empty text)`];
  const lines = text.split("\n");
  if (lines.length === 1) return [`${label} ${text}`];
  return [`${label} (${lines.length} lines)`, ...lines.map((line) => `  | ${line}`)];
}

const OLD = /^old(?=[_A-Z])/u;
const NEW = /^new(?=[_A-Z])/u;

/** The name of the argument that says what something becomes, or what it was; both have to be texts. */
function partnerOf(name: string, args: JsonObject): string | undefined {
  const partner = OLD.test(name) ? name.replace(OLD, "new") : NEW.test(name) ? name.replace(NEW, "old") : undefined;
  if (partner === undefined || !Object.hasOwn(args, partner)) return undefined;
  return typeof args[name] === "string" && typeof args[partner] === "string" ? partner : undefined;
}

/** What is the same at both ends once, and between them what goes and what comes. */
function change([from, before]: readonly [string, string], [to, after]: readonly [string, string]): readonly string[] {
  const [old, now] = [before, after].map((text) => visibleText(text).split("\n")) as [string[], string[]];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return [
    `  ${visibleLine(from)} → ${visibleLine(to)}:`,
    ...old.slice(0, start).map((line) => `    ${line}`),
    ...old.slice(start, old.length - end).map((line) => `  - ${line}`),
    ...now.slice(start, now.length - end).map((line) => `  + ${line}`),
    ...old.slice(old.length - end).map((line) => `    ${line}`),
  ];
}
