/** The formats of the wire server. */
export type WireFormat = "openai-chat" | "openai-responses" | "anthropic" | "google";

/** One server-sent event. */
export interface Frame {
  readonly event?: string;
  readonly data: unknown;
}

/** What a stream carries. */
export interface Content {
  readonly model: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly args: unknown }[];
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly raw: string;
}

/** Every stream tells these counts. */
export const USAGE = { inputTokens: 11, outputTokens: 7 };

/** The events of a whole reply, as the provider of the format sends them: text in two pieces, arguments in two pieces. */
export function framesOf(format: WireFormat, content: Content): Frame[] {
  const calls = (content.calls ?? []).map(({ id, name, args }, index) => ({
    id: id ?? `call_${index + 1}`,
    name,
    raw: typeof args === "string" ? args : JSON.stringify(args),
  }));
  return WRITERS[format](content, calls);
}

const WRITERS: Readonly<Record<WireFormat, (content: Content, calls: readonly Call[]) => Frame[]>> = {
  "openai-chat": chatFrames,
  "openai-responses": responsesFrames,
  anthropic: anthropicFrames,
  google: googleFrames,
};

function chatFrames({ model, text, reasoning }: Content, calls: readonly Call[]): Frame[] {
  const chunk = (delta: object, finish: string | null = null) => ({
    data: {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  });
  const usage = {
    prompt_tokens: USAGE.inputTokens,
    completion_tokens: USAGE.outputTokens,
    total_tokens: USAGE.inputTokens + USAGE.outputTokens,
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...halves(reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...halves(text).map((piece) => chunk({ content: piece })),
    ...calls.flatMap(({ id, name, raw }, index) => [
      chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] }),
      ...halves(raw).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    { data: { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model, choices: [], usage } },
    { data: "[DONE]" },
  ];
}

function responsesFrames({ model, text }: Content, calls: readonly Call[]): Frame[] {
  const frames: Frame[] = [];
  const add = (type: string, fields: object) => frames.push({ event: type, data: { type, ...fields } });
  const response = { id: "resp_1", object: "response", created_at: 1, model, status: "in_progress", output: [] };
  add("response.created", { response });
  if (text !== undefined) {
    const item = { id: "msg_1", type: "message", role: "assistant", status: "in_progress", content: [] };
    add("response.output_item.added", { output_index: 0, item });
    for (const delta of halves(text)) {
      add("response.output_text.delta", { item_id: "msg_1", output_index: 0, content_index: 0, delta });
    }
    const content = [{ type: "output_text", text, annotations: [] }];
    add("response.output_item.done", { output_index: 0, item: { ...item, status: "completed", content } });
  }
  for (const [index, { id, name, raw }] of calls.entries()) {
    const item = { id: `fc_${index}`, type: "function_call", call_id: id, name };
    add("response.output_item.added", {
      output_index: index + 1,
      item: { ...item, arguments: "", status: "in_progress" },
    });
    for (const delta of halves(raw)) {
      add("response.function_call_arguments.delta", { item_id: item.id, output_index: index + 1, delta });
    }
    add("response.output_item.done", {
      output_index: index + 1,
      item: { ...item, arguments: raw, status: "completed" },
    });
  }
  const usage = { input_tokens: USAGE.inputTokens, output_tokens: USAGE.outputTokens, total_tokens: 18 };
  add("response.completed", { response: { ...response, status: "completed", usage } });
  return frames;
}

function anthropicFrames({ model, text, reasoning }: Content, calls: readonly Call[]): Frame[] {
  const frames: Frame[] = [];
  const add = (type: string, fields: object) => frames.push({ event: type, data: { type, ...fields } });
  let index = 0;
  const block = (start: object, deltas: readonly object[]) => {
    add("content_block_start", { index, content_block: start });
    for (const delta of deltas) add("content_block_delta", { index, delta });
    add("content_block_stop", { index });
    index++;
  };
  const usage = { input_tokens: USAGE.inputTokens, output_tokens: 1 };
  add("message_start", {
    message: { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage },
  });
  if (reasoning !== undefined) {
    const deltas = halves(reasoning).map((thinking) => ({ type: "thinking_delta", thinking }));
    block({ type: "thinking", thinking: "", signature: "" }, deltas);
  }
  if (text !== undefined) {
    block(
      { type: "text", text: "" },
      halves(text).map((piece) => ({ type: "text_delta", text: piece })),
    );
  }
  for (const { id, name, raw } of calls) {
    const deltas = halves(raw).map((piece) => ({ type: "input_json_delta", partial_json: piece }));
    block({ type: "tool_use", id, name, input: {} }, deltas);
  }
  add("message_delta", {
    delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { output_tokens: USAGE.outputTokens },
  });
  add("message_stop", {});
  return frames;
}

/** Gemini sends arguments as values, not as text: so raw text has to be JSON here. */
function googleFrames({ text }: Content, calls: readonly Call[]): Frame[] {
  const chunk = (parts: readonly object[], rest: object = {}) => ({
    data: { candidates: [{ index: 0, content: { role: "model", parts }, ...rest }] },
  });
  const usage = { promptTokenCount: USAGE.inputTokens, candidatesTokenCount: USAGE.outputTokens, totalTokenCount: 18 };
  const end = chunk([], { finishReason: "STOP" });
  return [
    ...halves(text).map((piece) => chunk([{ text: piece }])),
    ...calls.map(({ name, raw }, index) =>
      chunk([{ functionCall: { name, args: JSON.parse(raw || "{}") }, thoughtSignature: `signature-${index}` }]),
    ),
    { data: { ...end.data, usageMetadata: usage } },
  ];
}

function halves(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}
