import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeTree, manifest, type Tree } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const PLUGIN = "usr/plugins/acme";
const MODULE = `${PLUGIN}/tools/greet.ts`;
const FRAGMENT = `${PLUGIN}/prompts/agent.system.tool.greet.md`;
const TEST = `${PLUGIN}/tests/greet.test.ts`;
const PAGE = `${PLUGIN}/README.md`;

/** A tool with one parameter of a name. */
function greet({ parameter = "name", statics = "", body = "" } = {}): string {
  return `import { Tool, z } from "toolroom";
const parameters = z.object({ ${parameter}: z.string().describe("whom to greet") });
export default class Greet extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  ${statics}
  async execute({ ${parameter} }: z.infer<typeof parameters>) {
    ${body}
    return this.success(\`Hello, \${${parameter}}.\`);
  }
}
`;
}

const FILES: Tree = {
  "usr/plugins/.gitkeep": "",
  ".gitignore": "/usr/.cache/\n",
  [`${PLUGIN}/plugin.yaml`]: manifest("acme"),
  [MODULE]: greet(),
  [FRAGMENT]: "---\ndescription: Greets.\nreturns: a greeting\n---\nUse it to greet.\n\n- `name`: whom\n",
  [PAGE]: "# acme\n\n`greet` greets.\n",
  [TEST]: 'import { testTool } from "toolroom/testing";\ntestTool("../tools/greet.ts");\n',
};

/** A root with one commit, which a change lies over. */
async function changed(change: Tree, { gone = [], first = FILES }: { gone?: readonly string[]; first?: Tree } = {}) {
  const root = makeTree(first);
  git(root, "init", "-q");
  git(root, "add", "-A");
  git(root, "commit", "-qm", "first");
  for (const file of gone) rmSync(join(root, file));
  const house = await openHouse({}, { root });
  house.write(change);
  await house.host.reload();
  return {
    ...house,
    since: async (since = "HEAD") => (await house.host.check({ areas: ["dox"], since })).diagnostics,
  };
}

function git(cwd: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

describe("the rule of the same change", () => {
  it("asks for document, fragment and tests where a parameter has another name", async () => {
    const { since } = await changed({ [MODULE]: greet({ parameter: "whom" }) });
    const found = await since();
    expect(found.map(({ code, file }) => [code, file])).toEqual(
      [FRAGMENT, TEST, `${MODULE}.dox.md`].map((file) => ["CONTRACT_CHANGED_ALONE", file]),
    );
    expect(found[0]?.message).toContain("parameters (name is gone, whom is new)");
    expect(found[0]?.message).toContain("at HEAD");
  });

  it("is content when they are part of the change, a new file among them", async () => {
    const { since } = await changed({
      [MODULE]: greet({ parameter: "whom" }),
      [FRAGMENT]: `${FILES[FRAGMENT]}\nMore.\n`,
      [TEST]: `${FILES[TEST]}\n`,
      [`${MODULE}.dox.md`]: "# greet\n",
    });
    expect((await since()).filter(({ code }) => code === "CONTRACT_CHANGED_ALONE")).toEqual([]);
  });

  it.each([
    ["risk", { statics: 'static readonly risk = "high";' }, 'risk "medium" → "high"'],
    [
      "breakLoop",
      { body: 'if (1 > 2) return this.response({ message: "", breakLoop: true });' },
      "breakLoop false → true",
    ],
    ["error codes", { body: 'if (1 > 2) return this.failure("CONFLICT", "no");' }, 'error codes [] → ["CONFLICT"]'],
    ["safety", { statics: "static readonly untrusted = true;" }, "untrusted false → true"],
    ["output", { statics: "static readonly output = z.object({});" }, "output"],
  ])("counts %s as the contract", async (_, change, words) => {
    const { since } = await changed({ [MODULE]: greet(change) });
    const found = await since();
    expect(found).toHaveLength(3);
    expect(found[0]?.message).toContain(words);
  });

  it("lets a pure refactoring pass, and other words of a description", async () => {
    const body = "const unused = 1;\n    void unused;";
    const { since } = await changed({ [MODULE]: greet({ body }).replace("whom to greet", "the person") });
    expect(await since()).toEqual([]);
  });

  it("follows what a module imports", async () => {
    const helper = `${PLUGIN}/lib/refuse.ts`;
    const refuse = (code: string) =>
      `import { ToolError } from "toolroom";\nexport const refuse = () => new ToolError("${code}", "no");\n`;
    const module = `import { refuse } from "../lib/refuse.ts";\n${greet({ body: "if (1 > 2) throw refuse();" })}`;
    const first = { ...FILES, [MODULE]: module, [helper]: refuse("CONFLICT") };
    const { since } = await changed({ [helper]: refuse("TOO_LARGE") }, { first });
    expect((await since())[0]?.message).toContain('error codes ["CONFLICT"] → ["TOO_LARGE"]');
  });

  it("asks of a new tool that it comes whole", async () => {
    const wave = `${PLUGIN}/tools/wave.ts`;
    const { since } = await changed({ [wave]: greet() });
    const found = await since();
    expect(found.map(({ code }) => code)).toEqual([
      "CONTRACT_CHANGED_ALONE",
      "CONTRACT_CHANGED_ALONE",
      "CONTRACT_CHANGED_ALONE",
    ]);
    expect(found.every(({ message }) => message.includes("it is new"))).toBe(true);
  });

  it("says so when the tool as it was does not load", async () => {
    const first = { ...FILES, [MODULE]: "export default (" };
    const { since } = await changed({ [MODULE]: greet() }, { first });
    expect(await since()).toMatchObject([{ code: "CONTRACT_BEFORE_UNKNOWN", severity: "info", file: MODULE }]);
  });
});

describe("--since", () => {
  const broken: Tree = { [`${PLUGIN}/tools/.gitkeep`]: "", "tools/a.ts": greet(), "tools/b.ts": greet() };

  it("tells only what belongs to the change", async () => {
    const { host } = await changed({ "tools/b.ts": greet({ body: "void 0;" }) }, { first: { ...FILES, ...broken } });
    const all = await host.check({ areas: ["dox"] });
    expect(all.diagnostics.map(({ file }) => file)).toEqual(["tools/a.ts.dox.md", "tools/b.ts.dox.md"]);
    const some = await host.check({ areas: ["dox"], since: "HEAD" });
    expect(some.diagnostics.map(({ code, file }) => [code, file])).toEqual([["DOX_MISSING", "tools/b.ts.dox.md"]]);
  });

  it.each(["no-such-commit", "--help", ""])("refuses %j as wrong usage", async (rev) => {
    const { since } = await changed({});
    await expect(since(rev)).rejects.toMatchObject({ code: "USAGE", kind: "usage" });
  });

  it("refuses a root that lies in no repository", async () => {
    const { host } = await openHouse(FILES);
    await expect(host.check({ since: "HEAD" })).rejects.toMatchObject({ code: "USAGE", kind: "usage" });
  });

  it("sees names that git would quote, and what was taken away", async () => {
    const odd = `${PLUGIN}/docs/über "x".md`;
    const { since } = await changed({}, { first: { ...FILES, [odd]: "[a](b.md)\n" }, gone: [odd] });
    expect(await since()).toEqual([]);
  });
});
