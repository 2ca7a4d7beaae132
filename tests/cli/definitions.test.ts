import { expect, test } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree } from "../helpers/tree.ts";

const TOOL = `import { Tool } from "toolroom";
export default class Pick extends Tool {
  static readonly description = "Picks one.";
  static readonly parameters = { type: "object", properties: { "at[x]": { enum: [1, 2] } }, required: ["at[x]"] };
  async execute() { return this.success("picked"); }
}
`;

test("the definitions of a provider are on stdout, what became of the others on stderr", async () => {
  const cwd = makeTree({ "usr/plugins/.gitkeep": "", "usr/tools/pick.ts": TOOL });
  const google = await runMain(["list", "--definitions", "--provider", "google", "--json"], { cwd });
  expect(google.code).toBe(0);
  expect(JSON.parse(google.stdout)).toContainEqual({
    name: "pick",
    description: "Picks one.",
    parameters: {
      type: "object",
      properties: { "at[x]": { type: "number", description: "(enum: [1,2])" } },
      required: ["at[x]"],
    },
  });
  expect(google.stderr).toMatch(
    /usr\/tools\/pick\.ts info SCHEMA_REWRITTEN .* for google: \/properties\/at\[x\]: enum is said/,
  );

  const anthropic = await runMain(["list", "--definitions", "--provider", "anthropic", "--json"], { cwd });
  expect(JSON.parse(anthropic.stdout).map(({ name }: { name: string }) => name)).not.toContain("pick");
  expect(anthropic.stderr).toMatch(
    /usr\/tools\/pick\.ts warning SCHEMA_REFUSED .* to anthropic, .*\/properties\/at\[x\] at\[x\] is required/,
  );

  const plain = await runMain(["list", "--definitions", "--json"], { cwd });
  expect(JSON.parse(plain.stdout).map(({ name }: { name: string }) => name)).toContain("pick");
  expect(plain.stderr).not.toMatch(/SCHEMA_/);
});
