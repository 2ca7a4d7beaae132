import type { ToolDefinition } from "../model/model.ts";
import { HostError } from "../sdk/errors.ts";
import { ask } from "./ask.ts";
import { extractFromText } from "./extract.ts";
import type { TurnOutcome } from "./turn-options.ts";
import { keepReply, say, type Turn, warn } from "./turn-state.ts";

/**
 * The end of a turn that used up its rounds: the model is asked once more, without tools, for what it has found. Where
 * it says nothing the host does.
 *
 * @returns undefined where somebody stopped the turn or spoke meanwhile
 */
export async function endAtLimit(turn: Turn): Promise<Pick<TurnOutcome, "answer" | "stopped"> | undefined> {
  const { options, points } = turn;
  const { history, maxIterations: limit } = options;
  await say(turn, await options.words("fw.msg_summary.md", { limit }), "note");
  // As plain text: providers refuse the messages of calls in a question without tools.
  const asked = { system: options.system, messages: history.messages, tools: [], protocol: "json" } as const;
  const { reply, extraction } = await ask(turn.options, points, { ...asked, reads: "native" });
  if (!extraction && reply.text !== "") await keepReply(turn, reply, { text: reply.text, calls: [], partial: true });
  if (reply.interrupted) return undefined;
  if (reply.error instanceof HostError) warn(turn, reply.error);
  else if (reply.error !== undefined) throw reply.error;
  turn.replies++;
  const summary = extraction?.answer && (await plainWords(extraction.answer, await options.tools()));
  if (summary) await keepReply(turn, reply, { text: reply.text, calls: [] });
  const answer = summary || (await options.words("fw.msg_iteration_limit.md", { limit }));
  return { answer, stopped: "iterations" };
}

/** By the JSON protocol a model may call the answering tool out of habit: what it would have said is the summary. */
async function plainWords(text: string, tools: readonly ToolDefinition[]): Promise<string> {
  const [request] = (await extractFromText(text, "summary")).requests;
  const isAnswer = tools.some(({ name, role }) => role === "answer" && name === request?.name);
  if (!isAnswer || typeof request?.args !== "object" || request.args === null) return text;
  return Object.values(request.args).find((value) => typeof value === "string") ?? text;
}
