import { describe, expect, it } from "vitest";
import { createMasker } from "../../core/governance/mask.ts";
import { createMaskedModel } from "../../core/model/masked-model.ts";
import type { Model, ModelPart, ModelRequest } from "../../core/model/model.ts";
import { HostError } from "../../core/sdk/errors.ts";

const SECRET = "sk-0123456789";
const masker = createMasker([{ name: "KEY", value: SECRET }]);
const FINISH: ModelPart = { type: "finish", reason: "stop", usage: { inputTokens: 1 } };

async function reply(parts: readonly ModelPart[], given: Partial<ModelRequest> = {}) {
  const heard: ModelRequest[] = [];
  const model: Model = {
    id: "test/model",
    protocol: "native",
    async *stream(request) {
      heard.push(request);
      yield* parts;
    },
  };
  const masked = createMaskedModel(model, masker);
  expect([masked.id, masked.protocol]).toEqual(["test/model", "native"]);
  const request: ModelRequest = {
    system: async () => "",
    messages: [],
    tools: [],
    protocol: "native",
    signal: new AbortController().signal,
    ...given,
  };
  const got: ModelPart[] = [];
  for await (const part of masked.stream(request)) got.push(part);
  return { got, heard: heard[0] as ModelRequest };
}

describe("a model behind the mask", () => {
  it("says a secret as its placeholder, wherever the reply is cut", async () => {
    for (let cut = 1; cut < SECRET.length; cut++) {
      const { got } = await reply([
        { type: "text", text: `it is ${SECRET.slice(0, cut)}` },
        { type: "reasoning", text: `so ${SECRET.slice(0, cut)}` },
        { type: "text", text: `${SECRET.slice(cut)}, and s` },
        { type: "reasoning", text: SECRET.slice(cut) },
        FINISH,
      ]);
      const text = (type: string) =>
        got.map((part) => (part.type === type && "text" in part ? part.text : "")).join("");
      expect(text("text")).toBe("it is §§secret(KEY), and s");
      expect(text("reasoning")).toBe("so §§secret(KEY)");
      expect(got.at(-1)).toBe(FINISH);
      expect(JSON.stringify(got)).not.toMatch(/sk-0/);
    }
  });

  it("calls with placeholders", async () => {
    const { got } = await reply([
      { type: "tool-call", id: "1", name: "x", args: { a: [`Bearer ${SECRET}`] } },
      { type: "tool-call", id: "2", name: "x", args: undefined, invalid: `{"a": "${SECRET}` },
    ]);
    expect(got).toEqual([
      { type: "tool-call", id: "1", name: "x", args: { a: ["Bearer §§secret(KEY)"] } },
      { type: "tool-call", id: "2", name: "x", args: undefined, invalid: '{"a": "§§secret(KEY)' },
    ]);
  });

  it("hears placeholders in the prompt and in definitions", async () => {
    const tools = [{ name: "x", description: `the key is ${SECRET}`, parameters: { type: "object" } }];
    const { heard } = await reply([FINISH], { system: async () => `the key is ${SECRET}`, tools });
    expect(await heard.system()).toBe("the key is §§secret(KEY)");
    expect(heard.tools[0]?.description).toBe("the key is §§secret(KEY)");
  });

  it("fails without secrets", async () => {
    const failing: Model = {
      id: "x",
      protocol: "json",
      // biome-ignore lint/correctness/useYield: it fails before
      async *stream() {
        throw new HostError("MODEL_REFUSED", `refused ${SECRET}`);
      },
    };
    const request = { system: async () => "", messages: [], tools: [], protocol: "json" } as const;
    const reading = async () => {
      const { signal } = new AbortController();
      for await (const _ of createMaskedModel(failing, masker).stream({ ...request, signal }));
    };
    await expect(reading()).rejects.toThrow(/^refused §§secret\(KEY\)$/);
  });
});
