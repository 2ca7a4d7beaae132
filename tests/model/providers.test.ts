import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ModelMessage, ModelPart } from "../../core/model/model.ts";
import { openModel } from "../../core/model/open.ts";
import type { Json } from "../../core/sdk/json.ts";
import { USAGE } from "../helpers/wire-formats.ts";
import { startWireServer, type WireScript, type WireServer } from "../helpers/wire-server.ts";
import { ask, callsOf, FACES, type Face, faces, KEY, request, settingsOf, textOf, WORD_COUNT } from "./faces.ts";

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** Google sends arguments as values, so broken JSON cannot come from there. */
const textual = faces.filter((name) => name !== "google");

async function open(name: string, script: WireScript, values: Record<string, Json> = {}) {
  const server = await startWireServer(script);
  servers.push(server);
  return { server, model: await openAt(name, server, values) };
}

function openAt(name: string, server: { url: string; baseURL: string }, values: Record<string, Json> = {}) {
  const face = FACES[name] as Face;
  return openModel(face.id, { env: face.env(server), settings: settingsOf(face, server, values) });
}

describe.each(faces)("%s", (name) => {
  test("streams text in pieces and ends with the usage", async () => {
    const { model, server } = await open(name, [{ text: "It has twelve lines." }]);
    const parts = await ask(model);
    expect(textOf(parts)).toBe("It has twelve lines.");
    expect(parts.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
    expect(parts.at(-1)).toEqual({ type: "finish", reason: "stop", usage: USAGE });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.key).toBe(KEY);
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Be brief.");
  });

  test("hands tool calls on, several of one reply in their order, unknown names too", async () => {
    const calls = [
      { name: "word_count", args: { path: "a.txt" } },
      { name: "word_count", args: { path: "b.txt" } },
      { name: "made_up", args: { x: [1] } },
    ];
    const { model } = await open(name, [{ text: "I look.", calls }]);
    const parts = await ask(model);
    expect(callsOf(parts)).toEqual(calls.map((call) => ({ type: "tool-call", id: expect.any(String), ...call })));
    expect(new Set(callsOf(parts).map((part) => (part.type === "tool-call" ? part.id : ""))).size).toBe(3);
    expect(parts.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  test("tool definitions go along in the native protocol", async () => {
    const { model, server } = await open(name, [{ text: "ok" }]);
    await ask(model, { tools: [WORD_COUNT, { name: "anything", description: "Takes anything.", parameters: {} }] });
    const sent = JSON.stringify(server.requests[0]?.body.tools);
    expect(sent).toContain('"word_count"');
    expect(sent).toContain("Counts words.");
    expect(sent).toContain('"anything"');
  });

  test("without tools none are sent", async () => {
    const { model, server } = await open(name, [{ text: "ok" }]);
    await ask(model, { tools: [] });
    expect(server.requests[0]?.body).not.toHaveProperty("tools");
  });

  test("a result makes the round trip to the model", async () => {
    const { model, server } = await open(name, [
      { calls: [{ id: "call_a", name: "word_count", args: { path: "a.txt" } }] },
      { text: "312" },
    ]);
    const call = callsOf(await ask(model))[0];
    if (call?.type !== "tool-call") throw new Error("expected a call");
    const messages: ModelMessage[] = [
      { role: "user", content: "How many lines?" },
      { role: "assistant", content: "", toolCalls: [{ id: call.id, name: call.name, args: call.args }] },
      { role: "tool", toolCallId: call.id, toolName: call.name, content: "a.txt: 312 lines", isError: false },
    ];
    expect(textOf(await ask(model, { messages }))).toBe("312");
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(sent).toContain("a.txt: 312 lines");
    expect(sent).toContain("word_count");
  });

  test("in the JSON protocol everything is text", async () => {
    const { model, server } = await open(name, [{ text: '{"tool_name":"word_count","tool_args":{"path":"a"}}' }], {
      protocol: "json",
    });
    expect(model.protocol).toBe("json");
    const parts = await ask(model, {
      messages: [
        { role: "user", content: "How many lines?" },
        { role: "assistant", content: '{"tool_name":"word_count"}' },
        { role: "tool", toolCallId: "1", toolName: "word_count", content: "twelve", isError: false },
      ],
    });
    expect(textOf(parts)).toContain('"tool_name":"word_count"');
    expect(callsOf(parts)).toEqual([]);
    const { body } = server.requests[0] as { body: unknown };
    expect(body).not.toHaveProperty("tools");
    expect(JSON.stringify(body)).toContain(
      JSON.stringify('{"tool_name":"word_count","tool_result":"twelve"}').slice(1, -1),
    );
  });

  test.each([400, 401, 404, 429, 500, 529])(
    "status %i is told in the provider's words, asked once, the key masked",
    async (status) => {
      const { model, server } = await open(name, [{ status, message: "No good: {key}.\nTry again." }]);
      const error = await ask(model).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "MODEL_REFUSED", kind: "failure" });
      const { message } = error as Error;
      expect(message).toContain(`status ${status}: No good: ***. Try again`);
      expect(message).toContain(model.id);
      expect(message).not.toContain(KEY);
      expect(message).not.toContain("\n");
      expect(server.requests).toHaveLength(1);
    },
  );

  test("an error page is told by its status", async () => {
    const { model } = await open(name, [{ status: 502, body: "<html><h1>Bad gateway</h1></html>" }]);
    await expect(ask(model)).rejects.toMatchObject({
      code: "MODEL_REFUSED",
      message: expect.stringMatching(/status 502: Bad Gateway/),
    });
  });

  test("a page instead of a stream is no empty answer", async () => {
    const { model } = await open(name, [{ status: 201, body: "<html>hello</html>" }]);
    await expect(ask(model)).rejects.toMatchObject({ code: "MODEL_REFUSED" });
  });

  test("a connection that is cut keeps what came and then fails", async () => {
    const { model } = await open(name, [{ text: "It has twelve lines.", trouble: "cut" }]);
    const parts: ModelPart[] = [];
    const run = async () => {
      for await (const part of model.stream(request(model))) parts.push(part);
    };
    await expect(run()).rejects.toMatchObject({ code: "MODEL_UNREACHABLE" });
    expect(parts.every(({ type }) => type === "text")).toBe(true);
  });

  test("nothing listens: one sentence with the address and what to do", async () => {
    const url = await freeAddress();
    const model = await openAt(name, { url, baseURL: `${url}/v1` });
    const error = await ask(model).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "MODEL_UNREACHABLE",
      message: `The model ${model.id} could not be reached at ${url}/v1: nothing listens there (ECONNREFUSED); start it or choose another with --model.`,
    });
  });

  test("the signal ends the request with its reason", async () => {
    const { model, server } = await open(name, [{ text: "It has twelve lines.", trouble: "hang" }]);
    const controller = new AbortController();
    const reason = new Error("the person pressed Ctrl-C");
    const run = async () => {
      for await (const _ of model.stream(request(model, { signal: controller.signal }))) controller.abort(reason);
    };
    await expect(run()).rejects.toBe(reason);
    await (await server.request(0)).closed;
  });

  test("a signal that has fired asks nothing", async () => {
    const { model, server } = await open(name, [{ text: "no" }]);
    await expect(ask(model, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: "AbortError" });
    expect(server.requests).toEqual([]);
  });

  test("leaving the stream ends the request", async () => {
    const { model, server } = await open(name, [{ text: "It has twelve lines.", trouble: "hang" }]);
    for await (const part of model.stream(request(model))) {
      expect(part.type).toBe("text");
      break;
    }
    await (await server.request(0)).closed;
  });

  test("nothing is printed", async () => {
    const written = (["log", "info", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
    const { model } = await open(name, [{ text: "ok" }, { status: 500 }]);
    await ask(model);
    await ask(model).catch(() => {});
    for (const spy of written) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

describe.each(textual)("%s, arguments as text", (name) => {
  test("arguments that are not JSON keep their raw text and are never {}", async () => {
    const calls = [
      { name: "word_count", args: '{"path":' },
      { name: "made_up", args: "not json" },
      { name: "word_count", args: '{"path": "a.txt"}' },
    ];
    const { model } = await open(name, [{ calls }]);
    expect(callsOf(await ask(model))).toEqual([
      { type: "tool-call", id: expect.any(String), name: "word_count", args: undefined, invalid: '{"path":' },
      { type: "tool-call", id: expect.any(String), name: "made_up", args: undefined, invalid: "not json" },
      { type: "tool-call", id: expect.any(String), name: "word_count", args: { path: "a.txt" } },
    ]);
  });

  test("arguments that do not fit the schema are handed on for the dispatcher to refuse", async () => {
    const { model } = await open(name, [{ calls: [{ name: "word_count", args: { paths: ["a"] } }] }]);
    expect(callsOf(await ask(model))).toMatchObject([{ args: { paths: ["a"] } }]);
  });
});

test.each(["openai chat", "openai-compatible", "anthropic"])("%s: an error in the middle of a stream", async (name) => {
  const { model } = await open(name, [{ text: "It has twelve lines.", trouble: "error", message: "overloaded {key}" }]);
  await expect(ask(model)).rejects.toMatchObject({
    code: "MODEL_REFUSED",
    message: expect.stringMatching(/broke off with an error: overloaded \*\*\*\.$/),
  });
});

test.each(["openai-compatible", "anthropic"])("%s: reasoning comes apart from the text", async (name) => {
  const { model } = await open(name, [{ reasoning: "Let me think.", text: "Twelve." }]);
  const parts = await ask(model);
  expect(parts.flatMap((part) => (part.type === "reasoning" ? part.text : [])).join("")).toBe("Let me think.");
  expect(textOf(parts)).toBe("Twelve.");
});

test("a server without a key is sent none", async () => {
  const server = await startWireServer([{ text: "ok" }]);
  servers.push(server);
  const model = await openModel("openai-compatible/m", {
    env: { TOOLROOM_BASE_URL: server.baseURL },
    settings: { get: () => undefined },
  });
  expect(textOf(await ask(model))).toBe("ok");
  expect(server.requests[0]?.key).toBe("");
});

test("google sees the signatures of its calls again", async () => {
  const { model, server } = await open("google", [
    { calls: [{ name: "word_count", args: { path: "a" } }] },
    { text: "ok" },
  ]);
  const call = callsOf(await ask(model))[0];
  if (call?.type !== "tool-call") throw new Error("expected a call");
  await ask(model, {
    messages: [
      { role: "user", content: "count" },
      { role: "assistant", content: "", toolCalls: [{ id: call.id, name: call.name, args: call.args }] },
      { role: "tool", toolCallId: call.id, toolName: call.name, content: "3", isError: false },
    ],
  });
  expect(JSON.stringify(server.requests[1]?.body.contents)).toContain('"thoughtSignature":"signature-0"');
});

/** An address that nothing listens on: it was free a moment ago. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
