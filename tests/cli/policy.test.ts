import { describe, expect, test } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const root = makeTree({
  "usr/settings.yaml": "risk_profiles:\n  default:\n    denied_tools: [wait]\n    excluded_tools: [greet]\n",
  "usr/projects/J/settings.yaml": "risk_profiles:\n  default:\n    level: readonly\n",
  "usr/plugins/p/plugin.yaml": manifest("p", "policy: { always_ask: [greet] }\n"),
  "usr/tools/greet.ts": toolSource("hello"),
  "usr/tools/edit.ts": toolSource("edited", 'static readonly risk = "medium";'),
  "a.txt": "one\n",
  "table.yaml": `- { tool: word_count, args: { path: a.txt }, decision: run, rule: level }
- { tool: wait, decision: block, code: DENIED_BY_POLICY, rule: denied_tools }
- { tool: greet, face: web, decision: block, rule: excluded_tools }
- { tool: greet, allowedTools: [], decision: block, rule: allowedTools }
`,
  "wrong.yaml": `- { tool: word_count, args: { path: a.txt }, decision: run }

- { tool: greet, decision: block }
- { tool: nope, decision: run }
- { tool: wait, decision: block, rule: level }
`,
  "broken.yaml": "- { tool: wait, decisoin: run }\n- 3\n",
});
const policy = async (...words: readonly string[]) => await runMain(["policy", ...words], { cwd: root });
const json = async (...words: readonly string[]) => JSON.parse((await policy(...words, "--json")).stdout);

describe("policy show", () => {
  test("tells each value of the risk profile and where it comes from", async () => {
    const { code, stdout, stderr } = await policy();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^agent profile default: risk profile default\nkey +value +from\n/u);
    expect(stdout).toMatch(/^level +"supervised" +default$/mu);
    expect(stdout).toMatch(/^denied_tools +\["wait"\] +usr\/settings.yaml$/mu);
    expect(stdout).toMatch(/^always_ask +\["greet"\] +usr\/plugins\/p\/plugin.yaml$/mu);
    const shown = await json("show", "--project", "J");
    expect(Object.keys(shown)).toEqual(["profile", "riskProfile", "fault", "settings", "sandbox", "diagnostics"]);
    const values = Object.fromEntries(shown.settings.map((one: { key: string }) => [one.key, one]));
    expect(values.level).toEqual({ key: "level", value: "read_only", from: ["usr/projects/J/settings.yaml"] });
    expect(values.denied_tools).toEqual({ key: "denied_tools", value: ["wait"], from: ["usr/settings.yaml"] });
    expect(values.allowed_tools).toEqual({ key: "allowed_tools", value: [], from: [] });
  });
});

test("policy show tells names that no tool has: a slip would forbid nothing", async () => {
  const settings = "risk_profiles: {default: {denied_tools: [wiat, github__x, m*], always_ask: [{none: {a: 1}}]}}\n";
  const { stderr } = await runMain(["policy"], { cwd: makeTree({ "usr/settings.yaml": settings }) });
  expect(stderr.split("\n")).toEqual([
    expect.stringMatching(/^usr\/settings.yaml warning RISK_PROFILE_NAME_UNKNOWN always_ask .* names none/u),
    expect.stringMatching(/^usr\/settings.yaml warning RISK_PROFILE_NAME_UNKNOWN denied_tools .* names wiat, .*wait/u),
    "",
  ]);
});

describe("policy why", () => {
  test("tells what becomes of a call, and why; it runs nothing, and exits 0 whatever it is", async () => {
    expect(await json("why", "word_count", "path=a.txt")).toEqual({
      tool: "word_count",
      risk: { level: "low", reasons: ["the tool says so of all its calls"] },
      decision: "run",
      code: null,
      rule: "level",
      setting: "level supervised of risk profile default (its default)",
    });
    expect(await policy("why", "wait")).toEqual({
      code: 0,
      stdout: `wait is blocked (DENIED_BY_POLICY)
risk: low (the tool says so of all its calls)
rule: denied_tools, denied_tools of risk profile default (usr/settings.yaml)
`,
      stderr: "",
    });
    expect(await json("why", "greet")).toMatchObject({ decision: "ask", code: null, rule: "always_ask" });
    expect(await json("why", "edit")).toMatchObject({ decision: "ask", risk: { level: "medium" } });
    expect(await json("why", "edit", "--project", "J")).toMatchObject({ decision: "block", rule: "level" });
    expect(await json("why", "greet", "--face", "web")).toMatchObject({ decision: "block", rule: "excluded_tools" });
    expect(await json("why", "WordCount", '{"path":"a.txt"}')).toMatchObject({ tool: "word_count" });
  });

  test("reads arguments as call does, and validates them when they are given", async () => {
    for (const words of [["word_count", "{"], ["word_count", "pth=a.txt"], ["nope"]]) {
      const { code, stdout, stderr } = await policy("why", ...words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: "" });
      expect(stderr).toMatch(/^(?:INVALID_JSON|INVALID_PARAM|UNKNOWN_TOOL): /u);
    }
    expect((await policy("why", "word_count", "a.txt")).code).toBe(2);
    expect((await policy("why")).code).toBe(2);
  });
});

describe("policy test", () => {
  test("compares a table with the policy, and tells each row that does not hold", async () => {
    expect(await policy("test", "table.yaml")).toEqual({ code: 0, stdout: "4 of 4 rows hold\n", stderr: "" });
    const { code, stdout } = await policy("test", "wrong.yaml");
    expect(code).toBe(1);
    expect(stdout.split("\n")).toEqual([
      "line 3: greet: expected block, found ask (-, always_ask: always_ask of risk profile default (usr/plugins/p/plugin.yaml))",
      expect.stringMatching(/^line 4: nope: expected run, found no tool is named "nope"/u),
      "line 5: wait: expected block, level, found block (DENIED_BY_POLICY, denied_tools: denied_tools of risk profile default (usr/settings.yaml))",
      "1 of 4 rows hold",
      "",
    ]);
    const { cases, failed } = await json("test", "wrong.yaml");
    expect([failed, cases.map(({ ok }: { ok: boolean }) => ok)]).toEqual([3, [true, false, false, false]]);
  });

  test("says what is wrong with the table itself", async () => {
    const broken = await policy("test", "broken.yaml");
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain("POLICY_TEST_INVALID");
    expect(broken.stderr).toContain("Did you mean decision?");
    expect((await policy("test", "none.yaml")).code).toBe(1);
    expect((await policy("test")).code).toBe(2);
  });
});

test("the denial of a call is its exit code 1, with the rule on stderr", async () => {
  const { code, stdout, stderr } = await runMain(["call", "edit"], { cwd: root });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("NO_APPROVER: edit was not run");
  expect(stderr).toContain("auto_approve: [edit]");
  const listed = await runMain(["list"], { cwd: root });
  expect(listed.stdout).toMatch(/^wait +refused .*\(refused by denied_tools of risk profile default/mu);
});
