import type { Model, ModelRequest } from "../model/model.ts";
import type { Usage } from "../sdk/events.ts";
import type { Extractor, ReplyText, ToolRequest } from "./extract.ts";

/** One reply of a model, as far as it was read. */
export interface Reply extends ReplyText {
  readonly usage: Usage;
}

/** Who is told of a reply while it comes. */
export interface ReplyReader {
  /** Is given the text first; once it says that the rest is of no use, the stream is ended. */
  readonly extractor: Pick<Extractor, "push">;
  text(piece: string): void;
  reasoning(piece: string): void;
}

/**
 * Reads a reply to its end, or until the extractor has enough: leaving the iteration closes the request.
 * @throws HostError MODEL_UNREACHABLE or MODEL_REFUSED, from the model
 */
export async function readReply(model: Model, request: ModelRequest, reader: ReplyReader): Promise<Reply> {
  const text: string[] = [];
  const reasoning: string[] = [];
  const calls: Omit<ToolRequest, "text">[] = [];
  let usage: Usage = {};
  let isCut = false;
  for await (const part of model.stream(request)) {
    if (part.type === "text") {
      text.push(part.text);
      const goesOn = reader.extractor.push(part.text);
      reader.text(part.text);
      if (!goesOn) break;
    } else if (part.type === "reasoning") {
      reasoning.push(part.text);
      reader.reasoning(part.text);
    } else if (part.type === "tool-call") {
      const { id, name, args, invalid } = part;
      calls.push({ id: freeId(id, calls), name, args, ...(invalid === undefined ? {} : { invalid }) });
    } else {
      usage = part.usage;
      isCut = part.reason === "length";
    }
  }
  const whole = text.join("");
  return {
    text: whole,
    reasoning: reasoning.join(""),
    calls: calls.map((call) => ({ ...call, text: whole })),
    usage,
    isCut,
  };
}

/** Some servers give all calls of a reply one id, or none; results are matched by it. */
function freeId(id: string, calls: readonly { readonly id: string }[]): string {
  const wanted = id || "call";
  if (!calls.some((call) => call.id === wanted)) return wanted;
  return freeId(`${wanted}-${calls.length + 1}`, calls);
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
