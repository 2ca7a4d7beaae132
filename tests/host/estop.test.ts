import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, startCli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { call } from "../helpers/scripted-model.ts";
import { makeTree, type Tree, toolSource } from "../helpers/tree.ts";
import { ENDLESS, openAgency, start, toolOf } from "./agency.ts";
import { openHouse } from "./house.ts";

const TOOLS: Tree = { "usr/tools/one.ts": toolSource("1"), "usr/tools/endless.ts": ENDLESS };
const stateOf = (root: string) => join(root, "usr/estop.json");

describe("the e-stop", () => {
  it("stops what runs in every host of the root within moments, keeps all from running, and ends when it is off", async () => {
    const { host, again } = await openHouse(TOOLS);
    const other = await again();
    const running = [host.call("endless", {}), other.call("endless", {})];
    await other.call("one", {});
    expect(host.estop.on("the wrong disk")).toMatchObject({ on: true, reason: "the wrong disk" });
    for (const result of await Promise.all(running)) {
      expect(result.error).toMatchObject({ code: "STOPPED", class: "policy", retryable: false });
      expect(result.message).toMatch(/the e-stop is on since .* UTC: the wrong disk/u);
    }
    for (const each of [host, other]) {
      const { error } = await each.call("one", {});
      expect(error).toMatchObject({
        code: "STOPPED",
        message: expect.stringContaining("the wrong disk"),
        hint: "Only a person ends it: `toolroom estop off`.",
      });
    }
    expect(other.estop.off()).toEqual({ on: false, reason: null, since: null });
    expect(host.estop.status().on).toBe(false);
    expect((await host.call("one", {})).status).toBe("success");
    expect((await other.call("one", {})).status).toBe("success");
  });

  it("stops what runs also where it is on for a moment only, and where usr/ was made since the host started", async () => {
    const { host, again } = await openHouse(TOOLS);
    await host.call("one", {});
    const running = host.call("endless", {});
    const other = await again();
    other.estop.on("a slip");
    other.estop.off();
    expect((await running).error).toMatchObject({ code: "STOPPED", message: expect.stringContaining("for a moment") });
    expect((await host.call("one", {})).status).toBe("success");
    const env = { XDG_STATE_HOME: makeTree({}) };
    const bare = await openHouse({}, { root: makeTree({}), env });
    const waiting = bare.host.call("wait", { seconds: 60 });
    mkdirSync(join(bare.root, "usr"));
    expect((await runMain(["estop", "on", "--root", bare.root], { env })).code).toBe(0);
    expect(existsSync(stateOf(bare.root))).toBe(true);
    expect((await waiting).error?.code).toBe("STOPPED");
    await runMain(["estop", "off", "--root", bare.root], { env });
    expect(bare.host.estop.status().on).toBe(false);
    expect((await bare.host.call("wait", { seconds: 0.01 })).status).toBe("success");
  });

  it("stops turns, subordinates and jobs, and asks no model", async () => {
    const agency = await openAgency(
      {
        go: [[start([["endless", {}]])], [call("call_subordinate", { message: "sub" })]],
        sub: [[call("endless", {})]],
      },
      TOOLS,
    );
    const { host, model } = agency;
    host.on("tool_progress", ({ agent }) => {
      if (agent) host.estop.on("enough");
    });
    const agent = await host.agent();
    const outcome = await agent.run("go");
    expect(outcome).toMatchObject({ stopped: "aborted", answer: expect.stringContaining("enough") });
    const asked = model.requests.length;
    await expect(agent.run("go on")).rejects.toThrow(/ESTOP_ON: the e-stop is on .*enough/u);
    expect(model.requests).toHaveLength(asked);
    host.estop.off();
    expect((await host.run("hello")).answer).toBe("hello");
  });

  it("lets nothing of a call run: no module, no beforeExecution, no extension, no fallback tool", async () => {
    const mark = (what: string) => `import { appendFileSync } from "node:fs";
const ran = (what: string) => appendFileSync(new URL("../../${what}", import.meta.url), what);\n`;
    const { host, root } = await openHouse({
      "usr/tools/loud.ts": `${mark("ran")}ran("top level ");
import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  async beforeExecution() { ran("before "); }
  execute() { ran("execute "); return this.success("done"); }
}\n`,
      "usr/extensions/tool_execute_before/_10_loud.ts": `${mark("../ran")}
import { Extension } from "toolroom";
export default class extends Extension<"tool_execute_before"> { execute() { ran("extension "); } }\n`,
    });
    const file = join(root, "ran");
    host.estop.on();
    for (const name of ["loud", "nothing"]) expect((await host.call(name, {})).error?.code).toBe("STOPPED");
    expect(existsSync(file)).toBe(false);
    expect((await host.audit.search({ code: "STOPPED" })).lines).toMatchObject([
      { tool: "tool.loud", decision: "block", rule: "e-stop" },
      { tool: "tool.nothing", decision: "block", rule: "e-stop" },
    ]);
    // A policy says what it says all the same.
    expect(await host.policy.why("wait", { seconds: 1 })).toMatchObject({ decision: "run" });
    host.estop.off();
    await host.call("loud", {});
    expect(readFileSync(file, "utf8")).toBe("top level before extension execute ");
  });

  it("survives a restart, and is told by status, doctor, list and what is wrong", async () => {
    const { host, again } = await openHouse(TOOLS);
    host.estop.on("night");
    await host.close();
    const later = await again();
    expect((await later.call("one", {})).error?.code).toBe("STOPPED");
    expect((await later.status()).estop).toMatchObject({ on: true, reason: "night", since: expect.any(String) });
    expect((await later.doctor()).checks.find(({ name }) => name === "estop")).toMatchObject({ status: "warning" });
    const told = { code: "ESTOP_ON", severity: "warning", message: expect.stringContaining("night") };
    expect((await later.list()).diagnostics).toContainEqual(expect.objectContaining(told));
    expect(later.diagnostics()).toContainEqual(expect.objectContaining(told));
    later.estop.off();
    expect((await later.doctor()).checks.find(({ name }) => name === "estop")).toMatchObject({ status: "ok" });
    expect((await later.status()).estop.on).toBe(false);
  });

  it.each([
    ["is empty", (file: string) => writeFileSync(file, "")],
    ["is no JSON", (file: string) => writeFileSync(file, "{")],
    ["holds nothing", (file: string) => writeFileSync(file, "null")],
    ["is a directory", (file: string) => mkdirSync(file)],
  ])("is on where its file %s", async (_, make) => {
    const { host, root } = await openHouse(TOOLS);
    make(stateOf(root));
    expect((await host.call("one", {})).error?.code).toBe("STOPPED");
    rmSync(stateOf(root), { recursive: true });
    expect(host.estop.status().on).toBe(false);
  });

  it("needs no usr/, and keeps its reason without secrets", async () => {
    const root = makeTree({});
    const home = makeTree({});
    const { host } = await openHouse({}, { root, workspace: root, env: { XDG_STATE_HOME: home } });
    host.estop.on();
    expect(existsSync(join(root, "usr"))).toBe(false);
    expect((await host.call("wait", { seconds: 0 })).error?.code).toBe("STOPPED");
    host.estop.off();
    const masked = await openHouse({ ...TOOLS, "usr/secrets.env": "TOKEN=hunter2hunter2\n" });
    masked.host.estop.on("because of hunter2hunter2");
    expect(readFileSync(stateOf(masked.root), "utf8")).not.toContain("hunter2hunter2");
    masked.host.estop.off();
  });

  it("is on where somebody only made its file", async () => {
    const { host, root } = await openHouse(TOOLS);
    writeFileSync(stateOf(root), "{}");
    expect((await host.call("one", {})).error?.code).toBe("STOPPED");
  });
});

describe("the command estop", () => {
  const inRoot = (files: Tree = {}) => {
    const root = makeTree({ "usr/plugins/.gitkeep": "", ...TOOLS, ...files });
    return { root, run: async (...argv: string[]) => await runMain([...argv, "--root", root]) };
  };

  it("turns it on and off, and says how it is", async () => {
    const { root, run } = inRoot();
    expect(await run("estop")).toMatchObject({ code: 0, stdout: "The e-stop is off.\n" });
    expect((await run("estop", "on", "wrong", "disk")).stdout).toMatch(
      /^The e-stop is on since .* UTC: wrong disk\.\n$/u,
    );
    expect(existsSync(stateOf(root))).toBe(true);
    expect(JSON.parse((await run("estop", "--json")).stdout)).toMatchObject({ on: true, reason: "wrong disk" });
    expect(await run("call", "one")).toMatchObject({ code: 1, stderr: expect.stringContaining("STOPPED") });
    expect((await run("list")).stderr).toContain("ESTOP_ON");
    expect((await run("run", "hello")).code).toBe(1);
    expect((await run("estop", "off")).stdout).toBe("The e-stop is off.\n");
    expect((await run("call", "one")).code).toBe(0);
    expect((await run("estop", "of")).code).toBe(2);
    expect((await run("estop", "off", "now")).code).toBe(2);
  });

  it("works whatever is wrong with the content", async () => {
    const { root, run } = inRoot({ "usr/settings.yaml": "profile: nobody\n" });
    expect((await run("list")).code).toBe(2);
    expect((await run("estop", "on")).code).toBe(0);
    expect(existsSync(stateOf(root))).toBe(true);
  });

  it("says so where it cannot write", async () => {
    const { root, run } = inRoot();
    mkdirSync(stateOf(root));
    const { code, stderr } = await run("estop", "off");
    expect([code, stderr]).toEqual([1, expect.stringContaining("ESTOP_UNWRITABLE")]);
  });

  it("stops a call of another process", async () => {
    const hold = toolOf(
      "writeFileSync(new URL('../../began', import.meta.url), ''); await new Promise((resolve) => this.signal.addEventListener('abort', resolve)); return this.success('too late');",
    );
    const { root, run } = inRoot({ "usr/tools/hold.ts": `import { writeFileSync } from "node:fs";\n${hold}` });
    const running = startCli(["call", "hold", "--root", root, "--json"]);
    onTestFinished(() => void running.child.kill());
    running.child.stdin.end();
    await until(() => existsSync(join(root, "began")));
    await run("estop", "on", "from", "elsewhere");
    const { code, stdout } = await running.outcome;
    const { error, message } = JSON.parse(stdout);
    expect([code, error.code, message]).toEqual([1, "STOPPED", expect.stringContaining("from elsewhere")]);
  });

  it("is a command of chat, too", async () => {
    const { root } = inRoot();
    const input = "/estop on a test\n/tool one\n/estop\n/estop now\n/estop off\n/tool one\n/quit\n";
    const { stdout, stderr } = await cli(["chat", "--root", root], { input });
    expect(stdout.match(/^The e-stop is .*$/gmu)).toEqual([
      expect.stringMatching(/UTC: a test\.$/u),
      expect.stringMatching(/UTC: a test\.$/u),
      "The e-stop is off.",
    ]);
    expect(stdout).toContain('Expected /estop, or with: on [reason], off, status; found "now".');
    expect(stderr).toContain("ESTOP_ON");
    expect(stdout).toContain("1");
  });
});

/** Looks again until it is so. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}
