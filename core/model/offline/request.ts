import { type ArgumentFault, parseArguments, splitWords } from "../../sdk/arguments.ts";
import type { JsonObject } from "../../sdk/result.ts";
import type { ToolDefinition } from "../model.ts";

/** A call that a person wrote out, or why it is none. */
export type WrittenRequest =
  | { readonly name: string; readonly args: JsonObject }
  | { readonly name: string; readonly tool: ToolDefinition | undefined; readonly error: ArgumentFault };

/**
 * Reads a message that is itself a request: `/tool key=value …`, `/tool {json}`, `/tool:method …`, or a bare JSON
 * request with `tool_name` and `tool_args`. Undefined for anything else, also for a line that only begins like one
 * ("/tmp is full, why?").
 */
export function readWritten(message: string, tools: readonly ToolDefinition[]): WrittenRequest | undefined {
  const text = message.trim();
  return text.startsWith("/") ? readLine(text, tools) : text.startsWith("{") ? readJson(text) : undefined;
}

const LINE = /^\/([A-Za-z][\w-]*)(:[A-Za-z]\w*)?(?=\s|$)\s*([\s\S]*)$/;

function readLine(text: string, tools: readonly ToolDefinition[]): WrittenRequest | undefined {
  const match = LINE.exec(text);
  if (!match) return undefined;
  const [, id = "", method = "", rest = ""] = match;
  const tool = tools.find(({ name }) => name === id);
  // `/tool word_count …`, as the manual's placeholder is sometimes taken.
  if (!tool && id === "tool" && method === "" && /^[A-Za-z]/.test(rest)) return readLine(`/${rest}`, tools);
  const name = `${id}${method}`;
  const parsed = parseRest(rest, tool);
  if ("args" in parsed) return { name, args: parsed.args };
  // An unknown name before words that are no arguments is a sentence, not a call.
  return tool || rest.startsWith("{") ? { name, tool, error: parsed.error } : undefined;
}

function parseRest(rest: string, tool: ToolDefinition | undefined) {
  if (rest.startsWith("{")) return parseArguments([rest.trim()], null);
  const words = splitWords(rest);
  return "error" in words ? words : parseArguments(words.words, tool?.parameters ?? null);
}

/** Only what is a request in every detail; other JSON is a message like any other. */
function readJson(text: string): WrittenRequest | undefined {
  const value = parse(text);
  const name = value?.tool_name;
  const args = value?.tool_args ?? {};
  if (typeof name !== "string" || name === "" || typeof args !== "object" || args === null || Array.isArray(args))
    return undefined;
  return { name, args: args as JsonObject };
}

function parse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    // Not JSON, so not a request; the text is matched as a question.
    return undefined;
  }
}
