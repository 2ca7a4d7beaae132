import { describe, expect, it } from "vitest";
import type { AuthoriseCall, Verdict } from "../../core/dispatch/environment.ts";
import { approvalHash } from "../../core/governance/approval-hash.ts";
import { Tool } from "../../core/sdk/tool.ts";
import { workbench } from "./workbench.ts";

let ran: unknown[] = [];
class Say extends Tool {
  static readonly output = { type: "object", properties: { words: { type: "string" } }, required: ["words"] };
  async execute(args: Record<string, unknown>) {
    ran.push(args);
    return this.success("said", args);
  }
}

const boundTo = ({ tool: { id, modules }, method, args }: AuthoriseCall): string =>
  approvalHash({ tool: id, method, args, modules });

function bench(authorise: (call: AuthoriseCall) => Verdict) {
  ran = [];
  return workbench({ tools: { say: Say }, env: { authorise } });
}

describe("a call that was approved", () => {
  it("runs when it is the one that was approved", async () => {
    const { call } = bench((asked) => ({ run: true, decision: "ask", bound: boundTo(asked) }));
    expect(await call("say", { words: "a" })).toMatchObject({ status: "success" });
    expect(ran).toEqual([{ words: "a" }]);
  });

  it("ends with APPROVAL_MISMATCH when it is another one: other arguments, another method, another version", async () => {
    const others: ((call: AuthoriseCall) => AuthoriseCall)[] = [
      (asked) => ({ ...asked, args: { words: "b" } }),
      (asked) => ({ ...asked, method: "once" }),
      (asked) => ({ ...asked, tool: { ...asked.tool, modules: "before" } }),
    ];
    for (const other of others) {
      const { call } = bench((asked) => ({ run: true, decision: "ask", bound: boundTo(other(asked)) }));
      const { error } = await call("say", { words: "a" });
      expect(error).toMatchObject({ code: "APPROVAL_MISMATCH", class: "policy", retryable: false });
      expect(ran).toEqual([]);
    }
  });

  it("has arguments that nobody can change in between", async () => {
    const { call } = bench((asked) => {
      const bound = boundTo(asked);
      expect(() => {
        (asked.args as { words: string }).words = "b";
      }).toThrow(TypeError);
      return { run: true, bound };
    });
    await call("say", { words: "a" });
    expect(ran).toEqual([{ words: "a" }]);
  });
});

describe("a call that a person answers in place of the tool", () => {
  it("gives that text, marked, whatever the tool would publish, and runs nothing", async () => {
    const { call, trace } = bench(() => ({ replace: { message: "by hand" } }));
    const result = await call("say", { words: "a" });
    expect(result).toMatchObject({ status: "success", message: "by hand", data: {}, context: { replaced: true } });
    expect(ran).toEqual([]);
    expect(trace).not.toContain("tool_execute_after");
  });
});
