import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { RiskLevel } from "../../core/sdk/tool.ts";
import { call, text } from "../helpers/scripted-model.ts";
import { openAgency, resultsIn } from "./agency.ts";
import { openHouse } from "./house.ts";

const settings = (profile: object) => ({
  "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: profile } }),
});
/** low, medium, high that is blocked, high that is not. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  read_only: ["run", "block", "block", "block"],
  supervised: ["run", "ask", "block", "ask"],
  full: ["run", "run", "block", "run"],
};
const LEVELS: readonly RiskLevel[] = ["low", "medium", "high"];

it.each(Object.keys(TABLE))("every bundled tool is judged by its risk at level %s", async (level) => {
  for (const blocks of [true, false]) {
    const { host } = await openHouse(settings({ level, block_high_risk: blocks }));
    await host.loadAll({ profile: "developer" });
    const { tools } = await host.list({ profile: "developer" });
    expect(tools.length).toBeGreaterThan(8);
    for (const { name } of tools) {
      const { risk, decision } = await host.policy.why(name, undefined, { profile: "developer" });
      const column = LEVELS.indexOf(risk.level) + (risk.level === "high" && !blocks ? 1 : 0);
      expect([name, risk.level, decision]).toEqual([name, risk.level, TABLE[level]?.[column]]);
    }
  }
});

it("read_only changes nothing, whatever is approved", async () => {
  const WRITES = [
    call("file_write", { path: "new.txt", content: "x" }, "w1"),
    call("file_write", { path: "a.txt", content: "x" }, "w2"),
    call("file_edit", { path: "a.txt", old_string: "one", new_string: "two" }, "e"),
    call("file_read", { path: "a.txt" }, "r"),
  ];
  let questions = 0;
  const bound = { level: "read_only", auto_approve: ["*"], block_high_risk: false };
  const files = {
    "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: { level: "full" }, bound } }),
    "usr/agents/bound/agent.yaml": "title: Bound\nrisk_profile: bound\n",
  };
  const parts = {
    go: [[call("call_subordinate", { message: "work", profile: "bound" })], [text("done")]],
    work: [WRITES, [text("done")]],
    "do it yourself": [[...WRITES, call("call_subordinate", { message: "work" }, "s")], [text("done")]],
  };
  const { host, asked, workspace, again } = await openAgency(parts, files, {
    workspaceFiles: { "a.txt": "one\n" },
    approver() {
      questions++;
      return { decision: "approve" };
    },
  });
  await host.run("go");
  await (await again({ profile: "bound" })).run("do it yourself");
  for (const [who, more] of [
    ["work", []],
    ["do it yourself", ["DENIED_BY_POLICY"]],
  ] as const) {
    const told = resultsIn(asked(who)[1] ?? { messages: [] }).map((said) => /^[A-Z_]+(?=:)/u.exec(said)?.[0] ?? "ok");
    expect([who, told]).toEqual([who, ["DENIED_BY_POLICY", "DENIED_BY_POLICY", "DENIED_BY_POLICY", "ok", ...more]]);
  }
  expect([readdirSync(workspace), readFileSync(join(workspace, "a.txt"), "utf8")]).toEqual([["a.txt"], "one\n"]);
  expect(questions).toBe(0);
});
