import { beforeAll, describe, expect, test } from "vitest";
import { cli } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const FRAGMENT = `---
description: Says a fixed word.
---
### plain
Says it.

~~~json
{ "tool_name": "plain", "tool_args": {} }
~~~
`;

const NUMBER_TOOL = `import { Tool, z } from "toolroom";
const parameters = z.object({
  action: z.enum(["add", "take"]).optional(),
  n: z.number(),
  text: z.string().optional(),
  flags: z.array(z.string()).optional(),
});
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute(args: z.infer<typeof parameters>) {
    return this.success(JSON.stringify(args), { ...args, method: this.method ?? null });
  }
}
`;

const root = makeTree({
  "usr/plugins/p/plugin.yaml": manifest("p"),
  "usr/plugins/p/tools/plain.ts": toolSource("done"),
  "usr/plugins/p/tools/numbers.ts": NUMBER_TOOL,
  "usr/plugins/p/prompts/agent.system.tool.plain.md": FRAGMENT,
  "usr/plugins/b/plugin.yaml": "name: [\n",
  "usr/tools/plain.ts": toolSource("mine"),
  "a.txt": "one\ntwo words\n",
});

/** Runs a command in this process and gives back its one JSON value. */
async function json(args: readonly string[]) {
  const { code, stdout, stderr } = await runMain([...args, "--json"], { cwd: root });
  return { code, value: parseOne(stdout), stderr };
}

function parseOne(stdout: string) {
  expect(stdout).toMatch(/^[{[].*[}\]]\n$/su);
  return JSON.parse(stdout);
}

describe("--json", () => {
  beforeAll(async () => {
    // What was loaded before is known without being run again.
    await runMain(["check", "contracts"], { cwd: root });
  });

  test("in a process of its own, every command prints one value and nothing else", async () => {
    const commands = [
      "list",
      "list --all",
      "explain plain",
      "prompt",
      "call plain",
      "check",
      "run hi",
      "sessions",
      "doctor",
    ];
    for (const command of commands) {
      const { stdout, stderr } = await cli([...command.split(" "), "--json"], { cwd: root });
      expect(parseOne(stdout), command).toBeTypeOf("object");
      expect(stderr, command).toMatch(/^(?:\S+ (?:error|warning) [A-Z_]+ .*\n)*$/u);
    }
  });

  test("list", async () => {
    const { code, value } = await json(["list"]);
    expect(code).toBe(0);
    expect(Object.keys(value)).toEqual(["profile", "generation", "tools", "diagnostics"]);
    expect(value).toMatchObject({ profile: "default", generation: 1 });
    const names = value.tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual([...names].sort());
    expect(value.tools.find(({ name }: { name: string }) => name === "plain")).toEqual({
      name: "plain",
      description: "Says a fixed word.",
      kind: "tool",
      risk: "low",
      layer: { rank: 6, path: "usr" },
      plugin: null,
      file: "usr/tools/plain.ts",
      status: "ok",
      shadows: ["usr/plugins/p/tools/plain.ts"],
      diagnostics: [],
    });
    expect(value.diagnostics).toEqual([
      expect.objectContaining({ severity: "error", code: "MANIFEST_INVALID", file: "usr/plugins/b/plugin.yaml" }),
    ]);
  });

  test("list of other kinds, and of all", async () => {
    const { value } = await json(["list", "--kind", "plugin"]);
    expect(Object.keys(value)).toEqual(["profile", "generation", "kinds", "diagnostics"]);
    expect(value.kinds).toHaveLength(1);
    expect(value.kinds[0].items.map(({ id }: { id: string }) => id)).toEqual([
      "_agents",
      "_base",
      "_files",
      "_shell",
      "p",
    ]);
    const all = (await json(["list", "--all"])).value;
    expect(all.kinds.map(({ kind }: { kind: string }) => kind)).toEqual([
      "fragment",
      "prompt",
      "extension",
      "profile",
      "plugin",
      "skill",
      "locale",
    ]);
    expect(all.tools.length).toBeGreaterThan(5);
    const profiles = all.kinds.find(({ kind }: { kind: string }) => kind === "profile").items;
    expect(profiles.map(({ id }: { id: string }) => id)).toEqual(["default", "developer", "researcher"]);
  });

  test("list --definitions, and as a provider is sent them", async () => {
    const { value } = await json(["list", "--definitions"]);
    const plain = value.find(({ name }: { name: string }) => name === "plain");
    expect(plain).toEqual({ name: "plain", description: "Says a fixed word.", parameters: { type: "object" } });
    expect(value.map(({ name }: { name: string }) => name)).not.toContain("unknown");
    const sent = (await json(["list", "--definitions", "--provider", "anthropic"])).value;
    for (const definition of sent) expect(Object.keys(definition)).toEqual(["name", "description", "parameters"]);
  });

  test("explain", async () => {
    const { code, value } = await json(["explain", "plain"]);
    expect(code).toBe(0);
    expect(value).toEqual({
      id: "plain",
      kind: "tool",
      profile: "default",
      description: "Says a fixed word.",
      describedIn: "usr/plugins/p/prompts/agent.system.tool.plain.md",
      winner: "usr/tools/plain.ts",
      candidates: [
        {
          file: "usr/tools/plain.ts",
          layer: { rank: 6, path: "usr" },
          state: "wins",
          reason: expect.any(String),
        },
        {
          file: "usr/plugins/p/tools/plain.ts",
          layer: { rank: 7, path: "usr/plugins/p" },
          state: "shadowed",
          reason: expect.stringContaining("usr/tools/plain.ts"),
        },
      ],
      diagnostics: [],
    });
    const unknown = await json(["explain", "nothing"]);
    expect(unknown.code).toBe(1);
    expect(unknown.value).toMatchObject({ id: "nothing", winner: null, candidates: [] });
  });

  test("prompt", async () => {
    const { code, value } = await json(["prompt"]);
    expect(code).toBe(0);
    expect(Object.keys(value)).toEqual(["profile", "text", "tokens", "sections", "maxTokens"]);
    expect(value.text).toContain("### plain");
    expect(value.tokens).toBeGreaterThan(500);
    const section = value.sections.find(({ id }: { id: string }) => id === "plain");
    expect(section).toEqual({
      id: "plain",
      file: "usr/plugins/p/prompts/agent.system.tool.plain.md",
      layer: { rank: 7, path: "usr/plugins/p" },
      tokens: expect.any(Number),
      budget: null,
      shortened: false,
    });
  });

  test("run", async () => {
    const { code, value } = await json(["run", "How many lines does a.txt have?"]);
    expect(code).toBe(0);
    expect(Object.keys(value)).toEqual(["answer", "turns", "calls", "usage"]);
    expect(value.answer).toMatch(/a\.txt: 2 lines/);
    expect(value.turns).toBe(2);
    expect(value.calls).toMatchObject([
      { name: "word_count", args: { path: "a.txt" }, status: "success" },
      { name: "response", status: "success" },
    ]);
    for (const call of value.calls) expect(Object.keys(call)).toEqual(["name", "args", "status", "durationMs"]);
  });

  test("check", async () => {
    const { code, value } = await json(["check"]);
    expect(code).toBe(1);
    expect(Object.keys(value)).toEqual(["diagnostics", "fixed", "summary"]);
    expect(value.summary).toMatchObject({ errors: 1 });
  });
});

describe("call", () => {
  test("gives the ToolResult", async () => {
    const { code, value } = await json(["call", "plain"]);
    expect(code).toBe(0);
    expect(value).toEqual({
      status: "success",
      message: "mine",
      breakLoop: false,
      data: {},
      stats: { durationMs: expect.any(Number) },
      context: { tool: "plain", owner: "usr", generation: 1, cwd: ".", args: {} },
    });
  });

  test("reads words by the schema: text stays text, the rest is JSON", async () => {
    const { value } = await json(["call", "numbers:add", "n=12", "text=12", 'flags=["a"]']);
    expect(value.data).toEqual({ action: "add", n: 12, text: "12", flags: ["a"], method: "add" });
    const { value: object } = await json(["call", "numbers", '{"n": -1.5, "text": "a=b"}']);
    expect(object.data).toEqual({ n: -1.5, text: "a=b", method: null });
  });

  test("what is refused is a ToolResult too, with exit code 1", async () => {
    const refused: readonly (readonly [args: string[], code: string])[] = [
      [["numbers", "{not json"], "INVALID_JSON"],
      [["numbers", "n=twelve"], "INVALID_PARAM"],
      [["numbers", "n=1", "colour=red"], "INVALID_PARAM"],
      [["nothing"], "UNKNOWN_TOOL"],
      [["../plain"], "UNKNOWN_TOOL"],
    ];
    for (const [args, expected] of refused) {
      const { code, value } = await json(["call", ...args]);
      expect({ args, code, status: value.status, error: value.error.code }).toEqual({
        args,
        code: 1,
        status: "error",
        error: expected,
      });
    }
  });

  test("for people: the message on stdout, an error on stderr", async () => {
    expect(await runMain(["call", "plain"], { cwd: root })).toMatchObject({ code: 0, stdout: "mine\n" });
    const failed = await runMain(["call", "numbers", "n=x"], { cwd: root });
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/^INVALID_PARAM: .*\/n/);
  });
});

describe("prompt", () => {
  test("is what the model that would be asked gets, and asks none", async () => {
    const { stdout: json } = await runMain(["prompt"], { cwd: root });
    expect(json).toContain("Each reply is one JSON object");
    const { stdout: native } = await runMain(["prompt", "--model", "openai/gpt-test"], { cwd: root });
    expect(native).toContain("function-calling interface");
    expect((await runMain(["prompt", "--model", "nonsense"], { cwd: root })).code).toBe(2);
  });
});

describe("--project", () => {
  test("adds the rows of the project, and its settings", async () => {
    const own = makeTree({
      "usr/projects/site/tools/plain.ts": toolSource("of the project"),
      "usr/projects/site/agents/default/tools/inner.ts": toolSource("of the project's profile"),
      "usr/projects/site/settings.yaml": "model: nonsense\n",
      "usr/tools/plain.ts": toolSource("of the person"),
    });
    const call = async (...argv: string[]) => (await runMain(["call", ...argv], { cwd: own })).stdout;
    expect(await call("plain")).toBe("of the person\n");
    expect(await call("plain", "--project", "site")).toBe("of the project\n");
    expect(await call("inner", "--project", "site")).toBe("of the project's profile\n");
    expect((await runMain(["run", "hi", "--project", "site"], { cwd: own })).code).toBe(2);
    const { stdout } = await runMain(["explain", "plain", "--project", "site", "--json"], { cwd: own });
    expect(JSON.parse(stdout).candidates.map(({ layer }: { layer: { rank: number } }) => layer.rank)).toEqual([2, 6]);
  });
});

describe("for people", () => {
  test("JSON is indented on a terminal, and one line for a program", async () => {
    const onTerminal = await runMain(["list", "--json"], { cwd: root, isTTY: true });
    const piped = await runMain(["list", "--json"], { cwd: root });
    expect(onTerminal.stdout).toBe(`${JSON.stringify(JSON.parse(piped.stdout), null, 2)}\n`);
    expect(piped.stdout.trimEnd()).not.toContain("\n");
  });

  test("explain of what does not exist names the nearest", async () => {
    const { code, stderr } = await runMain(["explain", "plan"], { cwd: root });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'No layer has the tool "plan"; did you mean plain?\n' });
    const fragment = await runMain(["explain", "xyz", "--kind", "fragment"], { cwd: root });
    expect(fragment.stderr).toBe('No layer has the fragment "xyz".\n');
  });

  test("list, explain and prompt are tables", async () => {
    const { stdout: list, stderr } = await runMain(["list"], { cwd: root });
    expect(list).toMatch(/^tool +status +risk +layer +plugin +description\n/);
    expect(list).toMatch(
      /\nplain +ok +low +6 usr +- +Says a fixed word\. \(shadows usr\/plugins\/p\/tools\/plain\.ts\)\n/,
    );
    expect(stderr).toMatch(/^usr\/plugins\/b\/plugin\.yaml:\d+:\d+ error MANIFEST_INVALID /);
    const { stdout: explained } = await runMain(["explain", "plain"], { cwd: root });
    expect(explained).toMatch(/\nwins +6 usr +usr\/tools\/plain\.ts /);
    const { stdout: tokens } = await runMain(["prompt", "--tokens"], { cwd: root });
    expect(tokens).toMatch(/\nplain +\d+ +-\n/);
    expect(tokens).toMatch(/\nwhole prompt +\d+ +-\n$/);
    const { stdout: sources } = await runMain(["prompt", "--sources"], { cwd: root });
    expect(sources).toMatch(/\nplain +7 usr\/plugins\/p +usr\/plugins\/p\/prompts\/agent\.system\.tool\.plain\.md\n/);
  });

  test("--strict makes an error of the content exit code 1", async () => {
    for (const args of [["list"], ["prompt"], ["call", "plain"], ["run", "How many lines does a.txt have?"]]) {
      const { code, stdout } = await runMain([...args, "--strict"], { cwd: root });
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stdout).not.toBe("");
    }
  });
});
