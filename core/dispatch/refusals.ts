import { type Diagnostic, formatDiagnostic } from "../diagnostics.ts";
import { ToolError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import { nearestAll } from "../sdk/nearest.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { ToolSummary } from "../sdk/tool.ts";
import type { Refusal } from "./environment.ts";
import { exampleOf } from "./example.ts";
import { nameText, shownName } from "./request.ts";

const MAX_NEAREST = 3;
const MAX_SCHEMA_LENGTH = 2000;
const BROKEN = "The tool exists and is broken: tell the person, or use another tool; another spelling does not help.";

/** No tool has this name. What the fallback tool says in its own words, the host says in these where there is none. */
export function unknownTool(requested: unknown, summaries: readonly ToolSummary[]): ToolError {
  const byName = new Map(summaries.flatMap((tool) => [tool.id, ...tool.aliases].map((name) => [name, tool] as const)));
  const near = nearestAll(nameText(requested), byName.keys(), MAX_NEAREST);
  const failed = near.flatMap((name) => {
    const tool = byName.get(name);
    return tool?.status === "failed" ? [`${tool.id} did not load: ${tool.error ?? "its file is broken"}`] : [];
  });
  const message = [`no tool is named ${shownName(requested)}`, ...failed].join("; ");
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(" or ")}? Call only tools that you were given.`
      : "Call only tools that you were given.";
  return new ToolError("UNKNOWN_TOOL", message, { hint, data: { nearest: near } });
}

/** The tool is there, but its file did not load: never "not found". */
export function loadFailed(tool: string, cause: Diagnostic): ToolError {
  const place = cause.file ? ` (${cause.file}${cause.line ? `:${cause.line}` : ""})` : "";
  return new ToolError("TOOL_LOAD_FAILED", `${tool} did not load${place}: ${cause.message}`, {
    hint: cause.code === "UNTRUSTED" && cause.hint !== undefined ? cause.hint : BROKEN,
    cause: cause as unknown as Json,
    data: { diagnostic: formatDiagnostic(cause) },
  });
}

/** A rule says no. */
export function denied({ code, message, hint, pointer, retryable, data }: Refusal): ToolError {
  return new ToolError(code, message, {
    ...(hint === undefined ? {} : { hint }),
    ...(pointer === undefined ? {} : { pointer }),
    ...(retryable === undefined ? {} : { retryable }),
    ...(data === undefined ? {} : { data }),
  });
}

/** What would run is not what was approved. */
export function notApproved(tool: string): ToolError {
  return new ToolError("APPROVAL_MISMATCH", `${tool} was not run: it is not the call that was approved`, {
    hint: "Ask for it once more; a person is asked anew.",
  });
}

export function deniedByExtension(tool: string, by: string, message: string): ToolError {
  return new ToolError("DENIED_BY_EXTENSION", `the extension ${by} refused ${tool}${message && `: ${message}`}`, {
    hint: "Do not try to get around it.",
  });
}

/** The arguments came as text that is not JSON. They are never guessed, and nothing is run. */
export function invalidJson(tool: string, reason: string, schema: JsonSchema | null): ToolError {
  const text = schema ? JSON.stringify(schema) : "";
  const shown = text.length > MAX_SCHEMA_LENGTH ? `${text.slice(0, MAX_SCHEMA_LENGTH)}…` : text;
  return new ToolError("INVALID_JSON", `the arguments of ${tool} are not a JSON object: ${reason}`, {
    pointer: "",
    hint: `${schema ? `Send one JSON object like ${exampleOf(schema)}; its schema is ${shown}.` : "Send one JSON object."} Do not resend the identical call.`,
  });
}

export function timedOut(tool: string, ms: number): ToolError {
  return new ToolError("TIMEOUT", `${tool} did not finish within ${ms} ms`, {
    hint: "Ask for less at once; the same call can also succeed later.",
  });
}

/** An earlier call of the same reply ended the turn. */
export function skipped(tool: string): ToolError {
  return new ToolError("SKIPPED", `${tool} was not run: an earlier call of the same reply ended the turn`);
}

/** The turn was stopped, or a person spoke, before the call began. */
export function notBegun(tool: string, reason: ToolError): ToolError {
  const why = reason.code === "ABORTED" ? "it was interrupted before it began" : reason.message;
  return new ToolError(reason.code, `${tool} was not run: ${why}`, reason.details);
}
