import type { ModelMessage, ModelToolCall } from "./model.ts";

/** A message as the model libraries take it. Structural: only `providers.ts` imports them. */
export type WireMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: (WireText | WireCall)[] }
  | { role: "tool"; content: WireResult[] };

interface WireText {
  type: "text";
  text: string;
}

interface WireCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

interface WireResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string };
}

type ToolMessage = Extract<ModelMessage, { role: "tool" }>;

/**
 * The history for the native protocol. Providers refuse a request in which a call has no result, or a result no
 * call, so the results of a reply follow it at once, a missing one is told as such, and a stray one becomes text.
 * @param nameOf the published name of a tool, or of what the model took for one
 */
export function nativeMessages(messages: readonly ModelMessage[], nameOf: (tool: string) => string): WireMessage[] {
  const wire: WireMessage[] = [];
  const used = new Set<ModelMessage>();
  for (const [index, message] of messages.entries()) {
    if (used.has(message)) continue;
    if (message.role === "user") wire.push({ role: "user", content: filled(message.content) });
    else if (message.role === "tool") wire.push({ role: "user", content: resultText(message) });
    else {
      const calls = message.toolCalls ?? [];
      const content = [...textPart(message.content), ...calls.map((call) => callPart(call, nameOf))];
      if (content.length > 0) wire.push({ role: "assistant", content });
      if (calls.length === 0) continue;
      const results = resultsOf(messages, index);
      wire.push({ role: "tool", content: calls.map((call) => resultPart(call, results.get(call.id), nameOf)) });
      for (const result of results.values()) if (calls.some((call) => call.id === result.toolCallId)) used.add(result);
    }
  }
  return wire;
}

/**
 * The history for the JSON protocol: plain text only, users and assistant taking turns, because the chat
 * templates of some local models insist on that.
 */
export function jsonMessages(messages: readonly ModelMessage[]): WireMessage[] {
  const wire: WireMessage[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const text = message.role === "tool" ? resultText(message) : plainText(message);
    const last = wire.at(-1);
    if (role === "user") {
      if (last?.role === "user") last.content += `\n\n${text}`;
      else wire.push({ role, content: filled(text) });
    } else if (text.trim() !== "") {
      if (last?.role === "assistant") last.content.push(...textPart(text));
      else wire.push({ role, content: textPart(text) });
    }
  }
  return wire;
}

/** The tool messages between one reply and the next, by call id. Ids may come again in later replies. */
function resultsOf(messages: readonly ModelMessage[], reply: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const message of messages.slice(reply + 1)) {
    if (message.role === "assistant") break;
    if (message.role === "tool" && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

function textPart(text: string): WireText[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function callPart({ id, name, args }: ModelToolCall, nameOf: (tool: string) => string): WireCall {
  return { type: "tool-call", toolCallId: id, toolName: nameOf(name), input: wireInput(args) };
}

/** Arguments that were no object are shown back to the model as what they were; providers take objects only. */
function wireInput(args: unknown): unknown {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return args;
  return args === undefined ? {} : { invalid_arguments: args };
}

function resultPart(
  call: ModelToolCall,
  result: ToolMessage | undefined,
  nameOf: (tool: string) => string,
): WireResult {
  const value = result ? filled(result.content) : "There is no result: the call did not finish.";
  const type = result && !result.isError ? "text" : "error-text";
  return { type: "tool-result", toolCallId: call.id, toolName: nameOf(call.name), output: { type, value } };
}

function resultText({ toolName, content }: ToolMessage): string {
  return JSON.stringify({ tool_name: toolName, tool_result: content });
}

/** A reply of the native protocol, should the protocol have changed on the way: its calls as text. */
function plainText(message: Exclude<ModelMessage, ToolMessage>): string {
  if (message.role === "user" || message.content.trim() !== "") return message.content;
  const calls = message.toolCalls ?? [];
  return calls.map(({ name, args }) => JSON.stringify({ tool_name: name, tool_args: args ?? {} })).join("\n");
}

/** Empty text is refused by some providers. */
function filled(text: string): string {
  return text.trim() === "" ? "(empty)" : text;
}
