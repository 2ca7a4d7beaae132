import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { argsDigest } from "../../core/governance/ledger-digests.ts";
import { runMain } from "../helpers/main.ts";
import { call, text } from "../helpers/scripted-model.ts";
import { type Tree, toolSource } from "../helpers/tree.ts";
import { ENDLESS, openAgency } from "./agency.ts";
import { openHouse } from "./house.ts";

const FILES: Tree = {
  "usr/tools/low.ts": toolSource("done"),
  "usr/tools/medium.ts": toolSource("done", 'static readonly risk = "medium";'),
  "usr/tools/denied.ts": toolSource("done"),
  "usr/settings.yaml": "risk_profiles: {default: {denied_tools: [denied]}}\n",
};
const WHERE = "of risk profile default";

describe("what is decided of a call", () => {
  it("is written down with who asked for what, why, and what came of it", async () => {
    const { host, root } = await openHouse(FILES);
    await host.call("low", { a: 1 });
    await host.call("medium", {});
    await host.call("denied", {});
    await host.call("nothing", {});
    const { lines } = await host.audit.search();
    expect(lines).toHaveLength(4);
    expect(lines[0]).toEqual({
      v: 1,
      time: expect.any(String),
      face: "library",
      session: null,
      turn: expect.any(String),
      agent: "agent.default",
      subordinate: null,
      call: lines[0]?.turn,
      tool: "tool.low",
      owner: "usr",
      method: null,
      args: argsDigest({ a: 1 }),
      summary: '{"a":1}',
      decision: "run",
      code: null,
      rule: "level",
      setting: `level supervised ${WHERE} (its default)`,
      risk: { level: "low", reasons: ["the tool says so of all its calls"] },
      approver: null,
      outcome: "success",
      durationMs: expect.any(Number),
      generation: 1,
    });
    expect(lines.slice(1)).toMatchObject([
      {
        tool: "tool.medium",
        decision: "ask",
        code: "NO_APPROVER",
        outcome: "denied",
        rule: "level",
        risk: { level: "medium" },
      },
      {
        tool: "tool.denied",
        decision: "block",
        code: "DENIED_BY_POLICY",
        outcome: "blocked",
        rule: "denied_tools",
        setting: `denied_tools ${WHERE} (usr/settings.yaml)`,
        risk: null,
      },
      { tool: "tool.nothing", outcome: "unknown", rule: "level" },
    ]);
    expect(host.audit.file).toBe(join(root, "usr/audit/audit.jsonl"));
  });

  it("names the rule of the loop detector", async () => {
    const same = Array.from({ length: 6 }, (_, index) => [call("low", {}, `c${index}`)]);
    const { host } = await openAgency({ go: [...same, [text("over")]] }, FILES);
    await host.run("go");
    const { lines } = await host.audit.search({ decision: "block" });
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatchObject({ code: "DENIED_BY_POLICY", rule: "loop", outcome: "blocked" });
      expect(line.setting).toContain("loop detector");
    }
  });

  it("tells who said yes to a call that was stopped before it had its place, and that another one waited for a person", async () => {
    const controllers = [new AbortController(), new AbortController()];
    let asked = 0;
    const settings = { risk_profiles: { default: {} }, tools: { maxConcurrent: 1 }, receipts: { enabled: true } };
    const { host } = await openHouse(
      {
        ...FILES,
        "usr/settings.yaml": JSON.stringify(settings),
        "usr/tools/endless.ts": ENDLESS,
      },
      {
        approver: () => {
          asked++;
          return asked === 1 ? { decision: "approve", by: "ann" } : new Promise(() => {});
        },
      },
    );
    const blocker = new AbortController();
    const running = host.call("endless", {}, { signal: blocker.signal });
    const calls = controllers.map(({ signal }) => host.call("medium", {}, { signal }));
    while (asked < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    for (const controller of controllers) controller.abort();
    expect((await Promise.all(calls)).map(({ error }) => error?.code)).toEqual(["ABORTED", "ABORTED"]);
    blocker.abort();
    await running;
    const { lines } = await host.audit.search({ tool: "medium" });
    const facts = {
      decision: "ask",
      rule: "level",
      outcome: "interrupted",
      code: "ABORTED",
      risk: { level: "medium" },
    };
    expect(lines).toMatchObject([
      { ...facts, approver: "ann" },
      { ...facts, approver: null },
    ]);
    const entries = (await host.receipts.list()).filter(({ tool }) => tool === "medium");
    expect(entries.map(({ approver, decision }) => [decision, approver]).toSorted()).toEqual([
      ["ask", null],
      ["ask", "ann"],
    ]);
  });

  it("is written for the command line, the library and a subordinate, and is on the disk when the turn ends", async () => {
    const { host, root } = await openAgency(
      {
        go: [[call("call_subordinate", { message: "work" })], [text("over")]],
        work: [[call("low", {}, "below")], [text("worked")]],
      },
      FILES,
    );
    const agent = await host.agent({ session: "new" });
    await agent.run("go");
    const written = readFileSync(host.audit.file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(written).toMatchObject([
      {
        face: "delegate",
        agent: "agent.default",
        subordinate: "sub-1",
        tool: "tool.low",
        call: "below",
        decision: "run",
      },
      { face: "library", agent: "agent.default", subordinate: null, tool: "tool.call_subordinate", session: agent.id },
    ]);
    expect(written[0].session).not.toBe(agent.id);
    await runMain(["call", "low"], { cwd: root });
    const { lines } = await host.audit.search({ face: "cli" });
    expect(lines).toMatchObject([{ face: "cli", session: null, tool: "tool.low", decision: "run" }]);
  });

  it("holds no secret, and little of long arguments", async () => {
    const secret = "correct-horse-battery";
    const { host } = await openHouse({ ...FILES, "usr/secrets.env": `TOKEN=${secret}\n` });
    await host.call("low", { token: secret, more: "x".repeat(10_000) });
    await host.call("low", { token: "§§secret(TOKEN)" });
    await host.call(`no_${secret}`, {});
    const { lines } = await host.audit.search();
    const written = readFileSync(host.audit.file, "utf8");
    expect(written).not.toContain(secret);
    expect(lines[0]?.summary).toHaveLength(201);
    expect(lines[0]?.summary).toContain("§§secret(TOKEN)");
    expect(lines[1]?.args).toBe(argsDigest({ token: "§§secret(TOKEN)" }));
  });

  it("is found in the place that the settings say, put aside as they say, or nowhere", async () => {
    const audit = (more: string): Tree => ({ ...FILES, "usr/settings.yaml": `audit: {${more}}\n` });
    const small = await openHouse(audit("file: logs/a.jsonl, maxBytes: 1500, keep: 1"));
    for (let n = 0; n < 8; n++) {
      await small.host.call("low", { n });
      await small.host.audit.search();
    }
    expect(small.host.audit.file).toBe(join(small.root, "logs/a.jsonl"));
    const { lines } = await small.host.audit.search();
    expect(lines.length).toBeLessThan(8);
    expect(lines.at(-1)?.summary).toBe('{"n":7}');
    const off = await openHouse(audit("enabled: false"));
    await off.host.call("low", {});
    expect(await off.host.audit.search()).toEqual({ lines: [], broken: 0, lost: 0 });
    const wrong = await openHouse(audit("keep: many"));
    expect(wrong.host.diagnostics()).toMatchObject([{ code: "SETTINGS_INVALID" }]);
  });

  it("keeps no call from running where it cannot be written", async () => {
    const { host } = await openHouse({ ...FILES, "usr/audit": "a file where a directory should be" });
    expect((await host.call("low", {})).status).toBe("success");
    await expect(host.audit.search()).rejects.toThrow("AUDIT_UNREADABLE");
    expect(host.diagnostics().map(({ code }) => code)).toContain("AUDIT_UNWRITABLE");
  });

  it("is told as it is written", async () => {
    const { host } = await openHouse(FILES);
    const stop = new AbortController();
    const told: string[] = [];
    const following = host.audit.follow(
      ({ tool }) => {
        told.push(tool);
        stop.abort();
      },
      { filter: { decision: "ask" }, signal: stop.signal },
    );
    await host.call("low", {});
    await host.call("medium", {});
    await host.audit.search();
    await following;
    expect(told).toEqual(["tool.medium"]);
    await expect(host.audit.search({ since: "yesterday" })).rejects.toThrow("expected a time");
  });
});
