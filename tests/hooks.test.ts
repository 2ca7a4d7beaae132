import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Diagnostic, diagnostic } from "../core/diagnostics.ts";
import { createHooks, type HookCandidate, type LoadedExtension } from "../core/hooks.ts";
import { Extension } from "../core/sdk/extension.ts";
import type { PointMap, PointName } from "../core/sdk/points.ts";

type Execute<Point extends PointName> = (payload: PointMap[Point], signal: AbortSignal) => void | Promise<void>;

/** An extension class whose `execute` is `fn`. */
function extension<Point extends PointName>(fn: Execute<Point>): LoadedExtension {
  class Made extends Extension<Point> {
    execute(payload: PointMap[Point], { signal }: { signal: AbortSignal }) {
      return fn(payload, signal);
    }
  }
  return { cls: Made as unknown as new () => Extension<PointName> };
}

/** Hooks over extensions by id (`<point>/<stem>`), in the order given. */
function hooksOf(extensions: Record<string, LoadedExtension>, options: { deadlineMs?: number; ranks?: number[] } = {}) {
  const found: Diagnostic[] = [];
  const candidates = Object.keys(extensions).map(
    (id, index): HookCandidate => ({
      id: id.split("#")[0] as string,
      file: `/root/${id}`,
      path: `extensions/${id}.ts`,
      layer: { rank: options.ranks?.[index] ?? 8, path: "." },
    }),
  );
  const hooks = createHooks({
    candidates: (point) => candidates.filter(({ id }) => id.startsWith(`${point}/`)),
    load: async ({ file }) => extensions[file.slice("/root/".length)] as LoadedExtension,
    report: (item) => found.push(item),
    mapError: () => ({ line: 7 }),
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  });
  return { hooks, found };
}

const context = { agent: undefined, signal: new AbortController().signal };
const update = (content: string) => ({ toolName: "t", content });
const beforeCall = (args = {}) => ({ toolName: "t", method: undefined, args });
const append = (text: string) =>
  extension<"tool_output_update">((payload) => {
    payload.content += text;
  });

describe("a point without extensions", () => {
  it("gives the payload back at once, as it is", () => {
    const { hooks } = hooksOf({});
    const payload = update("x");
    expect(hooks.has("tool_output_update")).toBe(false);
    expect(hooks.run("tool_output_update", payload, context)).toEqual({ payload });
  });
});

describe("order", () => {
  it("is that of the file stems, whatever the order of the listing", async () => {
    const entries = ["_10_a", "_9_b", "z", "_50_c", "B", "a"].map(
      (stem) => [`tool_output_update/${stem}`, append(` ${stem}`)] as const,
    );
    for (const listing of [entries, [...entries].reverse()]) {
      const { hooks } = hooksOf(Object.fromEntries(listing));
      const { payload } = await hooks.run("tool_output_update", update(""), context);
      expect(payload.content).toBe(" B _10_a _50_c _9_b a z");
    }
  });

  it("is that of the layers where stems are the same", async () => {
    const { hooks } = hooksOf(
      { "tool_output_update/a#low": append(" low"), "tool_output_update/a#high": append(" high") },
      { ranks: [8, 3] },
    );
    expect((await hooks.run("tool_output_update", update(""), context)).payload.content).toBe(" high low");
  });
});

describe("a waterfall", () => {
  it("passes over what fails with all that it changed, and blames it", async () => {
    const { hooks, found } = hooksOf({
      "hist_add_before/_1_ok": extension<"hist_add_before">((payload) => {
        payload.content = { list: [1] };
      }),
      "hist_add_before/_2_bad": extension<"hist_add_before">((payload) => {
        (payload.content as { list: number[] }).list.push(99);
        throw new Error("boom");
      }),
      "hist_add_before/_3_ok": extension<"hist_add_before">(
        (payload) => void (payload.content as { list: number[] }).list.push(2),
      ),
    });
    const { payload, denied } = await hooks.run("hist_add_before", { ai: false, content: {} }, context);
    expect(payload).toEqual({ ai: false, content: { list: [1, 2] } });
    expect(denied).toBeUndefined();
    expect(found).toMatchObject([
      {
        severity: "error",
        code: "EXTENSION_FAILED",
        file: "extensions/hist_add_before/_2_bad.ts",
        line: 7,
        message: expect.stringMatching(/boom$/),
      },
    ]);
  });

  it("leaves alone fields that the point does not let go", async () => {
    const { hooks } = hooksOf({
      "tool_output_update/a": extension<"tool_output_update">((payload) => {
        Object.assign(payload, { toolName: "other", extra: 1, content: "new" });
      }),
    });
    const { payload } = await hooks.run("tool_output_update", update("old"), context);
    expect(payload).toEqual({ toolName: "t", content: "new" });
  });

  it("goes on after a deadline; what comes late changes nothing", async () => {
    let fired = false;
    let release = () => {};
    const { hooks, found } = hooksOf(
      {
        "tool_output_update/_1_slow": extension<"tool_output_update">(async (payload, signal) => {
          signal.addEventListener("abort", () => {
            fired = true;
          });
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          payload.content = "late";
        }),
        "tool_output_update/_2_ok": append("!"),
      },
      { deadlineMs: 5 },
    );
    const { payload } = await hooks.run("tool_output_update", update("x"), context);
    release();
    await Promise.resolve();
    expect([payload.content, fired]).toEqual(["x!", true]);
    expect(found).toMatchObject([
      { code: "EXTENSION_FAILED", message: expect.stringMatching(/did not settle within 5 ms/) },
    ]);
  });

  it("has fifteen seconds where nothing else is said", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { hooks, found } = hooksOf({
      "tool_output_update/a": extension<"tool_output_update">(() => new Promise<void>(() => {})),
    });
    const running = Promise.resolve(hooks.run("tool_output_update", update("x"), context));
    await vi.advanceTimersByTimeAsync(14_999);
    expect(found).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect((await running).payload.content).toBe("x");
    expect(found).toMatchObject([{ code: "EXTENSION_FAILED" }]);
  });

  it("counts what the caller cannot take as a failure of who left it", async () => {
    const { hooks, found } = hooksOf({
      "tool_output_update/a": append(" bad"),
      "tool_output_update/b": append(" good"),
    });
    const check = ({ content }: { content: string }) => (content.includes("bad") ? "no bad words" : undefined);
    const { payload } = await hooks.run("tool_output_update", update("x"), { ...context, check });
    expect(payload.content).toBe("x good");
    expect(found).toMatchObject([
      { file: "extensions/tool_output_update/a.ts", message: expect.stringMatching(/no bad words$/) },
    ]);
  });

  it("tells why a file did not load in the words of the loader", async () => {
    const reason = diagnostic("LOAD_SYNTAX", { file: "extensions/x.ts", line: 3, message: "expected )" });
    const { hooks, found } = hooksOf({
      "tool_output_update/a": { diagnostic: reason },
      "tool_output_update/b": append("!"),
    });
    expect((await hooks.run("tool_output_update", update("x"), context)).payload.content).toBe("x!");
    expect(found).toEqual([reason]);
  });
});

describe("a veto", () => {
  it("may replace arguments, which the next one sees", async () => {
    const { hooks } = hooksOf({
      "tool_execute_before/a": extension<"tool_execute_before">((payload) => {
        payload.args = { ...payload.args, a: 1 };
      }),
      "tool_execute_before/b": extension<"tool_execute_before">((payload) => {
        payload.args = { ...payload.args, b: 2 };
      }),
    });
    const args = Object.freeze({});
    expect(await hooks.run("tool_execute_before", beforeCall(args), context)).toEqual({
      payload: beforeCall({ a: 1, b: 2 }),
    });
    expect(args).toEqual({});
  });

  it("is one word, and the next is not asked", async () => {
    let asked = false;
    const { hooks, found } = hooksOf({
      "tool_execute_before/_10_no": extension<"tool_execute_before">((payload) => {
        payload.deny = "not on Sundays";
      }),
      "tool_execute_before/_20_late": extension<"tool_execute_before">(() => {
        asked = true;
      }),
    });
    const { denied } = await hooks.run("tool_execute_before", beforeCall(), context);
    expect(denied).toEqual({ by: "_10_no", message: "not on Sundays" });
    expect([asked, found]).toEqual([false, []]);
  });

  it("is closed by an empty word, a throw, a deadline and a file that does not load", async () => {
    const reason = diagnostic("LOAD_THREW", { file: "x.ts", message: "top level threw" });
    const gates: Record<string, LoadedExtension> = {
      empty: extension<"tool_execute_before">((payload) => {
        payload.deny = "";
      }),
      throws: extension<"tool_execute_before">(() => {
        throw new Error("boom");
      }),
      hangs: extension<"tool_execute_before">(() => new Promise<void>(() => {})),
      broken: { diagnostic: reason },
      mutates: extension<"tool_execute_before">((payload) => void Object.assign(payload.args, { x: 1 })),
    };
    for (const [name, gate] of Object.entries(gates)) {
      const { hooks } = hooksOf({ [`tool_execute_before/${name}`]: gate }, { deadlineMs: 5 });
      const { denied, payload } = await hooks.run("tool_execute_before", beforeCall(Object.freeze({})), context);
      expect([denied?.by, payload.args]).toEqual([name, {}]);
    }
  });
});

describe("stopping", () => {
  it("is nobody's fault, but a gate stays closed", async () => {
    const controller = new AbortController();
    const hang = () => extension(() => new Promise<void>(() => controller.abort()));
    const { hooks, found } = hooksOf({ "tool_execute_before/a": hang(), "tool_output_update/a": hang() });
    const stopped = { agent: undefined, signal: controller.signal };
    expect((await hooks.run("tool_output_update", update("x"), stopped)).payload.content).toBe("x");
    expect((await hooks.run("tool_execute_before", beforeCall(), stopped)).denied).toMatchObject({ by: "a" });
    expect(found).toEqual([]);
  });
});
