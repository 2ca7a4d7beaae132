import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { POINTS } from "../../core/sdk/points.ts";
import { call, reasoning, scriptedModel, text } from "../helpers/scripted-model.ts";
import type { Tree } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const GUIDE = fileURLToPath(
  new URL("../../plugins/_base/skills/toolroom-development/extension-points.md", import.meta.url),
);

declare global {
  var heard: string[] | undefined;
}

beforeEach(() => {
  globalThis.heard = [];
});
afterEach(() => {
  globalThis.heard = undefined;
});

/** The module of an extension at a point. */
const extension = (point: string, body: string) =>
  `import { Extension } from "toolroom";\nexport default class extends Extension<"${point}"> {\n  async execute(payload: any, { agent }: any) { ${body} }\n}\n`;
/** One that notes that it ran, at every point. */
const everywhere = (stem: string): Tree =>
  Object.fromEntries(
    Object.keys(POINTS).map((point) => [
      `usr/extensions/${point}/${stem}.ts`,
      extension(point, `globalThis.heard.push("${point}");`),
    ]),
  );
const at = (point: string, body: string, stem = "_50_test"): Tree => ({
  [`usr/extensions/${point}/${stem}.ts`]: extension(point, body),
});

describe("extensions of a root", () => {
  it("run at every point of a turn, in the golden order", async () => {
    const replies = [
      [reasoning("a long thought, long enough"), call("word_count", { path: "a.txt" })],
      [text("One line, as far as I can see.")],
    ];
    const model = scriptedModel(replies);
    const { host } = await openHouse(everywhere("_50_all"), { model, workspaceFiles: { "a.txt": "x\n" } });
    expect(await host.run("How long is a.txt?")).toMatchObject({ answer: "One line, as far as I can see." });
    const round = [
      "message_loop_start",
      "message_loop_prompts_before",
      "system_prompt",
      "message_loop_prompts_after",
      "before_main_llm_call",
    ];
    const ended = ["reasoning_stream_end", "response_stream_end", "message_loop_result", "hist_add_before"];
    expect(globalThis.heard).toEqual([
      ...["agent_init", "hist_add_before", "monologue_start"],
      ...[...round, "reasoning_stream_chunk", "reasoning_stream", ...ended],
      ...["tool_output_update", "tool_execute_before", "tool_execute_after", "hist_add_tool_result", "hist_add_before"],
      ...["message_loop_end", ...round, "response_stream_chunk", "response_stream", ...ended],
      ...["message_loop_end", "monologue_end", "process_chain_end"],
    ]);
    expect(new Set(globalThis.heard).size).toBe(Object.keys(POINTS).length - 2);
    expect(host.diagnostics()).toEqual([]);
  });

  it("see the agent whose turn it is", async () => {
    const note = "globalThis.heard.push([agent.profile, agent.context.face, agent.history.length].join());";
    const { host } = await openHouse(at("monologue_end", note), { model: scriptedModel([[text("ok")]]) });
    await host.run("hi");
    expect(globalThis.heard).toEqual(["default,library,2"]);
  });

  it("close the gate where they fail, and are passed over elsewhere", async () => {
    const files = {
      ...at("tool_execute_before", 'throw new Error("gate fell");'),
      ...at("message_loop_start", 'throw new Error("no matter");'),
    };
    const model = scriptedModel([[call("word_count", { path: "a.txt" })], [text("done")]]);
    const { host } = await openHouse(files, { model, workspaceFiles: { "a.txt": "x\n" } });
    expect(await host.run("go")).toMatchObject({ answer: "done", calls: [{ status: "error" }] });
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/^DENIED_BY_EXTENSION: .*gate fell/);
    expect(host.diagnostics().map(({ code, file }) => `${code} ${file?.split("/")[2]}`)).toEqual([
      "EXTENSION_FAILED message_loop_start",
      "EXTENSION_FAILED tool_execute_before",
    ]);
  });

  it("at a point that does not exist are told of before anything runs", async () => {
    const { host } = await openHouse(at("message_loop_begin", ""));
    const file = "usr/extensions/message_loop_begin/_50_test.ts";
    const { diagnostics } = await host.list();
    expect(diagnostics).toMatchObject([{ code: "EXTENSION_POINT_UNKNOWN", severity: "warning", file }]);
    const { winner, candidates } = await host.explain("message_loop_begin/_50_test", { kind: "extension" });
    expect(winner).toBeNull();
    expect(candidates).toMatchObject([{ file, state: "refused" }]);
  });

  it("of the guide work as they are printed", async () => {
    const [, source = ""] = /```ts\n([\s\S]*?)```/.exec(readFileSync(GUIDE, "utf8")) ?? [];
    const { host } = await openHouse(
      { "usr/extensions/tool_execute_before/_50_private.ts": source },
      { workspaceFiles: { "private/a.txt": "x\n", "b.txt": "x\n" } },
    );
    const denied = await host.call("file_read", { path: "private/a.txt" });
    expect(denied.error).toMatchObject({
      code: "DENIED_BY_EXTENSION",
      message: expect.stringContaining("private/ is none of our business"),
    });
    expect(await host.call("file_read", { path: "b.txt" })).toMatchObject({ status: "success" });
  });
});

describe("jobs", () => {
  it("are done once a minute, one round after the other, until the host is closed", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const { host } = await openHouse(at("job_loop", "globalThis.heard.push('round ' + payload.round + agent);"));
      const until = async (rounds: number) => {
        while (globalThis.heard?.length !== rounds) await new Promise((resolve) => setTimeout(resolve, 1));
        // The round is over a moment after its extensions.
        await new Promise((resolve) => setTimeout(resolve, 20));
      };
      vi.advanceTimersByTime(59_000);
      expect(globalThis.heard).toEqual([]);
      for (const rounds of [1, 2]) {
        vi.advanceTimersByTime(60_000);
        await until(rounds);
      }
      expect(globalThis.heard).toEqual(["round 1undefined", "round 2undefined"]);
      await host.close();
      vi.advanceTimersByTime(600_000);
      await until(2);
    } finally {
      vi.useRealTimers();
    }
  });
});

it("the guide names the file that this test reads", () => {
  const skill = readFileSync(join(GUIDE, "../SKILL.md"), "utf8");
  expect(skill).toContain("`extension-points.md`");
});
