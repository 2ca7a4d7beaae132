import type { Masker } from "../governance/mask.ts";
import { maskError } from "../governance/mask-error.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";

/**
 * A model that neither hears nor says a secret: in the prompt, the definitions and the reply a value is its
 * placeholder, wherever the reply is cut into pieces. What it would call with a value that it has from elsewhere is
 * called with the placeholder, which stands for the same value when the tool runs. Messages are masked by the history.
 */
export function createMaskedModel(model: Model, masker: Masker): Model {
  // The definitions stay the same for a whole turn, and there may be thousands.
  let given: ModelRequest["tools"] = [];
  let masked = given;
  const toolsOf = ({ tools }: ModelRequest): ModelRequest["tools"] => {
    if (tools !== given) masked = masker.maskJson(tools);
    given = tools;
    return masked;
  };
  return {
    id: model.id,
    protocol: model.protocol,
    ...(model.free ? { free: true } : {}),
    async *stream(request) {
      try {
        yield* maskedParts(model.stream(maskedRequest(request, toolsOf(request), masker)), masker);
      } catch (error) {
        throw request.signal.aborted ? error : maskError(error, masker);
      }
    },
  };
}

function maskedRequest(request: ModelRequest, tools: ModelRequest["tools"], masker: Masker): ModelRequest {
  return {
    ...request,
    tools,
    system: async () => masker.mask(await request.system()),
  };
}

/** An end that is held back comes before the part that closes the reply. */
async function* maskedParts(parts: AsyncIterable<ModelPart>, masker: Masker): AsyncIterable<ModelPart> {
  const streams = { text: masker.stream(), reasoning: masker.stream() };
  const rest = (): readonly ModelPart[] => [
    ...partOf("reasoning", streams.reasoning.end()),
    ...partOf("text", streams.text.end()),
  ];
  for await (const part of parts) {
    if (part.type === "text" || part.type === "reasoning") {
      yield* partOf(part.type, streams[part.type].push(part.text));
    } else if (part.type === "tool-call") {
      const { invalid } = part;
      const args = masker.maskJson(part.args);
      yield invalid === undefined ? { ...part, args } : { ...part, args, invalid: masker.mask(invalid) };
    } else {
      yield* rest();
      yield part;
    }
  }
  yield* rest();
}

function partOf(type: "text" | "reasoning", text: string): readonly ModelPart[] {
  return text === "" ? [] : [{ type, text }];
}
