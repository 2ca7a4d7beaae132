import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Host } from "../../core/host.ts";
import type { ToolResult } from "../../core/sdk/result.ts";
import { makeTree } from "../helpers/tree.ts";
import { startWireServer } from "../helpers/wire-server.ts";
import { openHouse } from "./house.ts";

const FILES = {
  "usr/tools/big.ts": `import { Tool, z } from "toolroom";
const parameters = z.object({ kb: z.number().default(100), word: z.string().default("sea") });
export default class Big extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ kb, word }: z.infer<typeof parameters>) {
    return this.success((word + "\\n").repeat(Math.ceil((kb * 1024) / (word.length + 1))));
  }
}
`,
  "usr/tools/put.ts": `import { Tool, z } from "toolroom";
const parameters = z.object({ path: z.string() });
export default class Put extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ path }: z.infer<typeof parameters>) {
    await this.workspace.write(path, "mine now");
    return this.success("written");
  }
}
`,
};

const KB = 1024;

/** Runs calls by the offline model in an agent of one session, and gives back the results of one tool. */
async function results(
  host: Host,
  session: string,
  messages: readonly string[],
): Promise<{ id: string; ends: ToolResult[] }> {
  const ends: ToolResult[] = [];
  const off = host.on("tool_end", ({ name, result }) => name !== "response" && ends.push(result));
  const agent = await host.agent({ session });
  for (const message of messages) await agent.run(message);
  agent.close();
  off();
  return { id: agent.id, ends };
}

function pathIn({ message }: ToolResult): string {
  return /the whole is in (\S+) …/u.exec(message)?.[1] ?? "none";
}

describe("a large output", () => {
  it("of a session lies whole in its spill directory, and file tools may read it there", async () => {
    const { host, root } = await openHouse(FILES);
    const { id, ends } = await results(host, "new", ["/big kb=100"]);
    const [big] = ends as [ToolResult];
    expect(big.status).toBe("partial");
    expect(Buffer.byteLength(big.message)).toBeLessThanOrEqual(50 * KB);
    const path = pathIn(big);
    expect(path).toMatch(new RegExp(`^${root}/usr/sessions/${id}/spill/[0-9a-f-]+-[0-9a-f]{16}\\.txt$`));
    expect(readFileSync(path, "utf8")).toMatch(/^(sea\n){25600}$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const more = await results(host, id, [
      `/file_read path=${path} offset=25000 limit=2`,
      `/word_count path=${path}`,
      `/put path=${path}`,
      `/put path=${path.replace(/[^/]+$/u, "new.txt")}`,
      `/file_read path=${root}/usr/sessions/${id}.jsonl`,
      `/file_read path=${path}/../../../../settings.yaml`,
    ]);
    expect(more.ends.map(({ status, error }) => error?.code ?? status)).toEqual([
      ...["success", "success"],
      ...["ACCESS_DENIED", "ACCESS_DENIED", "ACCESS_DENIED", "ACCESS_DENIED"],
    ]);
    expect(more.ends[0]?.message).toContain("25000: sea");
    expect(more.ends[0]?.context.pathResolved).toBe(path);
    expect(more.ends[2]?.message).toMatch(/may only be read/);
    expect(readFileSync(path, "utf8")).toMatch(/^sea\n/);
  });

  it("inside the workspace is named relative to it, and may not be written either", async () => {
    const root = makeTree({ "usr/plugins/.gitkeep": "", ...FILES });
    const { host } = await openHouse({}, { root, workspace: root });
    const { id, ends } = await results(host, "new", ["/big"]);
    const path = pathIn(ends[0] as ToolResult);
    expect(path).toMatch(new RegExp(`^usr/sessions/${id}/spill/`));
    const more = await results(host, id, [
      `/word_count path=${path}`,
      `/put path=${path}`,
      "/put path=usr/prompts/mine.md",
    ]);
    expect(more.ends.map(({ status, error }) => error?.code ?? status)).toEqual([
      "success",
      "ACCESS_DENIED",
      "success",
    ]);
  });

  it("is read by no other session", async () => {
    const { host } = await openHouse(FILES);
    const first = await results(host, "new", ["/big"]);
    const second = await results(host, "new", [`/word_count path=${pathIn(first.ends[0] as ToolResult)}`, "/big"]);
    expect(second.ends.map(({ status, error }) => error?.code ?? status)).toEqual(["ACCESS_DENIED", "partial"]);
  });

  it("goes with its session", async () => {
    const { host, root } = await openHouse(FILES);
    const { id, ends } = await results(host, "new", ["/big"]);
    await host.sessions.delete(id);
    expect(existsSync(pathIn(ends[0] as ToolResult))).toBe(false);
    expect(readdirSync(join(root, "usr/sessions"))).toEqual([]);
  });

  it("of an agent without a session can be read by that agent only", async () => {
    const { host, root } = await openHouse(FILES);
    const agent = await host.agent();
    await agent.run("/big");
    const [directory = ""] = readdirSync(join(root, "usr/spill"));
    expect(directory).toBe(agent.id);
    const [name = ""] = readdirSync(join(root, "usr/spill", directory));
    const path = join(root, "usr/spill", directory, name);
    const { answer } = await agent.run(`/word_count path=${path}`);
    expect(answer).toMatch(/25600 lines/);
    expect((await host.run(`/word_count path=${path}`)).answer).toMatch(/ACCESS_DENIED/);
  });

  it("of a call by hand can be read by the next one", async () => {
    const { host, root } = await openHouse(FILES);
    const big = await host.call("big", {});
    const path = pathIn(big);
    expect(path).toMatch(new RegExp(`^${root}/usr/spill/[0-9a-f-]{36}/`));
    expect(await host.call("word_count", { path })).toMatchObject({ status: "success" });
    expect(await host.call("put", { path })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
    expect(await host.call("word_count", { path: join(root, "usr/tools/big.ts") })).toMatchObject({
      error: { code: "ACCESS_DENIED" },
    });
  });

  it("of several calls in one moment never shares a file, and equal ones of equal calls do no harm", async () => {
    const { host } = await openHouse(FILES);
    const words = ["a", "b", "c", "d", "a", "b"];
    const bigs = await Promise.all(words.map((word) => host.call("big", { word })));
    expect(new Set(bigs.map(pathIn)).size).toBe(words.length);
    for (const [index, big] of bigs.entries()) expect(readFileSync(pathIn(big), "utf8")).toMatch(`${words[index]}\n`);
  });

  it("holds no secret on the disk", async () => {
    const value = "tok-0123456789";
    const { host } = await openHouse(FILES, { env: { SHIP_TOKEN: value } });
    const path = pathIn(await host.call("big", { word: `is ${value}` }));
    expect(readFileSync(path, "utf8")).toMatch(/^(is §§secret\(SHIP_TOKEN\)\n)+$/);
  });

  it("is cut all the same where it cannot be kept, and that is told", async () => {
    const { host } = await openHouse({ ...FILES, "usr/spill": "a file lies here", "usr/sessions": "and here" });
    expect(await host.call("big", {})).toMatchObject({ status: "partial", message: /ask for less at once/ });
    const { ends } = await results(host, "new", ["/big"]);
    expect(ends[0]?.message).toMatch(/ask for less at once/);
    expect(host.diagnostics().map(({ code }) => code)).toContain("SPILL_FAILED");
  });

  it("is not read through a link that was put in the place of its directory", async () => {
    const outside = makeTree({ "secret.txt": "no" });
    const { host, root } = await openHouse(FILES);
    mkdirSync(join(root, "usr"), { recursive: true });
    symlinkSync(outside, join(root, "usr/spill"));
    expect(await host.call("word_count", { path: join(outside, "secret.txt") })).toMatchObject({
      error: { code: "ACCESS_DENIED" },
    });
  });

  it("that belongs to no session goes after a week", async () => {
    const { host, root } = await openHouse(FILES);
    const spill = join(root, "usr/spill");
    for (const name of ["old", "new"]) {
      mkdirSync(join(spill, name), { recursive: true });
      writeFileSync(join(spill, name, "x.txt"), "");
    }
    const days = (count: number) => Date.now() / 1000 - count * 24 * 3600;
    utimesSync(join(spill, "old"), days(8), days(8));
    utimesSync(join(spill, "new"), days(6), days(6));
    await host.call("big", {});
    expect(readdirSync(spill).filter((name) => name.length < 10)).toEqual(["new"]);
  });
});

describe("the outputs of one turn", () => {
  it("are at most 200 KB for the model, and each whole one can be read, also by whoever goes on", async () => {
    const calls = [45, 45, 45, 45, 45, 1].map((kb, n) => ({ id: `c${n}`, name: "big", args: { kb, word: `w${n}` } }));
    const server = await startWireServer([{ calls }, { text: "done" }, { text: "again" }]);
    onTestFinished(server.close);
    const env = { TOOLROOM_BASE_URL: server.baseURL };
    const { host, again } = await openHouse(FILES, { model: "openai-compatible/test", env });
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    const told = (index: number): string[] =>
      server.requests[index]?.body.messages
        .filter(({ role }: { role: string }) => role === "tool")
        .map(({ content }: { content: string }) => content);
    const first = told(1);
    expect(first.reduce((sum, text) => sum + Buffer.byteLength(text), 0)).toBeLessThanOrEqual(200 * KB);
    expect(first[5]).toMatch(/^(w5\n)+$/);
    for (const [n, text] of first.slice(0, 5).entries()) {
      const path = /the whole is in (\S+) …/u.exec(text)?.[1] ?? "";
      expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^(w${n}\\n){15360}$`));
    }
    await host.close();
    await (await (await again()).agent({ session: agent.id })).run("and now?");
    expect(told(2)).toEqual(first);
  });
});
