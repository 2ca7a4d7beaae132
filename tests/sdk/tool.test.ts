import { afterEach, describe, expect, it, vi } from "vitest";
import { isToolError, ToolError } from "../../core/sdk/errors.ts";
import { Extension, isExtensionClass } from "../../core/sdk/extension.ts";
import type { ToolResult } from "../../core/sdk/result.ts";
import { bindTool, isToolClass, Tool, type ToolCall } from "../../core/sdk/tool.ts";

class Sample extends Tool {
  execute(): ToolResult {
    return this.success("done", { n: 1 });
  }
}

function call(overrides: Partial<ToolCall["host"]> = {}): ToolCall {
  return {
    agent: {} as ToolCall["agent"],
    name: "sample",
    method: "load",
    args: Object.freeze({ a: 1, b: 2 }),
    message: "raw",
    loopData: { iteration: 0, extras: new Map(), lastResponse: "" },
    signal: new AbortController().signal,
    workspace: {} as ToolCall["workspace"],
    processes: {} as ToolCall["processes"],
    plan: undefined,
    log: {} as ToolCall["log"],
    config: {},
    host: {
      owner: "_files",
      generation: 3,
      requested: Object.freeze({ a: 1 }),
      elapsedMs: () => 7,
      pathResolved: () => "a.txt",
      publishProgress: (text) => text,
      onDispose: () => () => {},
      ...overrides,
    },
  };
}

function bound(overrides: Partial<ToolCall["host"]> = {}): Sample {
  const tool = new Sample();
  bindTool(tool, call(overrides));
  return tool;
}

describe("the builders", () => {
  it("say where, with what and for how long the call ran", () => {
    expect(bound().execute()).toEqual({
      status: "success",
      message: "done",
      breakLoop: false,
      data: { n: 1 },
      stats: { durationMs: 7 },
      context: { tool: "sample", owner: "_files", generation: 3, cwd: ".", args: { a: 1 }, pathResolved: "a.txt" },
    });
  });

  it("make partial results, failures and answers", () => {
    const tool = bound();
    expect(tool.partial("half")).toMatchObject({ status: "partial", data: {} });
    expect(tool.failure("NOT_FOUND", "nothing", { hint: "Look.", data: { tried: 1 } })).toMatchObject({
      status: "error",
      message: "NOT_FOUND: nothing\nLook.",
      data: { tried: 1 },
      error: { code: "NOT_FOUND", message: "nothing", hint: "Look." },
    });
    expect(tool.response({ message: "", breakLoop: true, additional: { k: 1 } })).toMatchObject({
      status: "success",
      message: "",
      breakLoop: true,
      additional: { k: 1 },
    });
  });

  it("refuse data that is not JSON where it is built", () => {
    expect(() => bound().success("m", { at: new Date() })).toThrow(
      /^data\/at must be JSON, found an instance of Date$/,
    );
  });
});

describe("the fields", () => {
  it("are there after binding, read-only, and not in the constructor", () => {
    const tool = bound();
    expect([tool.name, tool.method, tool.message]).toEqual(["sample", "load", "raw"]);
    expect(() => Object.assign(tool, { args: {} })).toThrow(TypeError);
    class Eager extends Sample {
      readonly early = this.name;
    }
    expect(() => new Eager()).toThrow(/not in its constructor/);
  });

  it("follow the call: what the host puts in late is seen", () => {
    const tool = new Sample();
    let args = { key: "placeholder" };
    bindTool(tool, {
      ...call(),
      get args() {
        return args;
      },
    });
    args = { key: "value" };
    expect(tool.args).toEqual({ key: "value" });
  });
});

describe("progress", () => {
  it("is what the extensions made of it, and can be cleared", async () => {
    const tool = bound({ publishProgress: async (text) => text.toUpperCase() });
    await tool.setProgress("half");
    expect(tool.progress).toBe("HALF");
    await tool.setProgress("");
    expect(tool.progress).toBe("");
  });

  it("is kept at once when nobody awaits it, and additions meanwhile stay", async () => {
    const tool = bound({ publishProgress: async (text) => text.toUpperCase() });
    const published = tool.setProgress("half");
    expect(tool.progress).toBe("half");
    tool.addProgress(" and more");
    tool.addProgress("");
    await published;
    expect(tool.progress).toBe("HALF and more");
  });

  it("is never overwritten by an earlier text that took longer", async () => {
    const release: (() => void)[] = [];
    const tool = bound({
      publishProgress: (text) => new Promise((resolve) => release.push(() => resolve(text.toUpperCase()))),
    });
    const first = tool.setProgress("a");
    const second = tool.setProgress("ab");
    release[1]?.();
    await second;
    release[0]?.();
    await first;
    expect(tool.progress).toBe("AB");
  });

  it("takes what plain JavaScript may give", async () => {
    const tool = bound();
    await tool.setProgress(undefined as unknown as string);
    expect(tool.progress).toBe("");
  });
});

describe("tracked timers", () => {
  afterEach(() => void vi.useRealTimers());

  it("are cleared on disposal and forgotten once they have fired", () => {
    vi.useFakeTimers();
    const disposers = new Set<() => unknown>();
    const tool = bound({
      onDispose(dispose) {
        disposers.add(dispose);
        return () => void disposers.delete(dispose);
      },
    });
    let ticks = 0;
    tool.setTimeout(() => ticks++, 10);
    tool.setInterval(() => ticks++, 10);
    expect(disposers.size).toBe(2);
    vi.advanceTimersByTime(10);
    expect([ticks, disposers.size]).toEqual([2, 1]);
    for (const dispose of disposers) dispose();
    vi.advanceTimersByTime(100);
    expect(ticks).toBe(2);
  });
});

describe("brands", () => {
  it("recognise classes and errors of another copy of the SDK", async () => {
    vi.resetModules();
    const other = await import("../../core/index.ts");
    expect(other.Tool).not.toBe(Tool);
    class Foreign extends other.Tool {
      execute() {
        return this.success("from afar");
      }
    }
    expect(isToolClass(Foreign)).toBe(true);
    expect(isExtensionClass(Foreign)).toBe(false);
    expect(isToolError(new other.ToolError("TIMEOUT", "late"))).toBe(true);
    const tool = new Foreign() as unknown as Tool;
    bindTool(tool, call());
    expect(await tool.execute({})).toMatchObject({ message: "from afar", context: { owner: "_files" } });
  });

  it("refuse everything else", () => {
    class Plain {
      execute() {}
    }
    for (const value of [Plain, {}, null, undefined, () => 1, "Tool"]) {
      expect(isToolClass(value)).toBe(false);
      expect(isExtensionClass(value)).toBe(false);
    }
    expect(isToolError(new Error("x"))).toBe(false);
    expect(isToolError(new ToolError("TIMEOUT", "x"))).toBe(true);
    class Sees extends Extension<"tool_execute_before"> {
      execute() {}
    }
    expect(isExtensionClass(Sees)).toBe(true);
  });
});
