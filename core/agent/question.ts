import type { ModelMessage } from "../model/model.ts";
import type { Json } from "../sdk/json.ts";
import type { AskedCall } from "../sdk/points.ts";
import type { Answered, Question } from "./ask.ts";
import type { ToolRequest } from "./extract.ts";
import type { Turn } from "./turn-state.ts";

/** Puts the next question together; extensions may change what the model is given. */
export async function prepareQuestion({ options, points }: Turn): Promise<Question> {
  const { model, history, loopData, readsSystem = true } = options;
  await points.run("message_loop_prompts_before", { loopData });
  await options.makeRoom?.();
  const tools = await options.tools();
  let { messages }: { messages: readonly ModelMessage[] } = history;
  let { system } = options;
  const changes = points.has("message_loop_prompts_after");
  if (readsSystem || changes) {
    const text = await options.system();
    system = async () => text;
  }
  if (changes) {
    const payload = { loopData, system: await system(), messages, extras: {} };
    const left = await points.run("message_loop_prompts_after", payload);
    system = async () => left.system;
    messages = withExtras(left.messages, left.extras);
  }
  const { id, protocol } = model;
  await points.run("before_main_llm_call", { loopData, model: id, protocol });
  return { system, messages, tools, protocol };
}

/** What is true for this question only stands behind the history, so that what is before it stays the same bytes. */
function withExtras(messages: readonly ModelMessage[], extras: Record<string, Json>): readonly ModelMessage[] {
  if (Object.keys(extras).length === 0) return messages;
  return [...messages, { role: "user", content: `Context of this moment:\n${JSON.stringify(extras, null, 2)}` }];
}

/** What is to become of a reply. */
export interface ReplyResult {
  readonly requests: readonly ToolRequest[];
  /** The answer of the turn. */
  readonly answer: string | undefined;
  /** An extension has dealt with it. */
  readonly skip: boolean;
}

/** What a reply holds, as extensions leave it. */
export async function readResult(turn: Turn, answered: Required<Answered>): Promise<ReplyResult> {
  const result = await resultOf(turn, answered);
  return { ...result, requests: result.requests.map((request) => withOwnId(request, turn)) };
}

/** Some servers count the calls of each reply from the beginning; events, and whoever reads them, go by the id. */
function withOwnId(request: ToolRequest, { ids, replies }: Turn): ToolRequest {
  let id = request.id;
  while (ids.has(id)) id = `${id}-${replies}`;
  ids.add(id);
  return id === request.id ? request : { ...request, id };
}

async function resultOf({ options, points }: Turn, { reply, extraction }: Required<Answered>): Promise<ReplyResult> {
  const { requests, answer } = extraction;
  if (!points.has("message_loop_result")) return { requests, answer, skip: false };
  const { loopData, turnId } = options;
  const asked = requests.map(({ id, name, args }): AskedCall => ({ id, name, args: args ?? null }));
  const payload = { loopData, text: reply.text, requests: asked, answer, skip: false };
  const left = await points.run("message_loop_result", payload);
  if (left.skip) return { requests: [], answer: undefined, skip: true };
  const kept = left.requests.map((call, index): ToolRequest => {
    const original = requests.find(({ id }) => id === call.id);
    // What an extension did not touch is what the model wrote, arguments that are no JSON included.
    if (original && JSON.stringify(asked.find(({ id }) => id === call.id)) === JSON.stringify(call)) return original;
    const id = original?.id ?? call.id ?? `${turnId}-${loopData.iteration}-${index}`;
    return { id, name: call.name, args: call.args, text: reply.text };
  });
  return { requests: kept, answer: left.answer, skip: false };
}
