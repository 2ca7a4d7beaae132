import { describe, expect, it, vi } from "vitest";
import type { EventMap } from "../../core/sdk/events.ts";
import { toolSource } from "../helpers/tree.ts";
import { type House, openHouse } from "./house.ts";

const TOOL = "usr/plugins/p/tools/goes_on.ts";
const MANIFEST = "name: p\ntitle: P\ndescription: P.\nversion: 1.0.0\n";

interface Stage {
  go?: () => unknown;
  readonly seen: unknown[];
}

/** Where a tool of a test leaves what it wants to do later. */
function stageOf(name: string): Stage {
  const stages = globalThis as unknown as Record<string, Stage>;
  stages[name] ??= { seen: [] };
  return stages[name];
}

/** A tool that leaves `work` behind, to be done when the test says so. */
const leaves = (stage: string, work: string): string => `import { Tool } from "toolroom";
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    const { agent, log, workspace } = this;
    const stage = (globalThis as any)[${JSON.stringify(stage)}];
    stage.go = () => { ${work} };
    return this.success("begun");
  }
}
`;

/** A host in which version 1 of a tool left `work` behind, and version 2 is served. */
async function replaced(
  stage: string,
  work: string,
): Promise<House & { stage: Stage; stale: EventMap["stale_call"][] }> {
  const house = await openHouse({
    "usr/plugins/p/plugin.yaml": MANIFEST,
    [TOOL]: leaves(stage, work),
    "usr/tools/other.ts": toolSource("other"),
  });
  const stale: EventMap["stale_call"][] = [];
  house.host.on("stale_call", ({ tool, call, generation }) => void stale.push({ tool, call, generation }));
  const known = stageOf(stage);
  expect(await house.host.call("goes_on", {})).toMatchObject({ status: "success" });
  return { ...house, stage: known, stale };
}

async function reload({ host, write }: House, files: Record<string, string>): Promise<void> {
  write(files);
  expect(await host.reload()).toMatchObject({ status: "ok" });
}

describe("a tool that goes on after its version was retired", () => {
  const USES: readonly (readonly [call: string, work: string])[] = [
    ["setProgress", 'void this.setProgress("late")'],
    ["agent.tools", "void agent.tools().then(() => stage.seen.push(1))"],
    ["agent.skills", "void agent.skills().then(() => stage.seen.push(1))"],
    ["agent.handleIntervention", "void this.agent.handleIntervention().then(() => stage.seen.push(1))"],
    ["agent.profiles", "void agent.profiles().then(() => stage.seen.push(1))"],
    ["agent.delegate", 'void agent.delegate({ message: "go" }).then(() => stage.seen.push(1))'],
    ["agent.jobs", "void agent.jobs().wait().then(() => stage.seen.push(1))"],
    ["log.info", 'log.info("late"); this.log.info("late again")'],
    ["workspace.readText", 'void workspace.readText("nowhere").then(() => stage.seen.push(1))'],
    ["workspace.write", 'void this.workspace.write("late.txt", "").then(() => stage.seen.push(1))'],
    ["onDispose", "this.onDispose(() => stage.seen.push(0))"],
  ];

  it.each(USES)("is told once that %s was dropped, and nothing is thrown", async (call, work) => {
    const house = await replaced(`stale ${call}`, work);
    const { stage, stale, host } = house;
    await reload(house, { [TOOL]: toolSource("second") });
    const progress: unknown[] = [];
    host.on("tool_progress", (event) => progress.push(event));
    for (let time = 0; time < 3; time++) stage.go?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(stale).toEqual([{ tool: "goes_on", call, generation: 1 }]);
    expect(progress).toEqual([]);
    // What was to be disposed of later is disposed of at once.
    expect(stage.seen).toEqual(call === "onDispose" ? [0, 0, 0] : []);
    const [told, ...more] = host.diagnostics().filter(({ code }) => code === "STALE_CALL");
    expect(told?.message).toMatch(new RegExp(`^the tool goes_on of generation 1, .* used ${call};`));
    expect(more).toEqual([]);
  });

  it("has timers of its own that end at once", async () => {
    const house = await replaced("stale timers", "this.setInterval(() => stage.seen.push(1), 1)");
    await reload(house, { [TOOL]: toolSource("second") });
    house.stage.go?.();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(house.stage.seen).toEqual([]);
    expect(house.stale).toMatchObject([{ call: "onDispose" }]);
  });

  it("is not meant as long as its version is served, whatever else changes", async () => {
    const house = await replaced("not stale", "void agent.tools().then(() => stage.seen.push(1))");
    for (const word of ["one", "two"]) await reload(house, { "usr/tools/other.ts": toolSource(word) });
    house.stage.go?.();
    await vi.waitFor(() => expect(house.stage.seen).toEqual([1]), { timeout: 15_000 });
    expect(house.stale).toEqual([]);
    await reload(house, { [TOOL]: toolSource("second") });
    house.stage.go?.();
    expect(house.stale).toEqual([{ tool: "goes_on", call: "agent.tools", generation: 3 }]);
  });

  it("is told with its last generation where that was kept because the next did not load", async () => {
    const house = await replaced("kept", 'void this.setProgress("late")');
    house.write({ [TOOL]: "export default" });
    expect(await house.host.reload()).toMatchObject({ status: "failed", to: 2 });
    house.stage.go?.();
    expect(house.stale).toEqual([]);
    await reload(house, { [TOOL]: toolSource("third") });
    house.stage.go?.();
    expect(house.stale).toEqual([{ tool: "goes_on", call: "setProgress", generation: 2 }]);
  });
});
