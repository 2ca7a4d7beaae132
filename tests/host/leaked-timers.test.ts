import { describe, expect, it, vi } from "vitest";
import { manifest, toolSource } from "../helpers/tree.ts";
import { type House, openHouse } from "./house.ts";

const TOOL = "usr/plugins/ticker/tools/tick.ts";
const MANIFEST = { "usr/plugins/ticker/plugin.yaml": manifest("ticker") };

/** A tool with code at its top level and in its call. A mark makes another text of it. */
const tool = (mark: number, { top = "", body = "" }: { readonly top?: string; readonly body?: string }): string =>
  `import { Tool } from "toolroom";
${top}
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    ${body}
    return this.success("${mark}");
  }
}
`;

async function guarded(files: Record<string, string>): Promise<House> {
  return await openHouse({ ...MANIFEST, ...files }, { guard: true });
}

/** Calls the tool, and saves the next version. */
async function through({ host, write }: House, versions: readonly string[]): Promise<void> {
  for (const text of versions) {
    expect((await host.call("tick", {})).status).toBe("success");
    write({ [TOOL]: text });
    expect(await host.reload()).toMatchObject({ status: "ok" });
  }
}

const leaks = async ({ host }: House) => (await host.doctor()).leakedTimers;

describe("timers that a version of a module leaves running", () => {
  it("are told with plugin, file and generation: one that was made at the top level", async () => {
    const house = await guarded({
      [TOOL]: tool(0, { top: "(globalThis as any).leakTop = setInterval(() => {}, 1e6);" }),
    });
    expect(await leaks(house)).toEqual([]);
    await house.host.call("tick", {});
    expect(await leaks(house)).toEqual([]);
    house.write({ [TOOL]: toolSource("without") });
    await house.host.reload();
    expect(await leaks(house)).toEqual([{ file: TOOL, plugin: "ticker", generation: 1, timers: 1 }]);
    const { checks, health } = await house.host.doctor();
    const check = checks.find(({ name }) => name === "timers");
    expect(check).toMatchObject({ status: "warning" });
    expect(check?.message).toMatch(
      /^1 leaked timer runs on: 1 of the plugin ticker, usr\/plugins\/ticker\/.* generation 1$/,
    );
    expect(health).toBe("warning");
    clearInterval((globalThis as unknown as { leakTop: NodeJS.Timeout }).leakTop);
    expect(await leaks(house)).toEqual([]);
  });

  it("are counted for each version: those of calls, and of an extension", async () => {
    const body = "((globalThis as any).leakCalls ??= []).push(setInterval(() => {}, 1e6), setTimeout(() => {}, 1e6));";
    const versions = [1, 2, 3].map((mark) => tool(mark, { body }));
    const extension = "usr/plugins/ticker/extensions/tool_execute_after/_50_tick.ts";
    const house = await guarded({
      [TOOL]: tool(0, { body }),
      [extension]: `import { Extension } from "toolroom";
        ((globalThis as any).leakCalls ??= []).push(setInterval(() => {}, 1e6));
        export default class extends Extension<"tool_execute_after"> { execute() {} }`,
    });
    await through(house, versions);
    expect(await leaks(house)).toEqual(
      [1, 2, 3].map((generation) => ({ file: TOOL, plugin: "ticker", generation, timers: 2 })),
    );
    house.write({
      [extension]:
        'import { Extension } from "toolroom"; export default class extends Extension<"tool_execute_after"> { execute() {} }',
    });
    await house.host.reload();
    expect(await leaks(house)).toContainEqual({ file: extension, plugin: "ticker", generation: 4, timers: 1 });
    for (const timer of (globalThis as unknown as { leakCalls: NodeJS.Timeout[] }).leakCalls) clearTimeout(timer);
    expect(await leaks(house)).toEqual([]);
  });

  it("are none where they were tracked, cleared, have fired, or belong to a module that is still served", async () => {
    const house = await guarded({
      [TOOL]: tool(0, {
        body: `this.setInterval(() => {}, 1e6); this.setTimeout(() => {}, 1e6);
          clearInterval(setInterval(() => {}, 1e6));
          const raw = setInterval(() => {}, 1e6); this.onDispose(() => clearInterval(raw));
          await new Promise((resolve) => setTimeout(resolve, 1));`,
      }),
      "usr/tools/stays.ts": tool(0, { top: "(globalThis as any).leakStays = setInterval(() => {}, 1e6);" }),
    });
    await house.host.call("stays", {});
    await through(house, [tool(1, {}), tool(2, {})]);
    expect(await leaks(house)).toEqual([]);
    clearInterval((globalThis as unknown as { leakStays: NodeJS.Timeout }).leakStays);
  });

  it("are not looked for where the host leaves the process alone", async () => {
    const before = globalThis.setInterval;
    const house = await openHouse({
      ...MANIFEST,
      [TOOL]: tool(0, { body: "(globalThis as any).leakFree = setInterval(() => {}, 1e6);" }),
    });
    expect(globalThis.setInterval).toBe(before);
    await through(house, [toolSource("without")]);
    expect(await leaks(house)).toEqual([]);
    clearInterval((globalThis as unknown as { leakFree: NodeJS.Timeout }).leakFree);
  });
});

it("listeners that a tool gives back do not pile up over reloads", async () => {
  const warned = vi.fn();
  process.on("warning", warned);
  const listening = (mark: number) =>
    tool(mark, {
      body: 'const heard = () => {}; process.on("SIGUSR2", heard); this.onDispose(() => void process.off("SIGUSR2", heard));',
    });
  const house = await guarded({ [TOOL]: listening(0) });
  const before = process.listenerCount("SIGUSR2");
  await through(
    house,
    Array.from({ length: 12 }, (_, mark) => listening(mark + 1)),
  );
  expect(process.listenerCount("SIGUSR2")).toBe(before);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", warned);
  expect(warned.mock.calls.map(([{ name }]) => name)).not.toContain("MaxListenersExceededWarning");
});
