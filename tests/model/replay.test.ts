import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { createMasker } from "../../core/governance/mask.ts";
import { type Cassettes, createCassettes, type Replayed } from "../../core/model/cassettes.ts";
import type { Model, ModelPart } from "../../core/model/model.ts";
import { openModel } from "../../core/model/open.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { ask, callsOf, FACES, type Face, faces, KEY, request, settingsOf, textOf } from "./faces.ts";

const FILE = "session.cassette.json";
const NO_SETTINGS = { get: () => undefined };

function cassettes(cwd: string, env: Readonly<Record<string, string>>): Cassettes & { reported: Diagnostic[] } {
  const reported: Diagnostic[] = [];
  const masker = createMasker([{ name: "PLAN", value: "the secret plan" }]);
  return { ...createCassettes({ env, cwd, masker, report: (item) => void reported.push(item) }), reported };
}

/** A directory that goes with the test. */
function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "toolroom-cassette-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

interface Recording {
  readonly cwd: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the form of the file
  readonly exchanges: any[];
  readonly requests: number;
}

/** Does `work` with a model that is recorded; the server is gone afterwards. */
async function record(name: string, script: WireScript, work: (model: Model) => Promise<unknown>): Promise<Recording> {
  const face = FACES[name] as Face;
  const cwd = temporary();
  const server = await startWireServer(script);
  const env = { ...face.env(server), TOOLROOM_CASSETTE: `record:${FILE}` };
  const model = await openModel(face.id, { env, settings: settingsOf(face, server), cassettes: cassettes(cwd, env) });
  await work(model);
  await server.close();
  const text = readFileSync(join(cwd, FILE), "utf8");
  return { cwd, text, exchanges: JSON.parse(text).exchanges, requests: server.requests.length };
}

/** The model of a cassette, without keys, settings and server. */
async function replay({ cwd }: { cwd: string }, id?: string): Promise<Model> {
  const env = { TOOLROOM_CASSETTE: `replay:${FILE}` };
  return await openModel(id, { env, settings: NO_SETTINGS, cassettes: cassettes(cwd, env) });
}

interface Outcome {
  readonly parts: readonly ModelPart[];
  readonly error?: unknown;
}

/** Asks, and tells what came and what was thrown. */
async function outcome(model: Model, stopAt?: number): Promise<Outcome> {
  const parts: ModelPart[] = [];
  const controller = new AbortController();
  try {
    for await (const part of model.stream(request(model, { signal: controller.signal }))) {
      if (parts.push(part) === stopAt) controller.abort(new Error("stopped by the person"));
    }
    return { parts };
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    return { parts, error: { name, message, code } };
  }
}

/** The same work on a recording and on its replay gives the same. */
async function bothWays<T>(name: string, script: WireScript, work: (model: Model) => Promise<T>) {
  let live: T | undefined;
  const recording = await record(name, script, async (model) => {
    live = await work(model);
  });
  const replayed = await work(await replay(recording));
  expect(replayed).toEqual(live);
  return { result: replayed, ...recording };
}

describe.each(faces)("%s: the replay gives what the recording gave", (name) => {
  test("text, reasoning where the format has it, calls, usage", async () => {
    const { result } = await bothWays(
      name,
      [
        {
          text: "Ich zähle → 一二三.",
          calls: [
            { name: "word_count", args: { path: "ä.txt" } },
            { name: "b", args: {} },
          ],
        },
        { text: "Twelve." },
      ],
      async (model) => {
        const first = await ask(model, { messages: [{ role: "user", content: "How many?" }] });
        const second = await ask(model, { messages: [{ role: "user", content: "And now?" }] });
        const ids = (parts: ModelPart[]) => parts.map((part) => ({ ...part, id: "…" }));
        return [ids(first), ids(second)];
      },
    );
    expect(textOf(result[0] as ModelPart[])).toBe("Ich zähle → 一二三.");
    expect(callsOf(result[0] as ModelPart[])).toHaveLength(2);
    expect(result[0]?.filter(({ type }) => type === "text").length).toBeGreaterThan(1);
  });

  test("a refusal, and the success of the next try", async () => {
    const { result, exchanges } = await bothWays(
      name,
      [{ status: 429, message: "slow down, {key}" }, { status: 500, body: "<html>" }, { text: "ok" }],
      async (model) => [await outcome(model), await outcome(model), await outcome(model)],
    );
    expect(result.map(({ error }) => (error as { code?: string } | undefined)?.code)).toEqual([
      "MODEL_REFUSED",
      "MODEL_REFUSED",
      undefined,
    ]);
    expect(result[0]).toMatchObject({ error: { message: expect.stringContaining("slow down, ***") } });
    expect(exchanges.map(({ response }) => response.status)).toEqual([429, 500, 200]);
  });

  test("a stop in the middle", async () => {
    const script: WireScript = [{ text: "It has twelve lines.", trouble: "hang" }];
    let live: Outcome | undefined;
    const recording = await record(name, script, async (model) => {
      live = await outcome(model, 1);
    });
    expect(recording.exchanges).toMatchObject([{ end: "left" }]);
    const replayed = await outcome(await replay(recording), 1);
    expect(replayed.error).toMatchObject({ message: "stopped by the person" });
    expect(replayed.error).toEqual(live?.error);
    // How much is read until a stop gets through is a matter of time, with a network and without.
    expect("It has twelve lines.".startsWith(textOf(replayed.parts))).toBe(true);
    expect(textOf(replayed.parts)).not.toBe("");
  });

  test("a connection that is lost in the middle, or never made", async () => {
    let cut: Outcome | undefined;
    const recording = await record(name, [{ text: "It has twelve lines.", trouble: "cut" }], async (model) => {
      cut = await outcome(model);
    });
    expect(recording.exchanges).toMatchObject([{ end: "lost", error: { cause: { code: expect.any(String) } } }]);
    const replayed = await outcome(await replay(recording));
    expect(replayed.error).toMatchObject({ code: "MODEL_UNREACHABLE" });
    expect(replayed.error).toEqual(cut?.error);
    const face = FACES[name] as Face;
    const nobody = await startWireServer([]);
    await nobody.close();
    const cwd = temporary();
    const env = { ...face.env(nobody), TOOLROOM_CASSETTE: `record:${FILE}` };
    const options = { env, settings: settingsOf(face, nobody), cassettes: cassettes(cwd, env) };
    const live = await outcome(await openModel(face.id, options));
    expect(live.error).toMatchObject({ code: "MODEL_UNREACHABLE", message: expect.stringContaining("ECONNREFUSED") });
    expect(await outcome(await replay({ cwd }))).toEqual(live);
  });

  test("no key is in the cassette, wherever it was sent or repeated", async () => {
    const { text, exchanges } = await record(
      name,
      [{ text: `Your key is ${KEY}.` }, { status: 401, message: "no {key}" }],
      async (model) => {
        await ask(model, { messages: [{ role: "user", content: `My key is ${KEY}, and this is the secret plan.` }] });
        await outcome(model);
      },
    );
    expect(text).not.toContain(KEY);
    expect(text).not.toContain("the secret plan");
    expect(text).not.toMatch(/authorization|x-api-key|x-goog-api-key/i);
    expect(JSON.stringify(exchanges[0].request.body)).toContain("My key is ***, and this is §§secret(PLAN).");
    expect(exchanges[0].endpoint).not.toHaveProperty("apiKey");
  });
});

test("whoever does not leave a reply that the recording left is told so", async () => {
  const script: WireScript = [{ text: "It has twelve lines.", trouble: "hang" }];
  const recording = await record("anthropic", script, (model) => outcome(model, 1));
  const model = await replay(recording);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const replayed = outcome(model);
    while (vi.getTimerCount() === 0) await setImmediate();
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await replayed).error).toMatchObject({
      code: "CASSETTE_MISMATCH",
      message: expect.stringContaining("expected the reply to be stopped in its middle"),
    });
  } finally {
    vi.useRealTimers();
  }
});

test("a stop before anything came is a stop again", async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const cwd = temporary();
  const env = { TOOLROOM_BASE_URL: `http://127.0.0.1:${port}/v1`, TOOLROOM_CASSETTE: `record:${FILE}` };
  const stopped = async (model: Model) => {
    const controller = new AbortController();
    const reason = new Error("stopped by the person");
    setTimeout(() => controller.abort(reason), 20);
    await expect(ask(model, { signal: controller.signal })).rejects.toBe(reason);
  };
  await stopped(await openModel("openai-compatible/m", { env, settings: NO_SETTINGS, cassettes: cassettes(cwd, env) }));
  silent.closeAllConnections();
  silent.close();
  const [exchange] = JSON.parse(readFileSync(join(cwd, FILE), "utf8")).exchanges;
  expect(exchange).toMatchObject({ number: 1, end: "left" });
  expect(exchange).not.toHaveProperty("response");
  await stopped(await replay({ cwd }));
});

describe("requests that were in flight together", () => {
  const reply = (word: string) => ({ text: `This is about ${word}.` });
  const about = (model: Model, word: string) => ask(model, { messages: [{ role: "user", content: word }] });
  const script: WireScript = ({ body }) => reply(body.messages.at(-1).content);

  test("may come in another order; each gets its own reply", async () => {
    const recording = await record("openai-compatible", script, async (model) => {
      await Promise.all(["one", "two", "three"].map((word) => about(model, word)));
      await about(model, "four");
    });
    expect(recording.exchanges.map(({ number }) => number).sort()).toEqual([1, 2, 3, 4]);
    const model = await replay(recording);
    const replies = await Promise.all(["three", "one", "two"].map((word) => about(model, word)));
    expect(replies.map(textOf)).toEqual(["three", "one", "two"].map((word) => reply(word).text));
    expect(textOf(await about(model, "four"))).toBe("This is about four.");
  });

  test("one that came later may not come first", async () => {
    const recording = await record("openai-compatible", script, async (model) => {
      await Promise.all(["one", "two"].map((word) => about(model, word)));
      await about(model, "three");
    });
    const model = await replay(recording);
    await expect(about(model, "three")).rejects.toMatchObject({
      code: "CASSETTE_MISMATCH",
      message: expect.stringMatching(/exchange 1 of 3: expected messages\[0\]\.content to be "one", found "three"/),
    });
  });
});

describe("a request that was not recorded", () => {
  const ok: WireScript = [{ text: "ok" }];

  test.each(faces)("%s: the first difference is told, and nothing is asked", async (name) => {
    const long = "Please look at the many lines of the file README.md and tell me how many there are";
    const recording = await record(name, ok, (model) =>
      ask(model, { messages: [{ role: "user", content: `${long}.` }] }),
    );
    const model = await replay(recording);
    await expect(ask(model, { messages: [{ role: "user", content: `${long}!` }] })).rejects.toMatchObject({
      code: "CASSETTE_MISMATCH",
      message: expect.stringMatching(
        /^CASSETTE_MISMATCH: session\.cassette\.json: exchange 1 of 1: expected \S+ to be "…\S.* there are\.", found "….* there are!"\. The replay asked/,
      ),
    });
    // The reply is still there for whoever asks as the recording did.
    expect(textOf(await ask(model, { messages: [{ role: "user", content: `${long}.` }] }))).toBe("ok");
  });

  test("one more than there were", async () => {
    const recording = await record("anthropic", ok, (model) => ask(model));
    const model = await replay(recording);
    await ask(model);
    await expect(ask(model)).rejects.toMatchObject({
      code: "CASSETTE_MISMATCH",
      message: expect.stringContaining(
        "expected no request after the 1 of the recording, found one more, to /v1/messages",
      ),
    });
  });

  test("system prompt and definitions do not count: every edit of a fragment changes them", async () => {
    for (const name of faces) {
      const recording = await record(name, ok, (model) => ask(model));
      const parts = await ask(await replay(recording), { system: async () => "Be long.", tools: [] });
      expect(textOf(parts)).toBe("ok");
      expect(recording.text).not.toContain("Be brief.");
      expect(recording.text).not.toContain("Counts words.");
    }
  });

  test("moments and UUIDs do not count", async () => {
    const content = (time: string, id: string) => `At ${time} the job ${id} ended.`;
    const recording = await record("openai chat", ok, (model) =>
      ask(model, {
        messages: [
          { role: "user", content: content("2026-01-02T03:04:05.678Z", "0b5e9f0e-5d0c-4f0e-9b61-2f8ab6f0c001") },
        ],
      }),
    );
    const parts = await ask(await replay(recording), {
      messages: [
        { role: "user", content: content("2027-11-12T13:14:15+01:00", "7d444840-9dc0-11d1-b245-5ffdce74fad2") },
      ],
    });
    expect(textOf(parts)).toBe("ok");
  });
});

test("what is read again is byte for byte what was sent, chunk by chunk, also through the middle of a character", async () => {
  const recording = await record("openai-compatible", [{ text: "一二三四五六" }], (model) => ask(model));
  const [{ response }] = recording.exchanges;
  const bytes = Buffer.from(response.chunks.join(""));
  const cuts = [bytes.indexOf("一") + 1, bytes.indexOf("四") + 2];
  const chunks = [bytes.subarray(0, cuts[0]), bytes.subarray(cuts[0], cuts[1]), bytes.subarray(cuts[1])];
  response.chunks = chunks.map((chunk) => ({ base64: chunk.toString("base64") }));
  writeFileSync(
    join(recording.cwd, FILE),
    JSON.stringify({ ...JSON.parse(recording.text), exchanges: recording.exchanges }),
  );
  expect(textOf(await ask(await replay(recording)))).toBe("一二三四五六");

  const env = { TOOLROOM_CASSETTE: `replay:${FILE}` };
  const { fetch } = (await cassettes(recording.cwd, env).replay(undefined)) as Replayed;
  const again = await fetch(`http://127.0.0.1${recording.exchanges[0].request.path}`, {
    method: "POST",
    body: JSON.stringify(recording.exchanges[0].request.body),
  });
  const read: Uint8Array[] = [];
  for await (const chunk of again.body as ReadableStream<Uint8Array>) read.push(chunk);
  expect(read.map((chunk) => Buffer.from(chunk).toString("hex"))).toEqual(chunks.map((chunk) => chunk.toString("hex")));
});

describe("how a cassette is named", () => {
  test("as a model", async () => {
    const recording = await record("anthropic", [{ text: "ok" }], (model) => ask(model));
    const model = await openModel(`replay/${FILE}`, {
      env: {},
      settings: NO_SETTINGS,
      cassettes: cassettes(recording.cwd, {}),
    });
    expect(model.id).toBe(`replay/${FILE}`);
    expect(textOf(await ask(model))).toBe("ok");
  });

  test("the model that was recorded may be named too; another may not", async () => {
    const recording = await record("a named endpoint", [{ text: "ok" }], (model) => ask(model));
    expect(textOf(await ask(await replay(recording, "lab/llama")))).toBe("ok");
    await expect(replay(recording, "lab/other")).rejects.toMatchObject({
      code: "CASSETTE_MISMATCH",
      message: expect.stringContaining("expected one of the models that were recorded (lab/llama), found lab/other"),
    });
    expect((await replay(recording, "offline")).id).toBe("offline");
  });

  test("the protocol is the recording's", async () => {
    const face = FACES.anthropic as Face;
    const server = await startWireServer([{ text: "{}" }]);
    const cwd = temporary();
    const env = { ...face.env(server), TOOLROOM_CASSETTE: `record:${FILE}` };
    const settings = settingsOf(face, server, { protocol: "json" });
    await ask(await openModel(face.id, { env, settings, cassettes: cassettes(cwd, env) }));
    await server.close();
    expect((await replay({ cwd })).protocol).toBe("json");
  });

  test.each(["rewind:x", "record:", "x.json", "replay"])("TOOLROOM_CASSETTE=%s is wrong usage", async (value) => {
    const env = { TOOLROOM_CASSETTE: value };
    const opening = openModel("offline", { env, settings: NO_SETTINGS, cassettes: cassettes(temporary(), env) });
    await expect(opening).rejects.toMatchObject({
      code: "USAGE",
      kind: "usage",
      message: expect.stringContaining(`"${value}"`),
    });
  });

  test("the offline model has no traffic", async () => {
    const env = { TOOLROOM_CASSETTE: "record:x.json" };
    const opening = openModel(undefined, { env, settings: NO_SETTINGS, cassettes: cassettes(temporary(), env) });
    await expect(opening).rejects.toMatchObject({ code: "USAGE", message: expect.stringContaining("offline model") });
  });
});

describe("files", () => {
  test("a file that is no cassette is never written over", async () => {
    const cwd = temporary();
    writeFileSync(join(cwd, FILE), '{"name": "precious"}');
    const env = {
      ...(FACES.anthropic as Face).env({ url: "http://127.0.0.1:9", baseURL: "" }),
      TOOLROOM_CASSETTE: `record:${FILE}`,
    };
    const opening = openModel("anthropic/claude-test", { env, settings: NO_SETTINGS, cassettes: cassettes(cwd, env) });
    await expect(opening).rejects.toMatchObject({
      code: "CASSETTE_UNWRITABLE",
      message: expect.stringContaining(FILE),
    });
    expect(readFileSync(join(cwd, FILE), "utf8")).toBe('{"name": "precious"}');
  });

  test("an older cassette is replaced, directories are made, and each exchange is in the file when it has ended", async () => {
    const cwd = temporary();
    const face = FACES.anthropic as Face;
    const server = await startWireServer([{ text: "a long enough first reply" }, { text: "b" }]);
    const env = { ...face.env(server), TOOLROOM_CASSETTE: "record:deep/er/x.json" };
    for (const count of [2, 1]) {
      const model = await openModel(face.id, { env, settings: NO_SETTINGS, cassettes: cassettes(cwd, env) });
      for (let index = 1; index <= count; index++) {
        await ask(model);
        const { exchanges } = JSON.parse(readFileSync(join(cwd, "deep/er/x.json"), "utf8"));
        expect(exchanges).toHaveLength(index);
      }
    }
    await server.close();
  });

  test.each([
    ["nothing there", undefined, "ENOENT"],
    ["no JSON", "hello", "no JSON"],
    ["something else", "{}", "something else"],
    ["another version", '{"toolroom":"cassette","version":2,"exchanges":[]}', "version 2"],
    ["no exchanges", '{"toolroom":"cassette","version":1,"exchanges":[]}', "without exchanges"],
    ["a damaged exchange", '{"toolroom":"cassette","version":1,"exchanges":[{"number":1}]}', "exchange 1 is damaged"],
  ])("%s is no cassette to replay", async (_, text, words) => {
    const cwd = temporary();
    if (text !== undefined) writeFileSync(join(cwd, FILE), text);
    await expect(replay({ cwd })).rejects.toMatchObject({
      code: "CASSETTE_UNREADABLE",
      message: expect.stringMatching(new RegExp(`${FILE}.*${words}`)),
    });
  });
});
