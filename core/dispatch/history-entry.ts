import { frozenJson, type Json } from "../sdk/json.ts";
import type { ToolResult } from "../sdk/result.ts";
import { type Call, nameOf, settlingContext } from "./call.ts";
import { changedResult } from "./outcome.ts";

export function hasHistoryExtensions({ env }: Call): boolean {
  return env.hooks.has("hist_add_tool_result") || env.hooks.has("hist_add_before");
}

/**
 * Shows extensions the history entry of a result, as it would be written: `{id, tool_name, tool_result, …additional}`.
 * What they leave of it is the result's last word, so that history, ledger and programs are told the same.
 */
export async function askHistoryExtensions(call: Call, result: ToolResult): Promise<ToolResult> {
  const { env, request, clean } = call;
  const { hooks } = env;
  const toolName = nameOf(call);
  let entry: Record<string, unknown> | undefined;
  const written = () =>
    entry ?? { ...result.additional, id: request.id, tool_name: toolName, tool_result: result.message };

  if (hooks.has("hist_add_tool_result")) {
    const check = (left: { entry: unknown }): string | undefined => notAnEntry(left.entry);
    const payload = { toolName, entry: written() };
    entry = (await hooks.run("hist_add_tool_result", payload, { ...settlingContext(call), check })).payload.entry;
  }
  if (hooks.has("hist_add_before")) {
    const check = (left: { content: unknown }): string | undefined => notAnEntry(left.content);
    const payload = { ai: false, content: written() };
    const outcome = await hooks.run("hist_add_before", payload, { ...settlingContext(call), check });
    entry = outcome.payload.content as Record<string, unknown>;
  }
  if (!entry) return result;
  const { id: _id, tool_name: _name, tool_result: text, ...additional } = entry;
  const message = clean.shown(text as string);
  return changedResult(
    result,
    { message, additional: Object.keys(additional).length > 0 ? additional : undefined },
    clean,
  );
}

function notAnEntry(entry: unknown): string | undefined {
  const checked = frozenJson(entry);
  if ("fault" in checked)
    return `the entry must be JSON, found ${checked.fault.found} at ${checked.fault.path || "its root"}`;
  const text = (checked.value as { readonly tool_result?: Json } | null)?.tool_result;
  return typeof text === "string" ? undefined : "the entry must be an object whose tool_result is text";
}
