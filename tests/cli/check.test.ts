import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatReport } from "../../core/cli/check-formats.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { PROJECT } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree } from "../helpers/tree.ts";

const finding: Diagnostic = {
  severity: "error",
  code: "LOAD_SYNTAX",
  file: "usr/plugins/a b/tools/x,y.ts",
  line: 4,
  column: 2,
  message: "50 % off:\nexpected a ), found ;",
  hint: "Close it.",
};
const note: Diagnostic = { severity: "info", code: "TOOL_UNMET", message: "not on" };
const report = { diagnostics: [finding, note], fixed: [], summary: { errors: 1, warnings: 0, infos: 1 } };

function badRoot(): string {
  const root = makeTree({ "usr/plugins/.gitkeep": "" });
  cpSync(join(PROJECT, "tests/cases/check-load-syntax/tree"), root, { recursive: true });
  return root;
}

describe("the formats of check", () => {
  it("github: workflow commands with what the form uses escaped", () => {
    expect(formatReport(report, { format: "github", areas: ["contracts"] }).split("\n")).toEqual([
      "::error file=usr/plugins/a b/tools/x%2Cy.ts,line=4,col=2,title=LOAD_SYNTAX::50 %25 off:%0Aexpected a ), found ;%0AClose it.",
      "::notice title=TOOL_UNMET::not on",
      "contracts: 1 error, 0 warnings.",
    ]);
  });

  it("sarif: one log with the rules and the places", () => {
    const log = JSON.parse(formatReport(report, { format: "sarif", areas: [] }));
    expect(log).toMatchObject({ version: "2.1.0", runs: [{ tool: { driver: { name: "toolroom" } } }] });
    const [run] = log.runs;
    expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(["LOAD_SYNTAX", "TOOL_UNMET"]);
    expect(run.results[0]).toMatchObject({
      ruleId: "LOAD_SYNTAX",
      ruleIndex: 0,
      level: "error",
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: "usr/plugins/a%20b/tools/x%2Cy.ts", uriBaseId: "%SRCROOT%" },
            region: { startLine: 4, startColumn: 2 },
          },
        },
      ],
    });
    expect(run.results[1]).toMatchObject({ level: "note", locations: [] });
  });

  it("text: file:line first", () => {
    expect(formatReport(report, { format: "text", areas: ["a", "b"] })).toMatch(
      /^usr\/plugins\/a b\/tools\/x,y\.ts:4:2 error LOAD_SYNTAX/u,
    );
  });
});

describe("check", () => {
  it("tells the place and fails; in each format and as JSON", async () => {
    const cwd = badRoot();
    const text = await runMain(["check", "contracts"], { cwd });
    expect(text.code).toBe(1);
    expect(text.stdout).toContain("usr/plugins/acme/tools/greet.ts:4:");
    const json = await runMain(["check", "contracts", "--json"], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({ summary: { errors: 1 }, diagnostics: [{ line: 4 }], fixed: [] });
    const github = await runMain(["check", "contracts", "--format", "github"], { cwd });
    expect(github.stdout).toMatch(/^::error file=usr\/plugins\/acme\/tools\/greet\.ts,line=4/u);
  });

  it("fails on warnings with --strict only", async () => {
    const cwd = makeTree({ "usr/plugins/acme/tools/x.ts": "" });
    expect(await runMain(["check", "plugins"], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("PLUGIN_NO_MANIFEST"),
    });
    expect(await runMain(["check", "plugins", "--strict"], { cwd })).toMatchObject({ code: 1 });
  });

  it("--baseline is taken from where the person is", async () => {
    const root = badRoot();
    const cwd = join(root, "usr");
    expect(await runMain(["check", "contracts", "--baseline", "known.json"], { cwd })).toMatchObject({ code: 2 });
    const written = await runMain(["check", "contracts", "--fix", "--baseline", "known.json"], { cwd });
    expect(written).toMatchObject({ code: 0, stderr: "usr/known.json: write the baseline\n" });
    expect(await runMain(["check", "contracts", "--baseline", "known.json"], { cwd })).toMatchObject({ code: 0 });
  });

  it.each([
    [["check", "everything"], /"everything" is not an area of check; the areas are dox, /],
    [["check", "--format", "xml"], /"xml" is not a format of check; the formats are text, github, sarif/],
  ])("%j is wrong usage", async (argv, says) => {
    const { code, stdout, stderr } = await runMain(argv, { cwd: makeTree({ "usr/plugins/.gitkeep": "" }) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(says);
  });
});
