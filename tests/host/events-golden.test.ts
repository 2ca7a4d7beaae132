import { describe, expect, it } from "vitest";
import type { Agent, Host } from "../../core/host.ts";
import type { HostEvent } from "../../core/sdk/events.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

/** A tool whose `execute` is this. */
const tool = (body: string, statics = "") =>
  toolSource("ok", statics).replace('return this.success("ok");', `${body} return this.success("ok");`);

const FILES: Tree = {
  "usr/tools/steps.ts": tool('await this.setProgress("half"); await this.setProgress("nearly");'),
  "usr/tools/strict.ts": `import { Tool, z } from "toolroom";
const parameters = z.object({ n: z.number() });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute() { return this.success("ok"); }
}
`,
  "usr/tools/broken.ts": "export default 1;\n",
  "usr/tools/throwing.ts": tool('throw new Error("no luck");'),
  "usr/tools/failing.ts": tool('if (this.name) return this.failure("NOT_FOUND", "nothing there");'),
  "usr/tools/slow.ts": tool("await new Promise(() => {});", "static readonly timeoutMs = 5;"),
  "usr/tools/endless.ts": tool("await new Promise(() => {});"),
  "usr/tools/last.ts": tool('if (this.name) return this.response({ message: "That is all.", breakLoop: true });'),
  "usr/tools/side.ts": tool("", 'static readonly parallel = "safe";'),
  "usr/tools/guarded.ts": tool(""),
  "usr/tools/long.ts": tool('if (this.name) return this.success("x".repeat(60_000));'),
  "usr/extensions/tool_execute_before/_10_guard.ts": `import { Extension } from "toolroom";
export default class extends Extension<"tool_execute_before"> {
  async execute(payload: { toolName: string; deny?: string }) {
    if (payload.toolName === "guarded") payload.deny = "not today";
  }
}
`,
};

/** One event as a line: what it is about, without ids and times. */
function lineOf(event: HostEvent): string {
  switch (event.type) {
    case "turn_start":
      return `turn_start ${event.message}`;
    case "reply_start":
      return `reply_start ${event.iteration}`;
    case "reply_end":
      return `reply_end ${event.iteration} ${event.status}`;
    case "text_delta":
      return "text_delta";
    case "tool_start":
      return `tool_start ${event.name} ${JSON.stringify(event.args)}`;
    case "tool_progress":
      return `tool_progress ${event.name} ${event.text}`;
    case "tool_end":
      return `tool_end ${event.name} ${event.result.error?.code ?? event.status}`;
    case "warning":
      return `warning ${event.code}`;
    case "intervention":
      return `intervention ${event.message}`;
    case "turn_end":
      return `turn_end ${event.error ?? event.answer}`;
    default:
      return event.type;
  }
}

interface Options {
  readonly files?: Tree;
  readonly work?: (host: Host) => Promise<unknown>;
}

/** The events of a piece of work with a model that answers by a script; pieces of one text are one line. */
async function eventsOf(script: WireScript, { files = {}, work = (host) => host.run("go") }: Options = {}) {
  const server = await startWireServer(script);
  const env = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "sk-test-0123456789" };
  const { host } = await openHouse({ ...FILES, ...files }, { model: "openai/test", env });
  const events: HostEvent[] = [];
  host.onAny((event) => events.push(event));
  await work(host);
  await server.close();
  const lines = events.map(lineOf);
  expectIds(events);
  return lines.filter((line, index) => line !== "text_delta" || lines[index - 1] !== line);
}

/** Every event of a turn has its id, and every start one end. */
function expectIds(events: readonly HostEvent[]): void {
  const turns = new Set(events.flatMap((event) => ("turnId" in event ? event.turnId : [])));
  expect(turns.size).toBe(1);
  const ends = events.flatMap((event) => (event.type === "tool_end" ? event.callId : []));
  const starts = events.flatMap((event) => (event.type === "tool_start" ? event.callId : []));
  expect(new Set(ends).size).toBe(ends.length);
  for (const id of starts) expect(ends).toContain(id);
}

const asks = (...names: (string | readonly [string, unknown])[]) => ({
  calls: names.map((call) => (typeof call === "string" ? { name: call, args: {} } : { name: call[0], args: call[1] })),
});

/** The frame that most turns have: one reply with calls, then an answer. */
const around = (...lines: string[]) => [
  "turn_start go",
  "reply_start 0",
  "reply_end 0 complete",
  ...lines,
  "reply_start 1",
  "text_delta",
  "reply_end 1 complete",
  "turn_end Done.",
];

const DONE = { text: "Done." };

describe("the events of a turn, in their order", () => {
  it("of a success", async () => {
    const script = [{ text: "Let me see.", ...asks("steps") }, DONE];
    expect(await eventsOf(script)).toEqual([
      "turn_start go",
      "reply_start 0",
      "text_delta",
      "reply_end 0 complete",
      "tool_start steps {}",
      "tool_progress steps half",
      "tool_progress steps nearly",
      "tool_end steps success",
      "reply_start 1",
      "text_delta",
      "reply_end 1 complete",
      "turn_end Done.",
    ]);
  });

  it.each([
    [
      "an unknown tool: the fallback tool answers",
      "no_such",
      ['tool_start unknown {"requested":"no_such","args":{}}', "tool_end unknown UNKNOWN_TOOL"],
    ],
    ["arguments that do not fit", ["strict", { n: "x" }] as const, ["tool_end strict INVALID_PARAM"]],
    ["arguments that are no JSON", ["strict", '{"n": '] as const, ["tool_end strict INVALID_JSON"]],
    ["a tool that does not load", "broken", ["tool_end broken TOOL_LOAD_FAILED"]],
    ["a call that an extension denies", "guarded", ["tool_end guarded DENIED_BY_EXTENSION"]],
    ["a tool that throws", "throwing", ["tool_start throwing {}", "tool_end throwing EXECUTION_ERROR"]],
    ["a tool that says that it failed", "failing", ["tool_start failing {}", "tool_end failing NOT_FOUND"]],
    ["a tool over its deadline", "slow", ["tool_start slow {}", "tool_end slow TIMEOUT"]],
    ["a tool that says too much", "long", ["tool_start long {}", "tool_end long partial"]],
    [
      "a secret that there is not",
      ["side", { key: "§§secret(DOOR)" }] as const,
      ['tool_start side {"key":"§§secret(DOOR)"}', "tool_end side SECRET_UNKNOWN"],
    ],
  ])("of %s", async (_, call, lines) => {
    expect(await eventsOf([asks(call), DONE])).toEqual(around(...lines));
  });

  it("of several calls, one after the other", async () => {
    expect(await eventsOf([asks("guarded", "strict", "steps"), DONE])).toEqual(
      around(
        "tool_end guarded DENIED_BY_EXTENSION",
        "tool_end strict INVALID_PARAM",
        "tool_start steps {}",
        "tool_progress steps half",
        "tool_progress steps nearly",
        "tool_end steps success",
      ),
    );
  });

  it("of calls side by side: all begin before one ends", async () => {
    const lines = await eventsOf([asks(["side", { n: 1 }], ["side", { n: 2 }], ["side", { n: 3 }]), DONE]);
    expect(lines).toEqual(
      around(
        'tool_start side {"n":1}',
        'tool_start side {"n":2}',
        'tool_start side {"n":3}',
        "tool_end side success",
        "tool_end side success",
        "tool_end side success",
      ),
    );
  });

  it("of a call that ends the turn: those behind it are skipped", async () => {
    expect(await eventsOf([asks("last", "steps", "no_such")])).toEqual([
      "turn_start go",
      "reply_start 0",
      "reply_end 0 complete",
      "tool_start last {}",
      "tool_end last success",
      "tool_end steps SKIPPED",
      "tool_end no_such SKIPPED",
      "turn_end That is all.",
    ]);
  });

  it("of the JSON protocol, with a reply that is no request", async () => {
    const request = (name: string, args: object) => ({ text: JSON.stringify({ tool_name: name, tool_args: args }) });
    const files = { "usr/settings.yaml": "protocol: json\n" };
    const script = [{ text: "I would rather talk." }, request("steps", {}), request("response", { text: "Done." })];
    expect(await eventsOf(script, { files })).toEqual([
      "turn_start go",
      "reply_start 0",
      "text_delta",
      "reply_end 0 complete",
      "warning MISFORMAT",
      "reply_start 1",
      "text_delta",
      "reply_end 1 complete",
      "tool_start steps {}",
      "tool_progress steps half",
      "tool_progress steps nearly",
      "tool_end steps success",
      "reply_start 2",
      "text_delta",
      "reply_end 2 complete",
      'tool_start response {"text":"Done."}',
      "tool_end response success",
      "turn_end Done.",
    ]);
  });
});

describe("the events of a turn that the host ends", () => {
  const rounds = (count: number, ...lines: string[]) =>
    Array.from({ length: count }, (_, round) => [
      `reply_start ${round}`,
      `reply_end ${round} complete`,
      ...lines.map((line) => line.replace("#", String(round))),
    ]).flat();

  it("because its calls lead nowhere", async () => {
    const ran = ['tool_start side {"a":1}', "tool_end side success"];
    const all = rounds(5, ...ran);
    // Warned of after the third, not run for the fourth and the fifth time.
    const third = all.indexOf("reply_start 3");
    expect(await eventsOf([asks(["side", { a: 1 }])])).toEqual([
      "turn_start go",
      ...all.slice(0, third),
      "warning LOOP",
      ...["reply_start 3", "reply_end 3 complete", "tool_end side DENIED_BY_POLICY", "warning LOOP"],
      ...["reply_start 4", "reply_end 4 complete", "tool_end side DENIED_BY_POLICY", "warning LOOP"],
      "turn_end loop",
    ]);
  });

  it("because its replies cannot be used", async () => {
    expect(await eventsOf([{ text: "" }])).toEqual([
      "turn_start go",
      ...rounds(5, "warning EMPTY"),
      "turn_end unusable",
    ]);
  });

  it("because it has used its rounds: one more reply, without tools", async () => {
    const files = { "usr/settings.yaml": "agent: { maxIterations: 2 }\n" };
    const script = [asks(["side", { n: 0 }]), asks(["side", { n: 1 }]), { text: "That far I came." }];
    expect(await eventsOf(script, { files })).toEqual([
      "turn_start go",
      ...rounds(2, 'tool_start side {"n":#}', "tool_end side success"),
      ...["reply_start 2", "text_delta", "reply_end 2 complete"],
      "turn_end iterations",
    ]);
  });
});

describe("the events of trouble with the model", () => {
  it("that passes: the question is asked again", async () => {
    expect(await eventsOf([{ status: 503 }, DONE])).toEqual([
      "turn_start go",
      "reply_start 0",
      "reply_end 0 failed",
      "warning RETRIED",
      "reply_start 0",
      "text_delta",
      "reply_end 0 complete",
      "turn_end Done.",
    ]);
  });

  it("that does not: the turn ends with it", async () => {
    const work = (host: Host) => host.run("go").catch(() => {});
    expect(await eventsOf([{ status: 400, message: "no" }], { work })).toEqual([
      "turn_start go",
      "reply_start 0",
      "reply_end 0 failed",
      expect.stringMatching(/^turn_end The model openai\/test at .* refused the request with status 400: no\.$/u),
    ]);
  });
});

describe("the events of a person's hand", () => {
  /** Does something to the agent when an event of this kind comes for the first time. */
  const when =
    (name: "tool_start" | "text_delta", act: (agent: Agent) => void) =>
    async (host: Host): Promise<void> => {
      const agent = await host.agent();
      const off = host.on(name, () => {
        off();
        act(agent);
      });
      await agent.run("go");
    };
  const endless = [asks("endless", "steps"), DONE];
  const hanging = [{ text: "Let me think.", trouble: "hang" as const }, DONE];

  it("of a stop while a tool runs", async () => {
    expect(await eventsOf(endless, { work: when("tool_start", (agent) => agent.stop()) })).toEqual([
      "turn_start go",
      "reply_start 0",
      "reply_end 0 complete",
      "tool_start endless {}",
      "tool_end endless STOPPED",
      "tool_end steps STOPPED",
      "turn_end aborted",
    ]);
  });

  it("of a stop while the model speaks", async () => {
    expect(await eventsOf(hanging, { work: when("text_delta", (agent) => agent.stop()) })).toEqual([
      "turn_start go",
      "reply_start 0",
      "text_delta",
      "reply_end 0 interrupted",
      "turn_end aborted",
    ]);
  });

  it("of words while a tool runs", async () => {
    expect(await eventsOf(endless, { work: when("tool_start", (agent) => agent.intervene("leave it")) })).toEqual([
      "turn_start go",
      "reply_start 0",
      "reply_end 0 complete",
      "tool_start endless {}",
      "tool_end endless ABORTED",
      "tool_end steps ABORTED",
      "intervention leave it",
      "reply_start 1",
      "text_delta",
      "reply_end 1 complete",
      "turn_end Done.",
    ]);
  });

  it("of words while the model speaks", async () => {
    expect(await eventsOf(hanging, { work: when("text_delta", (agent) => agent.intervene("shorter")) })).toEqual([
      "turn_start go",
      "reply_start 0",
      "text_delta",
      "reply_end 0 interrupted",
      "intervention shorter",
      "reply_start 1",
      "text_delta",
      "reply_end 1 complete",
      "turn_end Done.",
    ]);
  });

  it("of a pause and its end", async () => {
    const work = when("tool_start", (agent) => {
      agent.pause();
      setImmediate(() => agent.resume());
    });
    expect(await eventsOf([asks("guarded", "side"), DONE], { work })).toEqual(
      around("tool_end guarded DENIED_BY_EXTENSION", "tool_start side {}", "pause", "pause", "tool_end side success"),
    );
  });
});

it("a call that no turn asked for is a turn of its own, without the turn's events", async () => {
  expect(await eventsOf([], { work: (host) => host.call("steps", {}) })).toEqual([
    "tool_start steps {}",
    "tool_progress steps half",
    "tool_progress steps nearly",
    "tool_end steps success",
  ]);
});

it("`on` and `onAny` hear the same", async () => {
  const { host } = await openHouse(FILES);
  const named: unknown[] = [];
  const all: unknown[] = [];
  host.on("tool_end", (event) => void named.push(event));
  const off = host.onAny((event) => void all.push(event));
  const { stats } = await host.call("steps", {});
  expect(named).toEqual([expect.objectContaining({ type: "tool_end", durationMs: stats.durationMs })]);
  expect(all.slice(-1)).toEqual(named);
  off();
  await host.call("steps", {});
  expect([named.length, all.length]).toEqual([2, 4]);
});
