import type { Usage } from "../sdk/events.ts";
import type { Model, ModelPart, ModelRequest } from "./model.ts";

/** Who sees to what a model uses. */
export interface ModelMeter {
  /** Asked before each question. @throws HostError where it may not be asked */
  before(): void;
  /** @param estimated the reply was not read to its end, so the provider has told nothing */
  after(usage: Usage, estimated: boolean): void;
}

const BYTES_A_TOKEN = 4;

/** A model whose questions are counted, those whose replies were given up included: they cost as much. */
export function createMeteredModel(model: Model, meter: ModelMeter): Model {
  return {
    id: model.id,
    protocol: model.protocol,
    ...(model.free ? { free: true } : {}),
    async *stream(request) {
      meter.before();
      let said = 0;
      let isTold = false;
      let asked = 0;
      const system = async (): Promise<string> => {
        const text = await request.system();
        asked = Buffer.byteLength(text);
        return text;
      };
      try {
        for await (const part of model.stream({ ...request, system })) {
          said += bytesOf(part);
          if (part.type === "finish") {
            isTold = true;
            meter.after(part.usage, false);
          }
          yield part;
        }
      } finally {
        // What failed before anything came is charged by nobody.
        if (!isTold && said > 0) meter.after(estimate(request, { asked, said }), true);
      }
    },
  };
}

function bytesOf(part: ModelPart): number {
  if (part.type === "finish") return 0;
  if (part.type === "tool-call") return Buffer.byteLength(part.invalid ?? JSON.stringify(part.args ?? {}));
  return Buffer.byteLength(part.text);
}

function estimate(
  { messages, tools, protocol }: ModelRequest,
  { asked, said }: { asked: number; said: number },
): Usage {
  const sent = JSON.stringify(messages) + (protocol === "native" ? JSON.stringify(tools) : "");
  return {
    inputTokens: Math.ceil((asked + Buffer.byteLength(sent)) / BYTES_A_TOKEN),
    outputTokens: Math.ceil(said / BYTES_A_TOKEN),
  };
}
