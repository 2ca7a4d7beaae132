import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONTRACTS } from "../../core/testing/contracts.ts";
import { PROJECT } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, writeTree } from "../helpers/tree.ts";

const ECHO = `import { Tool, z } from "toolroom";
const parameters = z.object({ word: z.string() });
export default class Echo extends Tool {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ word }) {
    return this.success(word);
  }
}
`;
const FRAGMENT =
  "---\ndescription: Says a word.\nexamples:\n  - say: Say hey\n    call: { word: hey }\n---\n## echo\n\nSays it.\n";

/** A plugin with a tool that says what it is told. */
const plugin = (name: string, more: Record<string, string>) => ({
  [`usr/plugins/${name}/plugin.yaml`]: manifest(name),
  [`usr/plugins/${name}/tools/${name}.ts`]: ECHO,
  [`usr/plugins/${name}/prompts/agent.system.tool.${name}.md`]: FRAGMENT,
  ...Object.fromEntries(Object.entries(more).map(([path, text]) => [`usr/plugins/${name}/${path}`, text])),
});

/** The plugin of the README, and its test. */
function pasteReadme(root: string): void {
  const readme = readFileSync(join(PROJECT, "README.md"), "utf8");
  const [, script = ""] = /```sh\n(mkdir -p usr\/plugins\/greetings[\s\S]*?)```/u.exec(readme) ?? [];
  execFileSync("sh", ["-c", script], { cwd: root });
  const [, path = "", text = ""] = /```ts\n\/\/ (usr\/\S+\.test\.ts)\n([\s\S]*?)```/u.exec(readme) ?? [];
  writeTree(root, { [path]: text });
}

/** It starts processes that start processes. */
const PATIENT = { timeout: 60_000 };

describe("toolroom test", () => {
  test(
    "runs the tests of all plugins, the contracts for a tool without any, and the commands of AGENTS.md",
    PATIENT,
    async () => {
      const verification =
        '# greetings\n\n## Verification\n\n- `node -e "console.log(process.cwd())"`\n- `node -e "process.exit(3)"`\n- `toolroom test greetings`\n';
      const root = makeTree({
        ...plugin("untold", {}),
        "usr/plugins/greetings/AGENTS.md": verification,
        "usr/plugins/greetings/tests/sums.test.ts":
          'import { expect, test } from "vitest";\ntest("sums", () => expect(1 + 1).toBe(3));\n',
      });
      pasteReadme(root);
      const { code, stdout, stderr } = await runMain(["test", "--json", "--root", root]);
      const outcome = JSON.parse(stdout);
      expect(outcome).toMatchObject({
        // The contracts for both tools, and the two cases of the README.
        tests: { passed: 2 * CONTRACTS.length + 2, failed: 1, files: 3 },
        commands: [{ exitCode: 0 }, { command: 'node -e "process.exit(3)"', exitCode: 3 }],
        diagnostics: [],
      });
      expect(code).toBe(1);
      expect(stderr).toContain("usr/plugins/untold/tools/untold.ts: no test runs it");
      expect(stderr).toContain("AssertionError: expected 2 to be 3");
      expect(stderr).toContain(`$ node -e "console.log(process.cwd())"\n${root}\n`);
      expect(readdirSync(join(root, "usr/.cache")).filter((name) => name.startsWith("test-"))).toEqual([]);
    },
  );

  test("runs the root's own tests as the root's configuration says", PATIENT, async () => {
    const root = makeTree({
      "plugins/_p/plugin.yaml": manifest("_p"),
      "plugins/_p/tools/p_tool.ts": ECHO,
      "plugins/_p/AGENTS.md": "## Verification\n\n`node --no-such-option x`\n",
      "tests/plugins/p/p.check.mjs": "",
      "tests/plugins/p/p-tool.test.mjs":
        'test("p", () => { if (process.env.TOOLROOM_TEST !== "1") throw new Error("no"); });\n',
      "tests/plugins/q/q.test.mjs": 'throw new Error("not asked for");\n',
      "vitest.config.mjs": 'export default { test: { globals: true, include: ["tests/**/*.test.mjs"] } };\n',
      "usr/settings.yaml": "{}",
    });
    const { code, stdout, stderr } = await runMain(["test", "p_tool", "--tests", "--root", root]);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/tests\/plugins\/p\/p-tool\.test\.mjs[\s\S]*\n1 passed, 0 failed\.\n$/u);
    expect(code).toBe(0);
  });

  test("with nothing to run it says so, and that is no failure", async () => {
    const root = makeTree({ "usr/settings.yaml": "{}" });
    const { code, stdout, stderr } = await runMain(["test", "--root", root]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: "0 passed, 0 failed.\n",
      stderr: "no tests: usr/plugins holds no plugin with a tool\n",
    });
    expect(existsSync(join(root, "usr/.cache/vite"))).toBe(false);
  });

  test.each([
    [["test", "nobody_has_it"], {}, /expected a plugin or a tool, found "nobody_has_it"/u],
    [["test", "a", "b"], {}, /takes one plugin or tool, found "a b"/u],
    [["test", "wait"], { TOOLROOM_TEST: "1" }, /was started by toolroom test/u],
  ])("wrong usage: %j", async (argv, env, words) => {
    const { code, stderr } = await runMain([...argv, "--root", PROJECT], { env: env as Record<string, string> });
    expect(code).toBe(2);
    expect(stderr).toMatch(words);
  });
});
