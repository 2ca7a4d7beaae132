import { expect, it } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree } from "../helpers/tree.ts";

it("a prompt over its limit is told, shown with the budgets, and fails with --strict alone", async () => {
  const cwd = makeTree({
    "usr/plugins/.gitkeep": "",
    "usr/settings.yaml": "prompt: {maxTokens: 900, fragmentTokens: 500}\n",
  });
  const check = ["check", "fragments", "--profile", "default"];
  const told = await runMain(check, { cwd });
  expect(told).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("warning PROMPT_OVER_BUDGET the system prompt"),
  });
  expect(await runMain([...check, "--strict"], { cwd })).toMatchObject({ code: 1 });
  const { stdout } = await runMain(["prompt", "--tokens"], { cwd });
  expect(stdout).toMatch(/^part +tokens +budget\n/u);
  expect(stdout).toMatch(/\ncall_subordinate \(summary\) +\d+ +500\n/u);
  expect(stdout).toMatch(/\nwhole prompt +\d+ +900\n$/u);
});
