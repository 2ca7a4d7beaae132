import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { bareEnvironment, cli, MAIN, watchProcess } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, type Tree, toolSource } from "../helpers/tree.ts";

const FRAGMENT = "usr/prompts/agent.system.tool.good.md";

/** What every tree holds beside its fault; it has to go on working. */
const GOOD: Tree = {
  "usr/tools/good.ts": toolSource("good"),
  [FRAGMENT]: "---\ndescription: Is good.\n---\n### good\nUse it.\n",
  "a.txt": "1\n2\n3\n",
};

interface Fault {
  readonly tree: Tree;
  /** What `check` tells about it. */
  readonly found: { readonly code: string; readonly severity?: string; readonly file: string; readonly line?: number };
  /** Directories to make where files should be. */
  readonly directories?: readonly string[];
  /** It may hide what is denied: nothing runs but answers. */
  readonly closes?: boolean;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "a file where usr/plugins should be": {
    tree: { "usr/plugins": "" },
    found: { code: "NOT_A_DIRECTORY", file: "usr/plugins" },
  },
  "a file where agents/ should be": { tree: { agents: "" }, found: { code: "NOT_A_DIRECTORY", file: "agents" } },
  "a file where tools/ of a plugin should be": {
    tree: { "usr/plugins/p/plugin.yaml": manifest("p"), "usr/plugins/p/tools": "" },
    found: { code: "NOT_A_DIRECTORY", file: "usr/plugins/p/tools" },
  },
  "a directory where a tool should be": {
    tree: {},
    directories: ["usr/tools/dir.ts"],
    found: { code: "NOT_A_FILE", severity: "warning", file: "usr/tools/dir.ts" },
  },
  "a directory where the settings should be": {
    tree: {},
    directories: ["usr/settings.yaml"],
    found: { code: "NOT_A_FILE", severity: "warning", file: "usr/settings.yaml" },
  },
  "YAML that does not parse in plugin.yaml": {
    tree: { "usr/plugins/p/plugin.yaml": "title: p\ndescription: [\n" },
    found: { code: "MANIFEST_INVALID", file: "usr/plugins/p/plugin.yaml", line: 3 },
  },
  "YAML that does not parse in the settings": {
    tree: { "usr/settings.yaml": "profile: default\nmodel: a: b\n" },
    found: { code: "SETTINGS_INVALID", file: "usr/settings.yaml", line: 2 },
    closes: true,
  },
  "a setting of the wrong type": {
    tree: { "usr/settings.yaml": "agent:\n  maxIterations: many\n" },
    found: { code: "SETTINGS_INVALID", file: "usr/settings.yaml", line: 2 },
  },
  "YAML that does not parse in agent.yaml": {
    tree: { "usr/agents/chef/agent.yaml": "title: {\n" },
    found: { code: "PROFILE_INVALID", file: "usr/agents/chef/agent.yaml" },
  },
  "YAML that does not parse in the settings of a plugin": {
    tree: { "usr/plugins/p/plugin.yaml": manifest("p"), "usr/plugins/p/config.yaml": "a: [\n" },
    found: { code: "SETTINGS_INVALID", file: "usr/plugins/p/config.yaml" },
  },
  "front matter that is a program": {
    tree: { [FRAGMENT]: "---js\n{ description: (globalThis.ranFrontMatter = true) }\n---\n### good\n" },
    found: { code: "FM_LANGUAGE", file: FRAGMENT, line: 1 },
  },
  "front matter that does not parse": {
    tree: { [FRAGMENT]: "---\ndescription: [\n---\n### good\n" },
    found: { code: "FM_INVALID", file: FRAGMENT },
  },
  "a fragment of 10 MB": {
    tree: { [FRAGMENT]: "x".repeat(10_000_000) },
    found: { code: "FILE_TOO_LARGE", file: FRAGMENT },
  },
  "a template that does not parse": {
    tree: { [FRAGMENT]: "### good\n{{#if profile}} open\n" },
    found: { code: "TEMPLATE_INVALID", file: FRAGMENT },
  },
  "a template without its value": {
    tree: { [FRAGMENT]: "### good\n\nis {{nobody_knows}}\n" },
    found: { code: "TEMPLATE_FAILED", file: FRAGMENT, line: 3 },
  },
  "an include that leads to itself": {
    tree: {
      [FRAGMENT]: '### good\n{{include "part.md"}}\n',
      "usr/prompts/part.md": '{{include "agent.system.tool.good.md"}}\n',
    },
    found: { code: "INCLUDE_CYCLE", file: "usr/prompts/part.md" },
  },
  "an include of what does not exist": {
    tree: { [FRAGMENT]: '### good\n{{include "nothing.md"}}\n' },
    found: { code: "INCLUDE_MISSING", file: FRAGMENT, line: 2 },
  },
  "an include that leaves the prompts": {
    tree: { [FRAGMENT]: '### good\n{{include "../../secret.md"}}\n' },
    found: { code: "INCLUDE_OUTSIDE", file: FRAGMENT, line: 2 },
  },
  "a tool that does not parse": {
    tree: { "usr/tools/bad.ts": "export default class {\n  execute( {\n" },
    found: { code: "LOAD_SYNTAX", file: "usr/tools/bad.ts" },
  },
};

function rootOf({ tree, directories = [] }: Pick<Fault, "tree" | "directories">): string {
  const root = makeTree({ ...GOOD, ...tree });
  for (const path of directories) mkdirSync(join(root, path), { recursive: true });
  return root;
}

describe("bad input costs itself only", () => {
  for (const [name, fault] of Object.entries(FAULTS)) {
    test(name, async () => {
      const root = rootOf(fault);
      const checked = await runMain(["check", "--json"], { cwd: root });
      const { diagnostics } = JSON.parse(checked.stdout);
      const { severity = "error", ...found } = fault.found;
      expect(diagnostics).toContainEqual(expect.objectContaining({ severity, ...found }));
      expect(checked.code).toBe(severity === "error" ? 1 : 0);

      const called = await runMain(["call", "good"], { cwd: root });
      const { code, stdout } = await runMain(["prompt"], { cwd: root });
      expect(code).toBe(0);
      if (fault.closes) {
        expect(called).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("DENIED_BY_POLICY") });
        expect(stdout).toMatch(/^#+ response$/m);
      } else {
        expect(called).toMatchObject({ code: 0, stdout: "good\n" });
        expect(stdout).toMatch(/^#+ word_count$/m);
      }
    });
  }

  test("a program in front matter is not run", async () => {
    await runMain(["prompt"], { cwd: rootOf(FAULTS["front matter that is a program"] as Fault) });
    expect(globalThis).not.toHaveProperty("ranFrontMatter");
  });

  test("all of it at once: the agent still answers", async () => {
    const tree = Object.assign({}, ...Object.values(FAULTS).map((fault) => fault.tree));
    // These two leave no place for the others.
    delete tree["usr/plugins"];
    delete tree.agents;
    const { code, stdout, stderr } = await cli(["run", "How many lines does a.txt have?"], { cwd: rootOf({ tree }) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "a.txt: 3 lines, 3 words, 6 characters.\n" });
    expect(stderr).toContain("SETTINGS_INVALID");
  });

  test("a usr that is a file: the bundled tools still work", async () => {
    const { code, stdout, stderr } = await runMain(["call", "word_count", "path=usr"], { cwd: makeTree({ usr: "x" }) });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "usr: 1 line, 1 word, 1 character.\n" });
    expect(stderr).toContain("NOT_A_DIRECTORY");
  });
});

test("what the system does not let us look at is told, and the rest works", async () => {
  // Anything else can be looked at by an administrator, who may be running this: paths that are too long cannot.
  const limit = process.platform === "linux" ? 4096 : 1024;
  const base = makeTree({});
  const plugin = "p".repeat(28);
  const script = `
    while [ $(( ${limit} - \${#PWD} )) -gt 300 ]; do mkdir -p ${"d".repeat(200)}; cd ${"d".repeat(200)}; done
    name=$(printf "e%.0s" $(seq 1 $(( ${limit} - \${#PWD} - 42 )))); mkdir -p "$name"; cd "$name"
    mkdir -p usr/tools usr/plugins/${plugin}/tools
    echo x > usr/tools/${"t".repeat(40)}.ts
    echo 1 > a.txt
    node "$MAIN" --trust "$@"`;
  const run = async (...args: string[]) => {
    const env = { ...bareEnvironment(), MAIN };
    const child = spawn("bash", ["--norc", "-ec", script, "bash", ...args], { cwd: base, env, stdio: "pipe" });
    return await watchProcess(child).outcome;
  };
  const { code, stdout } = await run("check", "--json");
  const { diagnostics } = JSON.parse(stdout);
  expect(code).toBe(1);
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ code: "DIRECTORY_UNREADABLE", file: `usr/plugins/${plugin}` }),
  );
  expect(diagnostics).toContainEqual(
    expect.objectContaining({ code: "LOAD_UNREADABLE", file: `usr/tools/${"t".repeat(40)}.ts` }),
  );
  expect(await run("call", "word_count", "path=a.txt")).toMatchObject({ code: 0 });
});

describe("what stops a command is one sentence", () => {
  const sentence = /^toolroom: [^\n]+\n$/;

  test("a profile that is switched off", async () => {
    const root = makeTree({ ...GOOD, "usr/agents/default/agent.yaml": "enabled: false\n" });
    const { code, stdout, stderr } = await runMain(["list"], { cwd: root });
    expect(stderr).toMatch(/PROFILE_DISABLED/);
    expect(stderr).toMatch(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("a key that is missing", async () => {
    for (const [model, variable] of [
      ["openai/gpt-5", "OPENAI_API_KEY"],
      ["anthropic/claude", "ANTHROPIC_API_KEY"],
      ["google/gemini", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ] as const) {
      const { code, stdout, stderr } = await runMain(["run", "hi", "--model", model], { cwd: rootOf({ tree: {} }) });
      expect(stderr).toContain(variable);
      expect(stderr).toMatch(sentence);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    }
  });

  test("a settings file that names no usable model", async () => {
    const root = makeTree({ ...GOOD, "usr/settings.yaml": "model: nonsense\n" });
    const { code, stderr } = await runMain(["run", "hi"], { cwd: root });
    expect(stderr).toMatch(/expected a model as provider\/model .*found "nonsense"/);
    expect(stderr).toMatch(sentence);
    expect(code).toBe(2);
  });
});
