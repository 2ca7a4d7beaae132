import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ReloadReceipt } from "../../core/sdk/events.ts";
import { manifest, toolSource } from "../helpers/tree.ts";
import { openHouse, pluginFiles } from "./house.ts";

/** What tools of these tests and the tests themselves tell each other: modules run in the same process. */
interface Stage {
  /** What happened, in order. */
  readonly seen: string[];
  /** A gate that tools wait at. */
  open(): void;
  readonly gate: Promise<void>;
}

declare global {
  var stage: Stage | undefined;
}

beforeEach(() => {
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  globalThis.stage = { seen: [], gate, open };
});
afterEach(() => {
  globalThis.stage = undefined;
});

const seen = () => globalThis.stage?.seen;

function tool(body: string, statics = ""): string {
  return `import { Tool } from "toolroom";
const { stage } = globalThis;
export default class extends Tool {
  static readonly risk = "low";
  ${statics}
  async execute() { ${body} }
}
`;
}

function waiting(answer: string): string {
  return tool(`stage.seen.push("began"); await stage.gate; return this.success(${JSON.stringify(answer)});`);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("a closed host", () => {
  it("rejects everything, and may be closed again", async () => {
    const { host } = await openHouse();
    await Promise.all([host.close(), host.close()]);
    const attempts = [
      host.list(),
      host.explain("wait"),
      host.prompt(),
      host.call("wait", {}),
      host.parameters("wait"),
      host.toolDefinitions(),
      host.run("hello"),
      host.loadAll(),
      host.status(),
      host.reload(),
    ];
    for (const outcome of await Promise.allSettled(attempts)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "HOST_CLOSED", kind: "failure" } });
    }
    await host.close();
    expect(host.diagnostics()).toEqual([]);
  });

  it("has stopped what was running, and waited for it", async () => {
    const { host } = await openHouse({
      "usr/tools/patient.ts": tool(
        `stage.seen.push("began");
         await new Promise((resolve) => this.signal.addEventListener("abort", resolve));
         stage.seen.push("stopped");
         return this.success("done");`,
      ),
    });
    const mine = new AbortController();
    const calls = [host.call("patient", {}), host.call("patient", {}, { signal: mine.signal })];
    const turn = host.run("/tool patient");
    await until(() => seen()?.length === 3);
    await host.close();
    expect(seen()).toEqual(["began", "began", "began", "stopped", "stopped", "stopped"]);
    for (const call of calls) {
      expect(await call).toMatchObject({ error: { code: "STOPPED", message: "the host was closed" } });
    }
    expect(await turn).toMatchObject({ stopped: "aborted", calls: [{ name: "patient", status: "error" }] });
  });
});

describe("what a tool leaves to be disposed of", () => {
  const leaving = tool(
    `this.onDispose(() => stage.seen.push("first"));
     this.onDispose(async () => { await null; stage.seen.push("second"); });
     this.setInterval(() => stage.seen.push("tick"), 1);
     return this.success("left");`,
  );

  it("is cleaned up when its module changed, once, and at the end", async () => {
    const { host, write } = await openHouse({ "usr/tools/leaving.ts": leaving });
    await host.call("leaving", {});
    await until(() => seen()?.includes("tick") === true);
    await host.reload();
    expect(seen()).not.toContain("first");
    write({ "usr/tools/leaving.ts": `${leaving}// changed` });
    await host.reload();
    expect(seen()?.filter((item) => item !== "tick")).toEqual(["first", "second"]);
    const ticks = seen()?.length;
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(seen()?.length).toBe(ticks);
    await host.reload();
    await host.call("leaving", {});
    await host.close();
    expect(seen()?.filter((item) => item !== "tick")).toEqual(["first", "second", "first", "second"]);
  });

  it("that fails is reported, and keeps nothing else from being cleaned up", async () => {
    const { host, write } = await openHouse({
      "usr/tools/leaving.ts": leaving.replace('stage.seen.push("first")', '{ throw new Error("stuck") }'),
    });
    await host.call("leaving", {});
    write({ "usr/tools/leaving.ts": leaving });
    await host.reload();
    expect(seen()).toContain("second");
    expect(host.diagnostics()).toMatchObject([{ code: "TOOL_HOOK_FAILED", message: "a disposer failed: stuck" }]);
  });
});

describe("a call that runs during a reload", () => {
  it("finishes on the generation that it began with; the next one has the new", async () => {
    const house = await openHouse({ "usr/tools/slow.ts": waiting("old") });
    const { host } = house;
    const running = host.call("slow", {});
    await until(() => seen()?.length === 1);
    house.write({ "usr/tools/slow.ts": waiting("new") });
    expect((await host.reload()).files).toEqual(["usr/tools/slow.ts"]);
    const next = host.call("slow", {});
    await until(() => seen()?.length === 2);
    globalThis.stage?.open();
    expect(await running).toMatchObject({ message: "old", context: { generation: 1 } });
    expect(await next).toMatchObject({ message: "new", context: { generation: 2 } });
  });

  it("keeps what it needs until its end: only then its generation is cleaned up", async () => {
    const slow = tool(
      `this.onDispose(() => stage.seen.push("disposed"));
       stage.seen.push("began"); await stage.gate; stage.seen.push("went on");
       return this.success((await import("../lib/late.ts")).word);`,
    );
    const house = await openHouse({
      "usr/tools/slow.ts": slow,
      "usr/lib/late.ts": 'export const word = "loaded late";\n',
    });
    const running = house.host.call("slow", {});
    await until(() => seen()?.length === 1);
    await house.host.reload();
    house.write({ "usr/tools/slow.ts": `${slow}// changed` });
    await house.host.reload();
    expect(seen()).toEqual(["began"]);
    globalThis.stage?.open();
    expect(await running).toMatchObject({ message: "loaded late" });
    await until(() => seen()?.length === 3);
    expect(seen()).toEqual(["began", "went on", "disposed"]);
  });

  it("in a turn leaves the turn on its generation to the end", async () => {
    const house = await openHouse({ "usr/tools/slow.ts": waiting("old") });
    const { host } = house;
    const served: [string, number][] = [];
    host.on("tool_end", ({ name, result }) => served.push([name, result.context.generation]));
    const turn = host.run("/tool slow");
    await until(() => seen()?.length === 1);
    house.write({ "usr/tools/response.ts": toolSource("new", 'static role = "answer";') });
    await host.reload();
    globalThis.stage?.open();
    expect(await turn).toMatchObject({ answer: "old", turns: 2 });
    expect(served).toEqual([
      ["slow", 1],
      ["response", 1],
    ]);
  });
});

describe("a reload", () => {
  it("tells what it did, to who asked and to who listens", async () => {
    const house = await openHouse(pluginFiles("greeter", "greet", "hello"));
    const heard: ReloadReceipt[] = [];
    house.host.on("reload", (receipt) => heard.push(receipt));
    house.write({ "usr/tools/other.ts": toolSource("other") });
    const receipt = await house.host.reload();
    expect(receipt).toMatchObject({ status: "ok", from: 1, to: 2, files: ["usr/tools/other.ts"], diagnostics: [] });
    expect(receipt).toMatchObject({ cause: "request", hashes: {} });
    expect(Object.values(receipt.durations).every((ms) => ms >= 0)).toBe(true);
    expect(heard).toMatchObject([receipt]);
    expect(house.host.generation).toBe(2);
  });

  it("lists the files that changed, not those that were only touched or are no content", async () => {
    const house = await openHouse({
      ...pluginFiles("greeter", "greet", "hello"),
      "usr/plugins/greeter/tools/other.ts": toolSource("other"),
    });
    const { host } = house;
    await host.call("greet", {});
    house.write({ "usr/plugins/greeter/tools/greet.ts": toolSource("hello"), "usr/AGENTS.md": "mine" });
    expect((await host.reload()).files).toEqual([]);
    house.write({
      "usr/plugins/greeter/tools/other.ts": toolSource("another"),
      "usr/plugins/greeter/prompts/agent.system.tool.greet.md": "other words",
      "usr/plugins/greeter/plugin.yaml": manifest("greeter", "always_enabled: true\n"),
    });
    rmSync(join(house.root, "usr/plugins/greeter/tools/greet.ts"));
    expect((await host.reload()).files).toEqual([
      "usr/plugins/greeter/plugin.yaml",
      "usr/plugins/greeter/prompts/agent.system.tool.greet.md",
      "usr/plugins/greeter/tools/greet.ts",
      "usr/plugins/greeter/tools/other.ts",
    ]);
  });

  it("that finds something broken says so, and serves what is not", async () => {
    const house = await openHouse(pluginFiles("greeter", "greet", "hello"));
    const { host } = house;
    house.write({ "usr/plugins/broken/plugin.yaml": "name: [", "usr/plugins/broken/tools/never.ts": toolSource("no") });
    expect(await host.reload()).toMatchObject({
      status: "failed",
      to: 2,
      diagnostics: [{ code: "MANIFEST_INVALID", file: "usr/plugins/broken/plugin.yaml", line: 1 }],
    });
    expect(await host.call("greet", {})).toMatchObject({ message: "hello" });
    expect(await host.call("never", {})).toMatchObject({ error: { code: "UNKNOWN_TOOL" } });
    expect(await host.status()).toMatchObject({ health: "degraded", failedPlugins: 1, failedTools: 0 });
  });

  it("says the same once, however often it is found", async () => {
    const { host } = await openHouse({
      ...pluginFiles("one", "greet", "one"),
      ...pluginFiles("two", "greet", "two"),
      "usr/tools/broken.ts": "export default {",
    });
    for (let turn = 0; turn < 10; turn++) {
      await host.call("broken", {});
      await host.list();
      await host.reload();
    }
    const codes = (list: readonly { code: string }[]) => list.map(({ code }) => code);
    // Two plugins claim the tool and its fragment.
    expect(codes(host.diagnostics())).toEqual(["COLLISION", "COLLISION", "LOAD_SYNTAX"]);
    expect(codes((await host.list()).diagnostics)).toEqual(["COLLISION", "COLLISION", "LOAD_SYNTAX"]);
  });

  it("keeps the old generation where the host's own profile is gone", async () => {
    const house = await openHouse(
      { "agents/pirate/agent.yaml": "title: Pirate\n", "agents/pirate/tools/greet.ts": toolSource("ahoy") },
      { profile: "pirate" },
    );
    const { host } = house;
    house.write({ "agents/pirate/agent.yaml": "enabled: false\n" });
    expect(await host.reload()).toMatchObject({
      status: "failed",
      from: 1,
      to: 1,
      files: ["agents/pirate/agent.yaml"],
      diagnostics: [{ code: "PROFILE_DISABLED" }],
    });
    expect(await host.call("greet", {})).toMatchObject({ message: "ahoy", context: { generation: 1 } });
    house.write({ "agents/pirate/agent.yaml": "enabled: true\n" });
    expect(await host.reload()).toMatchObject({ status: "ok", from: 1, to: 2 });
  });
});
