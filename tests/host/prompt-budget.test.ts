import { expect, it } from "vitest";
import { scriptedModel, text } from "../helpers/scripted-model.ts";
import { manifest, type Tree, toolSource } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const words = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");

/** A plugin whose fragment is long. */
const longPlugin = (front: string): Tree => ({
  "usr/plugins/long/plugin.yaml": manifest("long"),
  "usr/plugins/long/tools/long.ts": toolSource("long"),
  "usr/plugins/long/prompts/agent.system.tool.long.md": `---\ndescription: Is long.\nsummary: a long story\n${front}---\n## long\n\n${words}\n`,
});

const ids = (shown: { readonly sections: readonly { readonly id: string; readonly shortened: boolean }[] }) =>
  shown.sections.filter(({ shortened }) => shortened).map(({ id }) => id);

it("gives the summary of a fragment that is over its budget, to every model and each time the same", async () => {
  const model = scriptedModel([[text('{"tool_name": "response", "tool_args": {"text": "ok"}}')]], { protocol: "json" });
  const { host, again } = await openHouse(longPlugin("budget: 100\n"), { model });
  const shown = await host.prompt();
  expect(shown.text).toContain("## long\n\na long story\n\nArguments: any object");
  expect(shown.text).not.toContain("word299");
  expect(shown.sections.find(({ id }) => id === "long")).toMatchObject({ budget: 100, shortened: true });
  expect(shown.diagnostics.map(({ code, file }) => [code, file])).toEqual([
    ["FRAGMENT_OVER_BUDGET", "usr/plugins/long/prompts/agent.system.tool.long.md"],
  ]);
  await host.run("hi");
  expect(await model.requests[0]?.system()).toBe(shown.text);
  expect((await (await again()).prompt()).text).toBe(shown.text);
});

it("keeps the whole prompt to the setting, the largest fragments first", async () => {
  const { host, write } = await openHouse(longPlugin(""));
  const whole = await host.prompt();
  expect(whole.maxTokens).toBeNull();
  expect(ids(whole)).toEqual([]);
  write({ "usr/settings.yaml": `prompt: {maxTokens: ${whole.tokens - 10}}\n` });
  await host.reload();
  const fitted = await host.prompt();
  expect(ids(fitted)).toEqual(["long"]);
  expect(fitted.maxTokens).toBe(whole.tokens - 10);
  expect(fitted.tokens).toBeLessThanOrEqual(whole.tokens - 10);
  expect(fitted.diagnostics.map(({ code }) => code)).toEqual(["PROMPT_OVER_BUDGET"]);
  expect(fitted.text).toMatch(/## word_count\n\nCounts /u);
  write({ "usr/settings.yaml": "prompt: {maxTokens: 10}\n" });
  await host.reload();
  const [finding, ...others] = (await host.prompt()).diagnostics;
  expect(others).toEqual([]);
  expect(finding?.message).toMatch(/expected at most 10 .* and \d+ more are given, which leaves \d+$/u);
});

it("keeps every fragment to the setting where it has no budget of its own", async () => {
  const { host } = await openHouse({
    ...longPlugin("budget: 5000\n"),
    "usr/settings.yaml": "prompt: {fragmentTokens: 230}\n",
  });
  const shown = await host.prompt();
  expect(ids(shown)).toEqual(["call_subordinate", "parallel"]);
  expect(shown.sections.find(({ id }) => id === "word_count")?.budget).toBe(230);
  expect(shown.sections.find(({ id }) => id === "long")?.budget).toBe(5000);
});
