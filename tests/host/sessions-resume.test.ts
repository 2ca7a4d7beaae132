import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startWireServer, type WireScript } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

/** A tool with an effect: a line in a file of the workspace. */
const NOTE = `import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { Tool, z } from "toolroom";
const parameters = z.object({ text: z.string() });
export default class Note extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ text }: z.infer<typeof parameters>) {
    appendFileSync(join(this.workspace.root, "notes.txt"), text + "\\n");
    return this.success("noted " + text);
  }
}
`;

const note = (id: string) => ({ id, name: "note", args: { text: id } });

/** A session whose host ended right after a record of its transcript for which `at` holds. */
async function endedAt(at: (record: Record<string, unknown>) => boolean, options: { native?: boolean } = {}) {
  const script: WireScript = (_, index) =>
    index === 0 ? { calls: [note("a"), note("b"), note("c")] } : { text: "done" };
  const server = await startWireServer(script);
  onTestFinished(server.close);
  const env = { TOOLROOM_BASE_URL: server.baseURL };
  const model = options.native === false ? {} : { model: "openai-compatible/test", env };
  const { host, root, workspace, again } = await openHouse({ "usr/tools/note.ts": NOTE }, model);
  const agent = await host.agent({ session: "new" });
  await agent.run(options.native === false ? "/note text=a" : "note three things");
  await host.close();
  const file = join(root, "usr/sessions", `${agent.id}.jsonl`);
  const lines = readFileSync(file, "utf8").split("\n");
  const end = lines.findIndex((line) => at(JSON.parse(line)));
  writeFileSync(file, `${lines.slice(0, end + 1).join("\n")}\n`);
  const notes = (): string =>
    existsSync(join(workspace, "notes.txt")) ? readFileSync(join(workspace, "notes.txt"), "utf8") : "";
  return { id: agent.id, file, server, again, notes, effects: notes() };
}

const records = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a session whose host was killed", () => {
  it("while a call ran: the model is told which one, what was not begun, and nothing is run again", async () => {
    const { id, file, server, again, notes, effects } = await endedAt((r) => r.type === "call" && r.id === "b");
    const host = await again();
    const agent = await host.agent({ session: id });
    expect(agent.resumed).toEqual({
      turns: 0,
      interrupted: true,
      uncertain: [{ id: "b", name: "note", args: { text: "b" } }],
    });
    await agent.run("go on");
    expect(notes()).toBe(effects);
    const sent = server.requests.at(-1)?.body.messages.slice(1);
    expect(sent).toEqual([
      { role: "user", content: "note three things" },
      expect.objectContaining({ role: "assistant", tool_calls: [{}, {}, {}].map(() => expect.anything()) }),
      { role: "tool", tool_call_id: "a", content: "noted a" },
      {
        role: "tool",
        tool_call_id: "b",
        content: expect.stringMatching(/not known.*not run again.*before you repeat/s),
      },
      { role: "tool", tool_call_id: "c", content: expect.stringMatching(/did not run/) },
      { role: "user", content: expect.stringMatching(/ended in the middle of a turn[\s\S]*- note \{"text":"b"\}/) },
      { role: "user", content: "go on" },
    ]);
    expect(records(file).filter(({ uncertain }) => uncertain)).toMatchObject([{ type: "result", id: "b" }]);
    expect((await host.sessions.list())[0]).toMatchObject({ turns: 1, state: "running" });
  });

  it("is told once, however often it is resumed", async () => {
    const { id, file, again } = await endedAt((r) => r.type === "call" && r.id === "b");
    for (let round = 0; round < 3; round++) {
      const host = await again();
      const { resumed } = await host.agent({ session: id });
      expect(resumed).toMatchObject(round === 0 ? { interrupted: true } : { interrupted: false, uncertain: [] });
      await host.close();
    }
    const types = records(file).map(({ type, kind }) => kind ?? type);
    expect(types.filter((type) => type === "note")).toHaveLength(1);
    expect(types.slice(-5)).toEqual(["result", "note", "resumed", "resumed", "resumed"]);
  });

  it("between two calls: none is uncertain", async () => {
    const { id, again, server } = await endedAt((r) => r.type === "result" && r.id === "b");
    const agent = await (await again()).agent({ session: id });
    expect(agent.resumed).toEqual({ turns: 0, interrupted: true, uncertain: [] });
    await agent.run("go on");
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toMatch(
      /noted a.*noted b.*did not run.*has its result/,
    );
  });

  it("before the model answered, and after the turn: there is nothing to tell but the first", async () => {
    const early = await endedAt((r) => r.type === "user");
    expect((await (await early.again()).agent({ session: early.id })).resumed).toMatchObject({ interrupted: true });
    const late = await endedAt((r) => r.type === "turn");
    const { resumed } = await (await late.again()).agent({ session: late.id });
    expect(resumed).toEqual({ turns: 1, interrupted: false, uncertain: [] });
  });

  it("by the JSON protocol is told the same", async () => {
    const { id, again, notes, effects } = await endedAt((r) => r.type === "call" && r.name === "note", {
      native: false,
    });
    const host = await again();
    const agent = await host.agent({ session: id });
    expect(agent.resumed?.uncertain).toMatchObject([{ name: "note", args: { text: "a" } }]);
    const { calls } = await agent.run("/note text=b");
    expect(calls.map(({ name }) => name)).toEqual(["note", "response"]);
    expect(notes()).toBe(`${effects}b\n`);
  });
});

describe("a transcript that is not whole", () => {
  it("is cut to its last whole line, at every place where it can tear", async () => {
    const { id, file, again } = await endedAt((r) => r.type === "turn");
    const whole = readFileSync(file);
    const last = whole.lastIndexOf("\n", -2) + 1;
    for (const at of [last + 1, last + 20, whole.length - 2]) {
      writeFileSync(file, whole.subarray(0, at));
      const host = await again();
      const agent = await host.agent({ session: id });
      expect(agent.resumed).toMatchObject({ interrupted: true, uncertain: [] });
      expect(host.diagnostics().filter(({ code }) => code.startsWith("SESSION_"))).toMatchObject([
        { code: "SESSION_REPAIRED", severity: "warning", file: `usr/sessions/${id}.jsonl` },
      ]);
      await host.close();
      expect(records(file).at(-1)).toMatchObject({ type: "resumed" });
    }
  });

  it("that lacks but its last line break loses nothing", async () => {
    const { id, file, again } = await endedAt((r) => r.type === "turn");
    writeFileSync(file, readFileSync(file, "utf8").trimEnd());
    const host = await again();
    expect((await host.agent({ session: id })).resumed).toMatchObject({ turns: 1, interrupted: false });
    expect(host.diagnostics().filter(({ code }) => code.startsWith("SESSION_"))).toEqual([]);
    expect(records(file).at(-1)).toMatchObject({ type: "resumed" });
  });

  it("with a damaged line in its middle goes on without it: a call has a result all the same", async () => {
    const { id, file, again, server } = await endedAt((r) => r.type === "turn");
    const lines = readFileSync(file, "utf8").split("\n");
    const result = lines.findIndex((line) => line.includes('"noted b"'));
    lines[result] = `${lines[result]?.slice(0, 40)}`;
    writeFileSync(file, lines.join("\n"));
    const host = await again();
    const agent = await host.agent({ session: id });
    expect(agent.resumed).toMatchObject({ interrupted: false, uncertain: [] });
    expect(host.diagnostics()).toContainEqual(
      expect.objectContaining({ code: "SESSION_DAMAGED", file: `usr/sessions/${id}.jsonl`, line: result + 1 }),
    );
    await agent.run("go on");
    const sent = server.requests.at(-1)?.body.messages.filter(({ role }: { role: string }) => role === "tool");
    expect(sent.map((message: { tool_call_id: string }) => message.tool_call_id)).toEqual(["a", "b", "c"]);
    expect(sent[1].content).toMatch(/What became of this call is not known/);
  });

  it("without its first line is one of the host's profile", async () => {
    const { id, file, again } = await endedAt((r) => r.type === "turn");
    writeFileSync(file, readFileSync(file, "utf8").replace(/^.*\n/u, "\n"));
    const host = await again();
    expect(await host.agent({ session: id })).toMatchObject({ profile: "default", resumed: { turns: 1 } });
    expect(await host.sessions.list()).toMatchObject([{ profile: null, title: "note three things" }]);
  });

  it.each([
    ["nothing", ""],
    ["nothing but damage", "nonsense\n\u0000\u0000"],
    ["records of a later version", '{"v":2,"ts":"x","type":"turn","answer":"","turns":1}\n'],
  ])("that holds %s is refused, and changed in nothing", async (_, text) => {
    const { id, file, again } = await endedAt((r) => r.type === "turn");
    writeFileSync(file, text);
    const host = await again();
    await expect(host.agent({ session: id })).rejects.toMatchObject({ code: "SESSION_UNREADABLE" });
    expect(readFileSync(file, "utf8")).toBe(text);
    await host.sessions.delete(id);
  });

  it("with records of a later version behind its own is refused as well", async () => {
    const { id, file, again } = await endedAt((r) => r.type === "turn");
    appendFileSync(file, '{"v":2,"ts":"x","type":"turn","answer":"","turns":1}\n');
    await expect((await again()).agent({ session: id })).rejects.toThrow(/records of version 2.*later version/);
  });
});
