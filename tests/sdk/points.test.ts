import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { POINTS, type PointName } from "../../core/sdk/points.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const GUIDE = "plugins/_base/skills/toolroom-development/extension-points.md";
const points = Object.entries(POINTS) as [PointName, (typeof POINTS)[PointName]][];

/** The rows of the guide: point, mode and what may be replaced. */
const rows = readFileSync(join(HOME, GUIDE), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim()))
  .map(([, name = "", mode = "", replaces = ""]) => ({
    name: name.replaceAll("`", ""),
    mode,
    replaces: replaces === "–" ? [] : replaces.split(", ").map((field) => field.replaceAll("`", "")),
  }));

/** The source of the host without the table itself. */
const sources = readdirSync(join(HOME, "core"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "points.ts")
  .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

describe("the table of points", () => {
  it("is the guide's", () => {
    const told = points.map(([name, { mode, replaces }]) => ({ name, mode, replaces: [...replaces] }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(rows.toSorted(byName)).toEqual(told.toSorted(byName));
  });

  it("has a call site for each point, and no call site names another", () => {
    const named = (name: string) => sources.filter((source) => source.includes(`"${name}"`)).length;
    expect(points.filter(([name]) => named(name) === 0).map(([name]) => name)).toEqual([]);
    const run = sources.flatMap((source) =>
      [...source.matchAll(/\b(?:hooks|points)\.(?:run|has)\(\s*"([a-z_]+)"/g)].map(([, name]) => name),
    );
    expect(run.filter((name) => !Object.hasOwn(POINTS, name as string))).toEqual([]);
    expect(new Set(run).size).toBeGreaterThan(10);
  });

  it("has the points of the life cycle under their known names", () => {
    expect(points.map(([name]) => name).sort()).toEqual(
      `agent_init monologue_start monologue_end message_loop_start message_loop_prompts_before
       message_loop_prompts_after message_loop_result message_loop_end system_prompt before_main_llm_call
       reasoning_stream reasoning_stream_chunk reasoning_stream_end response_stream response_stream_chunk
       response_stream_end tool_execute_before tool_execute_after tool_output_update hist_add_before
       hist_add_tool_result error_format process_chain_end job_loop`
        .split(/\s+/)
        .sort(),
    );
  });
});
