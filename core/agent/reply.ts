import type { Model, ModelRequest } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { ToolRequest } from "./extract.ts";

/** One reply of a model, read to its end. */
export interface Reply {
  readonly text: string;
  readonly reasoning: string;
  /** Native tool calls, in the order of the reply. */
  readonly calls: readonly ToolRequest[];
  readonly usage: Usage;
}

/**
 * Reads a reply to its end, handing each piece of text on as it comes.
 * @throws HostError MODEL_UNREACHABLE or MODEL_REFUSED, from the model
 */
export async function readReply(
  model: Model,
  request: ModelRequest,
  on: { text(piece: string): void; reasoning(piece: string): void },
): Promise<Reply> {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: Omit<ToolRequest, "text">[] = [];
  let usage: Usage = {};
  for await (const part of model.stream(request)) {
    if (part.type === "text") {
      text.push(part.text);
      on.text(part.text);
    } else if (part.type === "reasoning") {
      reasoning.push(part.text);
      on.reasoning(part.text);
    } else if (part.type === "tool-call") {
      const { id, name, args, invalid } = part;
      calls.push({ id, name, args, ...(invalid === undefined ? {} : { invalid }) });
    } else {
      usage = part.usage;
    }
  }
  const whole = text.join("");
  return { text: whole, reasoning: reasoning.join(""), calls: calls.map((call) => ({ ...call, text: whole })), usage };
}

/** The sum of two usages; a field that neither provider gave stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (x: number | undefined, y: number | undefined) =>
    x === undefined && y === undefined ? undefined : (x ?? 0) + (y ?? 0);
  const inputTokens = sum(a.inputTokens, b.inputTokens);
  const outputTokens = sum(a.outputTokens, b.outputTokens);
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}
