import type { ModelMessage } from "../model/model.ts";
import type { ToolResult } from "../sdk/result.ts";
import type { HistoryEntry } from "../sdk/tool.ts";
import type { ToolRequest } from "./extract.ts";

/** The messages of one conversation, in order, in the form that models are given. */
export interface History {
  readonly messages: readonly ModelMessage[];
  addUser(content: string): void;
  /** @param calls the native tool calls of the reply; empty for the JSON protocol, where the text holds the call */
  addAssistant(content: string, calls: readonly ToolRequest[]): void;
  /** The result of one call. The model is given `message` only. */
  addToolResult(request: ToolRequest, result: ToolResult, additional?: Readonly<Record<string, unknown>>): void;
  /** The narrow view that tools are given. */
  entries(): readonly HistoryEntry[];
}

/** An empty history. */
export function createHistory(): History {
  const messages: ModelMessage[] = [];
  return {
    messages,
    addUser: (content) => void messages.push({ role: "user", content }),
    addAssistant(content, calls) {
      const toolCalls = calls.map(({ id, name, args }) => ({ id, name, args }));
      messages.push({ role: "assistant", content, ...(toolCalls.length === 0 ? {} : { toolCalls }) });
    },
    addToolResult(request, result, additional = {}) {
      const extra = { ...result.additional, ...additional };
      const content = Object.keys(extra).length === 0 ? result.message : `${result.message}\n${JSON.stringify(extra)}`;
      messages.push({
        role: "tool",
        toolCallId: request.id,
        toolName: request.name,
        content,
        isError: result.status === "error",
      });
    },
    entries: () => messages.map(({ role, content }) => ({ role, content })),
  };
}
