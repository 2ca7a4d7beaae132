import type { Model, ModelPart, ModelProtocol, ModelRequest } from "../../core/model/model.ts";

/** One step of a reply: a part, an error that is thrown, a wait for whatever resolves, or nothing more ever. */
export type ScriptStep = ModelPart | Error | "hang" | (() => void | Promise<void>);

/** A model that says what a test wrote down. */
export interface ScriptedModel extends Model {
  /** What it was asked, with the messages as they were then. */
  readonly requests: ModelRequest[];
  /** How many replies were left before their end. */
  readonly left: number;
}

/** @param replies one a question, the last one again when they are used up; or what to reply to a question */
export function scriptedModel(
  replies: readonly (readonly ScriptStep[])[] | ((request: ModelRequest) => readonly ScriptStep[]),
  { protocol = "native", id = "test/scripted" }: { protocol?: ModelProtocol; id?: string } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  let left = 0;
  return {
    id,
    protocol,
    requests,
    get left() {
      return left;
    },
    async *stream(request) {
      const index = requests.push({ ...request, messages: structuredClone(request.messages) }) - 1;
      await request.system();
      let ended = false;
      try {
        const reply = typeof replies === "function" ? replies(request) : replies[Math.min(index, replies.length - 1)];
        for (const step of reply ?? []) {
          request.signal.throwIfAborted();
          if (step === "hang") await untilAborted(request.signal);
          else if (step instanceof Error) throw step;
          else if (typeof step === "function") await step();
          else yield step;
        }
        ended = true;
      } finally {
        if (!ended) left++;
      }
      yield { type: "finish", reason: "stop", usage: { inputTokens: 10, outputTokens: 5 } };
    },
  };
}

async function untilAborted(signal: AbortSignal): Promise<never> {
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw signal.reason;
}

export const text = (words: string): ModelPart => ({ type: "text", text: words });
export const reasoning = (words: string): ModelPart => ({ type: "reasoning", text: words });
/** A native call. */
export const call = (name: string, args: unknown = {}, id = name): ModelPart => ({ type: "tool-call", id, name, args });
/** A call by the JSON protocol. */
export const asked = (name: string, args: unknown = {}): ModelPart =>
  text(JSON.stringify({ thoughts: [], headline: "", tool_name: name, tool_args: args }));
