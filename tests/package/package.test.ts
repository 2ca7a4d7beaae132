import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, test } from "vitest";
import { bareEnvironment, PROJECT, watchProcess } from "../helpers/cli.ts";
import { makeTree, manifest, toolSource, writeTree } from "../helpers/tree.ts";

const COUNTED = "README.md: 3 lines, 5 words, 24 characters.";

const tarball = pack();
const consumer = install(tarball);
const installed = join(consumer, "node_modules/toolroom");

/** Packs the project as `npm publish` would, without the set-up, which has run before all tests. */
function pack(): string {
  const directory = makeTree({}, "toolroom-pack-");
  const { status, stderr } = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", directory], {
    cwd: PROJECT,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm pack failed:\n${stderr}`);
  const [name = ""] = readdirSync(directory);
  return join(directory, name);
}

/**
 * What `npm install <tarball>` makes of an empty folder, without asking a registry: the package, its dependencies
 * (and nothing that only our tests need), and the links to its programs.
 */
function install(file: string): string {
  const root = makeTree({}, "toolroom-consumer-");
  const modules = join(root, "node_modules");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  spawnSync("tar", ["-xzf", file, "-C", modules]);
  spawnSync("mv", [join(modules, "package"), join(modules, "toolroom")]);
  const { packages } = JSON.parse(readFileSync(join(PROJECT, "package-lock.json"), "utf8"));
  for (const [path, { dev }] of Object.entries<{ dev?: boolean }>(packages)) {
    // `@types/node` is what a consumer in TypeScript has, `vitest` what one has that tests his tools.
    const wanted = /^node_modules\/(@[^/]+\/)?[^/]+$/u.test(path) && (!dev || /\/(@types\/node|vitest)$/u.test(path));
    if (!wanted || !existsSync(join(PROJECT, path))) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(PROJECT, path), join(root, path));
  }
  const { bin } = JSON.parse(readFileSync(join(modules, "toolroom/package.json"), "utf8"));
  for (const [name, path] of Object.entries<string>(bin)) {
    symlinkSync(join("..", "toolroom", path), join(modules, ".bin", name));
  }
  writeTree(root, {
    "package.json": '{ "private": true, "type": "module" }\n',
    "README.md": "# one\n\nthree more words\n",
  });
  return root;
}

const configuration = makeTree({}, "toolroom-config-");

/** Runs a program in the consumer's folder, as `npx` finds it. */
async function npx(program: string, ...args: string[]) {
  const { PATH, ...env } = bareEnvironment({ XDG_CONFIG_HOME: configuration });
  const path = `${join(consumer, "node_modules/.bin")}:${PATH}`;
  const child = spawn(program, args, { cwd: consumer, env: { ...env, PATH: path }, stdio: "pipe" });
  return await watchProcess(child).outcome;
}

describe("the tarball", () => {
  const files = spawnSync("tar", ["-tzf", tarball], { encoding: "utf8" })
    .stdout.trimEnd()
    .split("\n")
    .map((path) => path.replace(/^package\//u, ""));

  test("holds what the host needs and what people read", () => {
    for (const path of [
      "README.md",
      "LICENSE",
      "tools/response.ts",
      "tools/response.ts.dox.md",
      "plugins/_files/tools/word_count.ts",
      "plugins/_base/skills/toolroom-development/SKILL.md",
      "agents/_example/agent.yaml",
      "prompts/agent.system.main.md",
      "dist/core/index.d.ts",
      "dist/core/testing/test-tool.d.ts",
      "dist/bundle/testing.js",
      "dist/bundle/probe-main.js",
    ])
      expect(files).toContain(path);
  });

  test("holds nothing else", () => {
    const top = new Set(files.map((path) => path.split("/")[0]));
    expect([...top].sort()).toEqual(
      [
        "LICENSE",
        "README.md",
        "README.zh-CN.md",
        "agents",
        "dist",
        "package.json",
        "plugins",
        "prompts",
        "tools",
      ].sort(),
    );
    expect(files.filter((path) => /(^|\/)(\.[^/]|tests?\/|usr\/)|\.test\.|\.map$|\.tgz$/u.test(path))).toEqual([]);
    expect(files.filter((path) => /^dist\//u.test(path) && !/\.(js|d\.ts)$/u.test(path))).toEqual([]);
  });

  test("has nothing that publint complains about", async () => {
    const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg as Record<string, unknown>))).toEqual([]);
  });

  test("its programs can be run", () => {
    for (const name of ["toolroom", "verify-dox"]) {
      expect(statSync(join(consumer, "node_modules/.bin", name)).mode & 0o111, name).not.toBe(0);
    }
  });
});

describe("installed into an empty folder", () => {
  test("it answers there, and writes nothing into a folder without usr/", async () => {
    const before = readdirSync(consumer);
    const { code, stdout, stderr } = await npx("toolroom", "run", "How many lines does README.md have?");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${COUNTED}\n`, stderr: "" });
    expect(readdirSync(consumer)).toEqual(before);
    expect(readdirSync(installed)).not.toContain("usr");
  });

  test("its content is checked and in order", async () => {
    expect(await npx("toolroom", "check")).toMatchObject({ code: 0, stderr: "" });
    expect(await npx("verify-dox", "--root", installed)).toEqual({
      code: 0,
      stdout: "dox: 0 errors, 0 warnings.\n",
      stderr: "",
    });
  });

  test("the folder's usr/plugins and agents/ work over the bundled content", async () => {
    const fragment =
      '---\ndescription: Shouts a word.\nexamples:\n  - say: Shout "hey"\n    call: { word: hey }\n---\n## shout\n\nShouts.\n';
    writeTree(consumer, {
      "usr/plugins/loud/plugin.yaml": manifest("loud"),
      "usr/plugins/loud/tools/shout.ts": `import { Tool, z } from "toolroom";
const parameters = z.object({ word: z.string() });
export default class Shout extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ word }: z.infer<typeof parameters>) {
    return this.success(word.toUpperCase());
  }
}
`,
      "usr/plugins/loud/prompts/agent.system.tool.shout.md": fragment,
      "usr/plugins/_files/config.yaml": "anything: true\n",
      "agents/chef/agent.yaml": "title: Chef\n",
      "agents/chef/tools/word_count.ts": toolSource("the chef counts"),
      "agents/chef/prompts/agent.system.main.role.md": "You are the chef.\n",
    });
    const { stderr: untrusted } = await npx("toolroom", "call", "shout", "word=hello");
    expect(untrusted).toMatch(/TOOL_LOAD_FAILED.*`toolroom trust /su);
    // As the README says for a folder of one's own.
    expect(readFileSync(join(installed, "README.md"), "utf8")).toMatch(/^npx toolroom trust /mu);
    expect(await npx("toolroom", "trust")).toMatchObject({ code: 0, stderr: "" });
    const shouted = await npx("toolroom", "run", 'Shout "hello"');
    expect(shouted).toEqual({ code: 0, stdout: "HELLO\n", stderr: "" });
    const [listing, chef, counted, prompt] = await Promise.all([
      npx("toolroom", "list", "--json", "--profile", "chef"),
      npx("toolroom", "call", "word_count", "--profile", "chef"),
      npx("toolroom", "call", "word_count", "path=README.md"),
      npx("toolroom", "prompt", "--profile", "chef"),
    ]);
    const listed = JSON.parse(listing.stdout);
    const places = Object.fromEntries(
      listed.tools.map((tool: { name: string; layer: { rank: number }; file: string }) => [
        tool.name,
        [tool.layer.rank, tool.file],
      ]),
    );
    expect(places.shout).toEqual([7, "usr/plugins/loud/tools/shout.ts"]);
    expect(places.word_count).toEqual([5, "agents/chef/tools/word_count.ts"]);
    // Below the root, so relative to it.
    expect(places.response).toEqual([8, "node_modules/toolroom/tools/response.ts"]);
    expect(chef.stdout).toBe("the chef counts\n");
    expect(counted.stdout).toBe(`${COUNTED}\n`);
    expect(prompt.stdout).toContain("You are the chef.");
  });

  test("the library of the README works, with the content's own Tool", async () => {
    const readme = readFileSync(join(PROJECT, "README.md"), "utf8");
    const sample = /```ts\n(import \{ createHost \}.*?)```/su.exec(readme)?.[1] ?? "";
    writeTree(consumer, { "sample.mjs": sample });
    const { code, stdout, stderr } = await npx("node", "sample.mjs");
    expect(stdout).toContain(`${COUNTED} {`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("its suite holds a tool of the folder to the contracts, with the Vitest of the folder", async () => {
    writeTree(consumer, {
      "usr/plugins/said/plugin.yaml": manifest("said"),
      "usr/plugins/said/tools/said.ts": toolSource("it is said"),
      "usr/plugins/said/prompts/agent.system.tool.said.md": "---\ndescription: Says it.\n---\n## said\n\nSays it.\n",
      "usr/plugins/said/tests/said.test.ts": `import { testTool } from "toolroom/testing";
testTool("../tools/said.ts", { cases: [{ name: "says it", expect: { message: "it is said" } }] });
`,
    });
    const vitest = join(consumer, "node_modules/vitest/vitest.mjs");
    const { code, stdout } = await npx("node", vitest, "run", "usr/plugins/said");
    expect(stdout).toMatch(/said\.test\.ts.*\(.*18 tests/u);
    expect(code).toBe(0);
  });

  test("its types hold for a consumer, without skipping the check of declarations", async () => {
    writeTree(consumer, {
      "consumer.ts": `import { createHost, type Host, HostError, Tool, type ToolResult, z } from "toolroom";
import { type ToolCase, testTool } from "toolroom/testing";

const parameters = z.object({ name: z.string(), times: z.number().default(1) });

export class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  async execute({ name, times }: z.infer<typeof parameters>): Promise<ToolResult> {
    const length: number = name.length * times;
    return this.success(name, { length });
  }
}

const cases: readonly ToolCase[] = [{ name: "greets", args: { name: "Ada" }, expect: { status: "success" } }];

export function tests(): void {
  testTool("./tools/greet.ts", { cases });
}

export async function main(): Promise<string> {
  const host: Host = await createHost({ root: "." });
  try {
    const { status, message } = await host.call("greet", { name: "Ada" });
    const { answer } = await host.run("hello");
    return status === "success" ? message : answer;
  } catch (error) {
    if (error instanceof HostError) return error.code;
    throw error;
  } finally {
    await host.close();
  }
}
`,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          target: "ES2022",
          module: "NodeNext",
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          types: ["node"],
        },
        files: ["consumer.ts"],
      }),
    });
    const compiler = join(PROJECT, "node_modules/typescript/bin/tsc");
    expect(await npx("node", compiler, "-p", ".")).toEqual({ code: 0, stdout: "", stderr: "" });
  });
});
