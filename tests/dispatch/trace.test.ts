import { describe, expect, it } from "vitest";
import { diagnostic } from "../../core/diagnostics.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import { z } from "../../core/sdk/schema.ts";
import { AGENT, only, tool, type WorkbenchOptions, workbench } from "./workbench.ts";

const parameters = z.object({ a: z.string() });
const demo = tool(
  function () {
    return this.success("done");
  },
  { parameters },
);

/** Stages 6 and 7 of a call that never ran. */
const REFUSED = ["normalise", "hist_add_tool_result", "hist_add_before", "bound", "record", "handleIntervention"];
/** The same once the tool's instance was asked. */
const TURNED_AWAY = [...REFUSED.slice(0, -1), "afterExecution", "handleIntervention"];
const PREPARED = [
  "resolve",
  "validate",
  "handleIntervention",
  "beforeExecution",
  "handleIntervention",
  "tool_execute_before",
];
const EXECUTED = [
  ...PREPARED,
  "authorise",
  "execute",
  "handleIntervention",
  "normalise",
  "tool_execute_after",
  "normalise",
  "hist_add_tool_result",
  "hist_add_before",
  "bound",
  "record",
  "afterExecution",
  "handleIntervention",
];

async function traceOf(options: WorkbenchOptions, args: unknown = { a: "x" }, name = "demo") {
  const bench = workbench({ tools: { demo }, ...options });
  const { error } = await bench.call(name, args);
  return { code: error?.code, trace: bench.trace };
}

describe("the golden trace", () => {
  it("of a call that succeeds", async () => {
    expect(await traceOf({})).toEqual({ code: undefined, trace: EXECUTED });
  });

  it("validates again what an extension replaced", async () => {
    const hooks: WorkbenchOptions["hooks"] = {
      tool_execute_before: (payload) => {
        payload.args = { a: "y" };
      },
    };
    const trace = [...PREPARED, "validate", ...EXECUTED.slice(PREPARED.length)];
    expect(await traceOf({ hooks })).toEqual({ code: undefined, trace });
  });

  it("of an unknown name without a fallback tool", async () => {
    expect(await traceOf({}, {}, "nothing")).toEqual({ code: "UNKNOWN_TOOL", trace: ["resolve", ...REFUSED] });
  });

  it("of an unknown name: the fallback tool lives the same life", async () => {
    const unknown = tool(function () {
      return this.failure("UNKNOWN_TOOL", "no such tool");
    });
    const bench = { tools: { demo, unknown }, fallback: "unknown" };
    expect(await traceOf(bench, {}, "nothing")).toEqual({ code: "UNKNOWN_TOOL", trace: EXECUTED });
  });

  it("of a file that did not load", async () => {
    const broken = diagnostic("LOAD_SYNTAX", { file: "tools/broken.ts", line: 3, message: "expected )" });
    expect(await traceOf({ tools: { broken } }, {}, "broken")).toEqual({
      code: "TOOL_LOAD_FAILED",
      trace: ["resolve", ...REFUSED],
    });
  });

  it("of a tool that this call may not use", async () => {
    expect(await traceOf({ env: only("other") })).toEqual({
      code: "DENIED_BY_POLICY",
      trace: ["resolve", ...REFUSED],
    });
  });

  it("of arguments that do not fit: nobody is asked for leave", async () => {
    expect(await traceOf({}, { b: 1 })).toEqual({ code: "INVALID_PARAM", trace: ["resolve", "validate", ...REFUSED] });
    expect(await traceOf({}, '{"a":')).toEqual({ code: "INVALID_JSON", trace: ["resolve", "validate", ...REFUSED] });
  });

  it("of a veto", async () => {
    const hooks: WorkbenchOptions["hooks"] = {
      tool_execute_before: (payload) => {
        payload.deny = "no";
      },
    };
    expect(await traceOf({ hooks })).toEqual({ code: "DENIED_BY_EXTENSION", trace: [...PREPARED, ...TURNED_AWAY] });
  });

  it("of a refusal by policy", async () => {
    const authorise = () => ({ deny: { code: "NO_APPROVER", message: "nobody is there" } }) as const;
    expect(await traceOf({ env: { authorise } })).toEqual({
      code: "NO_APPROVER",
      trace: [...PREPARED, "authorise", ...TURNED_AWAY],
    });
  });

  it("of a throw, a deadline and a result that is none: all of them have run", async () => {
    const throws = tool(() => {
      throw new Error("boom");
    });
    const hangs = tool(() => new Promise(() => {}), { timeoutMs: 5 });
    const nothing = tool(() => undefined);
    for (const [made, code] of [
      [throws, "EXECUTION_ERROR"],
      [hangs, "TIMEOUT"],
      [nothing, "INVALID_RESULT"],
    ] as const) {
      expect(await traceOf({ tools: { demo: made } }, {})).toEqual({ code, trace: EXECUTED });
    }
  });

  it("of a call that was stopped before it began", async () => {
    const signal = AbortSignal.abort();
    expect(await traceOf({ env: { signal } })).toEqual({ code: "ABORTED", trace: REFUSED });
  });

  it("of an intervention at each of the checkpoints", async () => {
    const at = (position: number) => {
      let passed = 0;
      const handleIntervention = async () => {
        if (++passed === position) throw new ToolError("ABORTED", "a person spoke");
      };
      return { env: { agent: { ...AGENT, handleIntervention } } };
    };
    const first = ["resolve", "validate", "handleIntervention"];
    expect(await traceOf(at(1))).toEqual({ code: "ABORTED", trace: [...first, ...REFUSED] });
    const second = [...first, "beforeExecution", "handleIntervention"];
    expect(await traceOf(at(2))).toEqual({ code: "ABORTED", trace: [...second, ...TURNED_AWAY] });
    expect(await traceOf(at(3))).toEqual({ code: "ABORTED", trace: EXECUTED });
    expect(await traceOf(at(4))).toEqual({ code: undefined, trace: EXECUTED });
  });

  it("of what comes after a result that breaks the loop", async () => {
    const answer = tool(function () {
      return this.response({ message: "", breakLoop: true });
    });
    const bench = workbench({ tools: { answer, demo } });
    const requests = ["answer", "demo", "nothing"].map((name, index) => ({ id: `c${index}`, name, args: { a: "x" } }));
    const answered = { ...requests[0], args: {} } as (typeof requests)[0];
    const results = await bench.dispatcher.dispatchAll([answered, ...requests.slice(1)], bench.env);
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "SKIPPED", "SKIPPED"]);
    expect(bench.trace).toEqual([...EXECUTED, ...REFUSED, ...REFUSED]);
  });
});
