import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { bareEnvironment, PROJECT } from "../helpers/cli.ts";
import { DELEGATING, makeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";

/** A tool with an effect in the middle of its time, so that it can be killed before it and after it. */
const NOTE = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Tool, z } from "toolroom";
const parameters = z.object({ number: z.number() });
export default class Note extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ number }: z.infer<typeof parameters>) {
    await wait(1);
    appendFileSync(join(this.workspace.root, "notes.txt"), number + "\\n");
    await wait(1);
    return this.success("noted " + number);
  }
}
`;

/** Runs turns until it is killed: `turn(agent)` runs one, and says whether it was the last. */
const program = (turn: string): string => `
import { createHost } from ${JSON.stringify(pathToFileURL(join(PROJECT, "dist/bundle/index.js")).href)};
const [session, first] = process.argv.slice(1);
const host = await createHost({ trust: true });
const agent = await host.agent({ session });
let number = Number(first);
const turn = ${turn};
await turn(agent);
process.stdout.write(JSON.stringify({ uncertain: agent.resumed?.uncertain.flatMap(({ args }) => args.number ?? args.message ?? []) ?? [] }) + "\\n");
while (!(await turn(agent)));
await host.close();
`;

type Line = Record<string, unknown> & { readonly args?: { readonly number: number } };

/** What a process that was killed has left. */
interface Left {
  /** Numbers of calls, by what the transcript says of them. */
  readonly begun: readonly number[];
  readonly finished: readonly number[];
  readonly uncertain: readonly number[];
  /** Numbers of effects on the disk. */
  readonly effects: readonly number[];
}

function leftIn(root: string): Left {
  const [file = ""] = readdirSync(join(root, "usr/sessions")).filter((name) => name.endsWith(".jsonl"));
  const lines = readFileSync(join(root, "usr/sessions", file), "utf8").split("\n");
  // The last one may be torn.
  const records = lines.flatMap((line): Line[] => (line.endsWith("}") ? [JSON.parse(line)] : []));
  const begun = new Map<unknown, number>();
  for (const { type, name, id, args } of records)
    if (type === "call" && name === "note") begun.set(id, args?.number ?? -1);
  const results = records.filter(({ type, name, code }) => type === "result" && name === "note" && code !== "SKIPPED");
  const numbers = (uncertain: boolean) =>
    results.filter((result) => (result.uncertain === true) === uncertain).map(({ id }) => begun.get(id) ?? -1);
  const notes = join(root, "notes.txt");
  const effects = existsSync(notes) ? readFileSync(notes, "utf8").trimEnd().split("\n").map(Number) : [];
  return { begun: [...begun.values()], finished: numbers(false), uncertain: numbers(true), effects };
}

/** No finished call is lost, none has run twice, and what nobody knows of is called uncertain. */
function check({ begun, finished, uncertain, effects }: Left): void {
  expect(new Set(effects).size, `each effect once: ${effects}`).toBe(effects.length);
  expect(effects).toEqual(expect.arrayContaining([...finished]));
  expect(begun).toEqual(expect.arrayContaining([...effects]));
  expect(new Set(begun).size).toBe(begun.length);
  const open = begun.filter((number) => !finished.includes(number) && !uncertain.includes(number));
  expect(open.length).toBeLessThanOrEqual(1);
  for (const number of effects) expect([...finished, ...uncertain, ...open]).toContain(number);
}

/** Kills a process some time after it has run its first turn, and resolves with what it said. */
async function killed(child: ChildProcess, afterMs: number): Promise<string> {
  let said = "";
  let errors = "";
  child.stderr?.on("data", (piece) => {
    errors += piece;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (piece) => {
      said += piece;
      setTimeout(resolve, afterMs);
    });
    child.on("close", (code) => (said === "" ? reject(new Error(`ended with ${code}: ${errors}`)) : resolve()));
  });
  child.kill("SIGKILL");
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.on("exit", resolve));
  return said;
}

/** Kills and resumes one session so many times. */
async function siege(
  kills: number,
  { turn, env = {}, files = {} }: { turn: string; env?: Record<string, string>; files?: Record<string, string> },
): Promise<Left> {
  const root = makeTree({ "usr/tools/note.ts": NOTE, "usr/plugins/.gitkeep": "", ...files });
  let before: Left = { begun: [], finished: [], uncertain: [], effects: [] };
  for (let round = 0; round < kills; round++) {
    const session = round === 0 ? "new" : "latest";
    const first = String(Math.max(0, ...before.begun) + 1);
    const args = ["--input-type=module", "--eval", program(turn), session, first];
    const child = spawn(process.execPath, args, { cwd: root, env: bareEnvironment(env), stdio: "pipe" });
    const said = JSON.parse((await killed(child, Math.random() * 40)).split("\n")[0] ?? "");
    const settled = [...before.finished, ...before.uncertain];
    expect(said.uncertain).toEqual(before.begun.filter((number) => !settled.includes(number)));
    const now = leftIn(root);
    check(now);
    // Nothing that was known before is forgotten or told differently.
    expect(now.finished.slice(0, before.finished.length)).toEqual(before.finished);
    expect(now.uncertain).toEqual([...before.uncertain, ...said.uncertain]);
    expect(now.effects.slice(0, before.effects.length)).toEqual(before.effects);
    expect(now.finished.length).toBeGreaterThan(before.finished.length);
    before = now;
  }
  return before;
}

it("a host that is killed at any moment loses no finished call of its session and repeats none", {
  timeout: 180_000,
}, async () => {
  const offline = `async (agent) => { await agent.run("/note number=" + number++); return false; }`;
  // Three calls a reply, in a turn that ends after two of them; the model goes on with the first number that it has not asked for.
  const server = await startWireServer(({ body }) => {
    const said: { role: string; tool_calls?: { function: { arguments: string } }[] }[] = body.messages;
    const asked = said.flatMap(({ tool_calls = [] }) =>
      tool_calls.map((call) => JSON.parse(call.function.arguments).number),
    );
    const next = Math.max(0, ...asked) + 1;
    if (next % 6 === 1 && said.at(-1)?.role === "tool") return { text: "That will do." };
    return {
      calls: [next, next + 1, next + 2].map((number) => ({ id: `c${number}`, name: "note", args: { number } })),
    };
  });
  onTestFinished(server.close);
  const [json, native] = await Promise.all([
    siege(42, { turn: offline }),
    siege(8, {
      turn: `async (agent) => { await agent.run("go on"); return false; }`,
      env: { TOOLROOM_MODEL: "openai-compatible/test", TOOLROOM_BASE_URL: server.baseURL },
    }),
  ]);
  // The moments were not all harmless, or nothing was tested.
  expect([...json.uncertain, ...native.uncertain].length).toBeGreaterThan(3);
  // A model of the native protocol is told of every call that it asked for.
  const last = server.requests.at(-1)?.body.messages as { role: string; content: string }[];
  const told = last.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
  for (const number of native.finished.slice(0, -6)) expect(told).toContain(`noted ${number}`);
});

/** What is on the disk of a conversation with subordinates. */
interface FamilyLeft {
  /** Numbers of the subordinates' calls. */
  readonly begun: readonly number[];
  readonly finished: readonly number[];
  readonly effects: readonly number[];
  /** Tasks that the superior gave, and those of which it knows the end, or knows that nobody does. */
  readonly given: readonly string[];
  readonly settled: readonly string[];
}

function familyIn(root: string): FamilyLeft {
  const directory = join(root, "usr/sessions");
  const all = readdirSync(directory).filter((name) => name.endsWith(".jsonl"));
  const transcripts = all.map((name) =>
    readFileSync(join(directory, name), "utf8")
      .split("\n")
      .flatMap((line): Line[] => (line.endsWith("}") ? [JSON.parse(line)] : [])),
  );
  const pairs = transcripts.flatMap((records) => {
    const ends = new Map(records.flatMap((record) => (record.type === "result" ? [[record.id, record] as const] : [])));
    return records.flatMap((record) => (record.type === "call" ? [{ call: record, end: ends.get(record.id) }] : []));
  });
  const notes = pairs.filter(({ call }) => call.name === "note");
  const tasks = pairs.filter(({ call }) => call.name === "call_subordinate");
  const file = join(root, "notes.txt");
  const message = ({ call }: { call: Line }) => String((call.args as { message?: string } | undefined)?.message);
  return {
    begun: notes.map(({ call }) => call.args?.number ?? -1),
    finished: notes.flatMap(({ call, end }) => (end?.status === "success" ? [call.args?.number ?? -1] : [])),
    effects: existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").map(Number) : [],
    given: tasks.map(message),
    settled: tasks.filter(({ end }) => end !== undefined).map(message),
  };
}

it("a host that is killed while subordinates work loses none of their finished calls and repeats none", {
  timeout: 120_000,
}, async () => {
  // A superior gives one task after the other, and has a subordinate go on of which nobody knows how far it was.
  const server = await startWireServer(({ body }) => {
    const said: { role: string; content: string; tool_calls?: unknown[] }[] = body.messages.slice(1);
    const last = said.at(-1);
    const calls = said.flatMap(({ tool_calls = [] }) => tool_calls);
    const task = /^task (\d+)$/u.exec(said[0]?.content ?? "")?.[1];
    if (task !== undefined) {
      if (last?.role === "tool" && calls.length % 2 === 0) return { text: `task ${task} is done` };
      const number = Number(task) * 1000 + calls.length + 1;
      return { calls: [{ id: `c${number}`, name: "note", args: { number } }] };
    }
    if (last?.role === "tool") return { text: "Next." };
    const since = said.slice(said.findLastIndex(({ role }) => role === "assistant"));
    const lost = since.flatMap(
      ({ content }) => /the subordinate (sub-\d+) .* worked for it/u.exec(content)?.[1] ?? [],
    )[0];
    const args = lost
      ? { message: `go on ${calls.length}`, context_id: lost }
      : { message: `task ${calls.length + 1}` };
    return { calls: [{ id: `t${calls.length + 1}`, name: "call_subordinate", args }] };
  });
  onTestFinished(server.close);
  const root = makeTree({ "usr/tools/note.ts": NOTE, ...DELEGATING });
  const env = bareEnvironment({ TOOLROOM_MODEL: "openai-compatible/test", TOOLROOM_BASE_URL: server.baseURL });
  const turn = `async (agent) => { await agent.run("go on"); return false; }`;
  let before: FamilyLeft = { begun: [], finished: [], effects: [], given: [], settled: [] };
  const uncertain: string[] = [];
  for (let round = 0; round < 8; round++) {
    const args = ["--input-type=module", "--eval", program(turn), round === 0 ? "new" : "latest", "0"];
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: "pipe" });
    const said = JSON.parse((await killed(child, Math.random() * 60)).split("\n")[0] ?? "");
    expect(said.uncertain).toEqual(before.given.filter((task) => !before.settled.includes(task)));
    uncertain.push(...said.uncertain);
    const now = familyIn(root);
    expect(new Set(now.effects).size, `each effect once: ${now.effects}`).toBe(now.effects.length);
    expect(new Set(now.begun).size).toBe(now.begun.length);
    expect(new Set(now.given).size).toBe(now.given.length);
    expect(now.effects).toEqual(expect.arrayContaining([...now.finished]));
    expect(now.begun).toEqual(expect.arrayContaining([...now.effects]));
    expect(now.finished).toEqual(expect.arrayContaining([...before.finished]));
    expect(now.settled).toEqual(expect.arrayContaining([...before.given]));
    expect(now.begun.length - now.finished.length).toBeLessThanOrEqual(round + 1);
    before = now;
  }
  // Some were killed at work, and of these some went on.
  expect(uncertain.length).toBeGreaterThan(1);
  expect(before.given.filter((message) => message.startsWith("go on")).length).toBeGreaterThan(0);
});
