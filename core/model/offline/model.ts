import type { JsonObject } from "../../sdk/result.ts";
import type { Model, ModelMessage, ModelRequest, ToolDefinition } from "../model.ts";
import { OFFLINE } from "../model.ts";
import type { Matcher } from "./match.ts";
import { answerArgs, declineText, languageOf, resultText, usageText } from "./reply.ts";
import { readWritten } from "./request.ts";

/**
 * The model that needs nothing: no network, no key, no weights. It is deterministic and honest about what it is.
 * It understands `/tool key=value …`, a bare JSON request, and plain questions that are like the examples of a
 * tool; it answers with what the tool said, through the tool of the role `answer`. When it is not sure it calls
 * nothing, says so, and names the closest tools. It knows no tool by name, and reports no tokens.
 */
export function createOfflineModel(): Model {
  let index: { tools: readonly ToolDefinition[]; matcher: Matcher } | undefined;
  // The matcher and its search library are needed for plain questions only.
  const matcherFor = async (tools: readonly ToolDefinition[]): Promise<Matcher> => {
    if (!index || !sameTools(index.tools, tools)) {
      const { createMatcher } = await import("./match.ts");
      index = { tools, matcher: createMatcher(tools) };
    }
    return index.matcher;
  };
  return {
    id: OFFLINE,
    protocol: "json",
    free: true,
    async *stream(request) {
      request.signal.throwIfAborted();
      const text = await reply(request, matcherFor);
      request.signal.throwIfAborted();
      yield { type: "text", text };
      yield { type: "finish", reason: "stop", usage: {} };
    },
  };
}

async function reply(
  { messages, tools }: ModelRequest,
  matcherFor: (tools: readonly ToolDefinition[]) => Promise<Matcher>,
): Promise<string> {
  const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
  const language = languageOf(question);
  const say = (text: string, thought: string) => answer(tools, text, thought);

  // Without tools all that is left is to tell what was found.
  const results = lastResults(tools.length === 0 ? messages.slice(0, behindResults(messages)) : messages);
  if (results.length > 0) return say(resultText(results, language), "The tool has answered; I pass its words on.");

  const written = readWritten(question, tools);
  if (written && "error" in written) return say(usageText(written, language), "The call is written wrongly.");
  if (written) return call(written.name, written.args, ["The call is written out in the message."]);

  const match = (await matcherFor(tools)).match(question);
  if (!match.call) return say(declineText(match, language), "No tool clearly fits, and I do not guess.");
  const { tool, args, like } = match.call;
  return call(tool.name, args, [`The question is like "${like}", which is for ${tool.name}.`]);
}

/** The results that the last reply brought; none when a person has spoken since. */
function lastResults(messages: readonly ModelMessage[]): Extract<ModelMessage, { role: "tool" }>[] {
  const results: Extract<ModelMessage, { role: "tool" }>[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "tool") break;
    results.unshift(message);
  }
  return results;
}

/** Behind the results, before what was said since. */
function behindResults(messages: readonly ModelMessage[]): number {
  return messages.findLastIndex(({ role }) => role !== "user") + 1;
}

/** Without an answering tool there is only plain text to say it in. */
function answer(tools: readonly ToolDefinition[], text: string, thought: string): string {
  const tool = tools.find(({ role }) => role === "answer");
  return tool ? call(tool.name, answerArgs(tool, text), [thought], "Answering") : text;
}

function call(name: string, args: JsonObject, thoughts: readonly string[], headline = `Calling ${name}`): string {
  return JSON.stringify({ thoughts, headline, tool_name: name, tool_args: args });
}

/** The host may build the list of definitions anew for every reply; its entries tell whether anything changed. */
function sameTools(a: readonly ToolDefinition[], b: readonly ToolDefinition[]): boolean {
  if (a === b) return true;
  const same = (tool: ToolDefinition, index: number) => {
    const other = b[index];
    return (
      other !== undefined &&
      tool.name === other.name &&
      tool.description === other.description &&
      (tool.examples === other.examples || JSON.stringify(tool.examples) === JSON.stringify(other.examples)) &&
      (tool.parameters === other.parameters || JSON.stringify(tool.parameters) === JSON.stringify(other.parameters))
    );
  };
  return a.length === b.length && a.every(same);
}
