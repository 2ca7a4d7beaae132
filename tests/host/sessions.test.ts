import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Host } from "../../core/host.ts";
import { makeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

const workspaceFiles = { "README.md": "# Ship\n\nSails.\n" };
const QUESTION = "How many lines does README.md have?";

function filesOf(root: string): string[] {
  const sessions = join(root, "usr/sessions");
  return existsSync(sessions) ? readdirSync(sessions).sort() : [];
}

function linesOf(root: string, id: string): Record<string, unknown>[] {
  const text = readFileSync(join(root, "usr/sessions", `${id}.jsonl`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** A session with one turn, given back. */
async function oneTurn(host: Host, message = QUESTION, profile?: string): Promise<string> {
  const agent = await host.agent({ session: "new", ...(profile === undefined ? {} : { profile }) });
  await agent.run(message);
  agent.close();
  return agent.id;
}

describe("an agent", () => {
  it("writes nothing down unless it is asked to, and has an id all the same", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    await host.run(QUESTION);
    const agent = await host.agent();
    await agent.run(QUESTION);
    expect(agent.id).toMatch(/./);
    expect(filesOf(root)).toEqual([]);
    expect(await host.sessions.list()).toEqual([]);
  });

  it("that is asked to writes one line for each step, in order, from the first message on", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const agent = await host.agent({ session: "new" });
    expect(filesOf(root)).toEqual([]);
    const { answer } = await agent.run(QUESTION);
    const lines = linesOf(root, agent.id);
    expect(lines.map(({ type }) => type)).toEqual([
      "session",
      "user",
      ...["assistant", "call", "result"],
      ...["assistant", "call", "result"],
      "turn",
    ]);
    expect(lines[0]).toMatchObject({ v: 1, id: agent.id, profile: "default", model: "offline", root });
    expect(lines[1]).toMatchObject({ n: 1, kind: "message", content: QUESTION });
    expect(lines[3]).toMatchObject({ name: "word_count", args: { path: "README.md" } });
    expect(lines.at(-1)).toMatchObject({ answer, turns: 1 });
    const times = lines.map(({ ts }) => ts as string);
    expect(times).toEqual([...times].sort());
  });

  it("of `run` writes one as well where it is asked to", async () => {
    const { host } = await openHouse({}, { workspaceFiles });
    await host.run(QUESTION, { session: "new" });
    await host.run("And once more: how many lines does README.md have?", { session: "latest" });
    expect(await host.sessions.list()).toMatchObject([{ title: QUESTION, turns: 2, state: "idle" }]);
  });

  it("goes on where another one stopped: the model is given what was said", async () => {
    const server = await startWireServer([{ text: "first" }, { text: "second" }]);
    onTestFinished(server.close);
    const env = { TOOLROOM_BASE_URL: server.baseURL };
    const { host, again } = await openHouse({}, { model: "openai-compatible/test", env });
    const id = await oneTurn(host, "one");
    await host.close();
    const agent = await (await again()).agent({ session: id });
    expect(agent).toMatchObject({ id, resumed: { turns: 1, interrupted: false, uncertain: [] } });
    await agent.run("two");
    expect(server.requests[1]?.body.messages.slice(1)).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "first" },
      { role: "user", content: "two" },
    ]);
    expect(agent.usage()).toMatchObject({ inputTokens: 22, outputTokens: 14 });
    expect(agent.usage().contextFill).toBeCloseTo(18 / 128_000, 4);
  });

  it("has its session alone, until it is closed or its host is", async () => {
    const { host, again } = await openHouse({}, { workspaceFiles });
    const id = await oneTurn(host);
    const other = await again();
    const agent = await host.agent({ session: id });
    await expect(host.agent({ session: id })).rejects.toMatchObject({ code: "SESSION_BUSY" });
    await expect(other.agent({ session: "latest" })).rejects.toMatchObject({ code: "SESSION_BUSY" });
    await expect(other.sessions.delete(id)).rejects.toMatchObject({ code: "SESSION_BUSY" });
    expect(await other.sessions.list()).toMatchObject([{ state: "running" }]);
    agent.close();
    agent.close();
    await other.agent({ session: id });
    await other.close();
    await host.agent({ session: id });
    expect(await host.sessions.list()).toMatchObject([{ state: "running" }]);
  });

  it("keeps the profile of its session", async () => {
    const { host } = await openHouse({ "usr/agents/chef/agent.yaml": "title: Chef\n" }, { workspaceFiles });
    const id = await oneTurn(host, QUESTION, "chef");
    const agent = await host.agent({ session: id });
    expect(agent.profile).toBe("chef");
    agent.close();
    const plain = await oneTurn(host);
    expect(await host.agent({ session: "latest", profile: "chef" })).toMatchObject({ id, profile: "chef" });
    await expect(host.agent({ session: "latest", profile: "nobody" })).rejects.toMatchObject({
      code: "SESSION_UNKNOWN",
      kind: "usage",
    });
    // What was refused is not left locked.
    for (const _ of [1, 2]) {
      const wrong = host.agent({ session: plain, profile: "chef" });
      await expect(wrong).rejects.toMatchObject({ code: "SESSION_PROFILE", kind: "usage" });
    }
  });

  it("can be of a profile that is gone: said, and the session is let go", async () => {
    const { host, root } = await openHouse({ "usr/agents/chef/agent.yaml": "title: Chef\n" }, { workspaceFiles });
    const id = await oneTurn(host, QUESTION, "chef");
    rmSync(join(root, "usr/agents/chef"), { recursive: true });
    await host.reload();
    await expect(host.agent({ session: id })).rejects.toMatchObject({ code: "PROFILE_UNKNOWN" });
    expect(await host.sessions.list()).toMatchObject([{ state: "idle" }]);
  });

  it.each(["", "x", "..", "../../etc/passwd", "20261130T142530123-4f3a9c2", "20261130T142530123-4f3a9c21"])(
    "finds no session %j",
    async (session) => {
      const { host } = await openHouse();
      const unknown = { code: "SESSION_UNKNOWN", kind: "usage" };
      await expect(host.agent({ session })).rejects.toMatchObject(unknown);
      await expect(host.sessions.show(session)).rejects.toMatchObject(unknown);
      await expect(host.sessions.delete(session)).rejects.toMatchObject(unknown);
    },
  );

  it("goes on without a session where none can be written, and that is told once", async () => {
    const { host, root } = await openHouse({ "usr/sessions": "a file lies here" }, { workspaceFiles });
    const agent = await host.agent({ session: "new" });
    expect(await agent.run(QUESTION)).toMatchObject({ answer: expect.stringContaining("3 lines") });
    expect(await agent.run(QUESTION)).toMatchObject({ answer: expect.stringContaining("3 lines") });
    const told = host.diagnostics().filter(({ code }) => code === "SESSION_UNWRITABLE");
    expect(told).toMatchObject([{ severity: "error", file: expect.stringContaining("usr/sessions/") }]);
    expect(readFileSync(join(root, "usr/sessions"), "utf8")).toBe("a file lies here");
  });

  it("of a root without usr/ writes to the state directory of the person", async () => {
    const root = makeTree({ "agents/chef/agent.yaml": "title: Chef\n" });
    const state = makeTree({});
    const { host } = await openHouse({}, { root, workspaceFiles, env: { XDG_STATE_HOME: state } });
    const id = await oneTurn(host);
    expect(readdirSync(root)).toEqual(["agents"]);
    const [own = ""] = readdirSync(join(state, "toolroom"));
    expect(readdirSync(join(state, "toolroom", own, "sessions"))).toEqual([`${id}.jsonl`]);
  });

  it("writes no secret", async () => {
    const value = "tok-0123456789";
    const env = { SHIP_TOKEN: value };
    const { host, root } = await openHouse({}, { env, workspaceFiles: { "README.md": value } });
    const id = await oneTurn(host, `/file_read path=README.md`);
    const other = await oneTurn(host, `remember ${value}`);
    for (const session of [id, other]) {
      expect(JSON.stringify(linesOf(root, session))).not.toContain(value);
      expect(JSON.stringify(linesOf(root, session))).toContain("§§secret(SHIP_TOKEN)");
    }
  });
});

describe("the sessions of a host", () => {
  it("are listed last used first, and what else lies there is none", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const ids = [await oneTurn(host, "first"), await oneTurn(host, `second ${"x".repeat(200)}\n\nline`)];
    expect([...ids].sort()).toEqual(ids);
    writeFileSync(join(root, "usr/sessions/notes.jsonl"), "");
    mkdirSync(join(root, "usr/sessions/20261130T142530123-4f3a9c21"));
    const listed = await host.sessions.list();
    expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
    expect(listed[0]).toMatchObject({
      profile: "default",
      model: "offline",
      turns: 1,
      state: "idle",
      parent: null,
    });
    expect(listed[0]?.title).toMatch(/^second x+…$/);
    expect(listed[0]?.title).toHaveLength(80);
    await (await host.agent({ session: ids[0] as string })).run("third");
    expect((await host.sessions.list()).map(({ id }) => id)).toEqual(ids);
  });

  it("are told from their ends, however long they are", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const id = await oneTurn(host, "first");
    const file = join(root, "usr/sessions", `${id}.jsonl`);
    const line = (record: object) => `${JSON.stringify({ v: 1, ts: "2026-11-30T12:00:00.000Z", ...record })}\n`;
    const message = (n: number) => line({ type: "user", n, kind: "message", content: "x".repeat(200_000) });
    writeFileSync(file, message(90) + line({ type: "turn", answer: "", turns: 7 }), { flag: "a" });
    expect(await host.sessions.list()).toMatchObject([{ title: "first", turns: 7, state: "idle" }]);
    writeFileSync(file, message(91) + line({ type: "call", id: "1", name: "t" }), { flag: "a" });
    expect(await host.sessions.list()).toMatchObject([{ title: "first", turns: 7, state: "interrupted" }]);
  });

  it("are shown with all of their records, and with what is damaged", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const id = await oneTurn(host);
    writeFileSync(join(root, "usr/sessions", `${id}.jsonl`), 'nonsense\n{"v":1', { flag: "a" });
    const shown = await host.sessions.show(id);
    expect(shown).toMatchObject({ id, turns: 1, title: QUESTION });
    expect(shown.records).toHaveLength(9);
    expect(shown.damaged).toEqual([
      { line: 10, fault: expect.stringMatching(/not JSON/) },
      { line: 11, fault: "it is cut short" },
    ]);
  });

  it("are deleted with all that belongs to them", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const [id, other] = [await oneTurn(host), await oneTurn(host)];
    mkdirSync(join(root, "usr/sessions", id, "spill"), { recursive: true });
    writeFileSync(join(root, "usr/sessions", id, "spill/x.txt"), "");
    await host.sessions.delete(id);
    expect(filesOf(root)).toEqual([`${other}.jsonl`]);
    await expect(host.sessions.delete(id)).rejects.toMatchObject({ code: "SESSION_UNKNOWN" });
  });

  it("are deleted with those that their agents asked for, whatever these claim, and go on with none of them", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const ids = [await oneTurn(host), await oneTurn(host), await oneTurn(host), await oneTurn(host)] as const;
    const [parent, child, grandchild, other] = ids;
    const claim = (id: string, of: string): void => {
      const file = join(root, "usr/sessions", `${id}.jsonl`);
      writeFileSync(file, readFileSync(file, "utf8").replace('"profile"', `"parent":"${of}","profile"`));
    };
    claim(child, parent);
    claim(grandchild, child);
    // Nobody is his own ancestor; a file may say so all the same.
    claim(parent, grandchild);
    const agent = await host.agent({ session: "latest" });
    expect(agent.id).toBe(other);
    agent.close();
    const busy = await host.agent({ session: grandchild });
    await expect(host.sessions.delete(parent)).rejects.toMatchObject({ code: "SESSION_BUSY" });
    expect((await host.sessions.list()).filter(({ state }) => state === "running")).toHaveLength(1);
    busy.close();
    await host.sessions.delete(parent);
    expect(filesOf(root)).toEqual([`${other}.jsonl`]);
  });

  it("may be many", async () => {
    const { host, root } = await openHouse({}, { workspaceFiles });
    const id = await oneTurn(host);
    const text = readFileSync(join(root, "usr/sessions", `${id}.jsonl`));
    for (let index = 0; index < 300; index++) {
      const name = `20200101T000000${String(index).padStart(3, "0")}-00000000.jsonl`;
      writeFileSync(join(root, "usr/sessions", name), text);
    }
    expect(await host.sessions.list()).toHaveLength(301);
  });
});
