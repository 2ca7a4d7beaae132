import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALL_CODES, ToolError } from "../../core/sdk/errors.ts";
import { frozenJson } from "../../core/sdk/json.ts";
import type { ToolResult } from "../../core/sdk/result.ts";
import { z } from "../../core/sdk/schema.ts";
import { tool, workbench } from "./workbench.ts";

/** The contract that every face relies on, whatever was called and however it went. */
function expectResult(result: ToolResult): void {
  expect(frozenJson(result)).toHaveProperty("value");
  expect(Object.isFrozen(result) && Object.isFrozen(result.data) && Object.isFrozen(result.context)).toBe(true);
  expect(["success", "partial", "error"]).toContain(result.status);
  expect(result.error !== undefined).toBe(result.status === "error");
  if (result.error) expect(Object.keys(CALL_CODES)).toContain(result.error.code);
  expect(Number.isInteger(result.stats.durationMs) && result.stats.durationMs >= 0).toBe(true);
  expect(typeof result.message).toBe("string");
}

function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "{";
  }
}

const BEHAVIOURS: Readonly<Record<string, (value: unknown) => unknown>> = {
  returns: (value) => value,
  resolves: async (value) => value,
  throws: (value) => {
    throw value;
  },
  rejects: async (value) => await Promise.reject(value),
  toolError: (value) => {
    throw new ToolError("CONFLICT", String(value), { cause: value, data: { value } });
  },
};

describe("dispatch", () => {
  const parameters = z.object({ behaviour: z.string(), a: z.int().optional() });

  it("answers every request with one result of the contract", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom("odd", "odd:x", "Odd", "../odd", ""), fc.string()),
        fc.oneof(fc.constantFrom(...Object.keys(BEHAVIOURS)), fc.string()),
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSparseArray: true,
          withNullPrototype: true,
        }),
        async (name, behaviour, value) => {
          const odd = tool(({ behaviour: wanted }: { behaviour: string }) => BEHAVIOURS[wanted]?.(value), {
            parameters,
          });
          const bench = workbench({ tools: { odd } });
          expectResult(await bench.call(name, { behaviour }));
          expectResult(await bench.call(name, value));
          expectResult(await bench.call(name, asText(value)));
          expect(bench.lines).toHaveLength(3);
          expect(bench.events.filter(({ type }) => type === "tool_end")).toHaveLength(3);
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps calls at the same time apart, and warns nobody that there are many", async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on("warning", hear);
    const slow = tool(
      async function ({ behaviour, a = 0 }: { behaviour: string; a?: number }) {
        await new Promise((resolve) => setTimeout(resolve, a % 7));
        await this.setProgress(behaviour);
        return this.success(`${behaviour} ${this.progress} ${this.args.a}`);
      },
      { parameters },
    );
    const bench = workbench({ tools: { slow } });
    const results = await Promise.all(
      Array.from({ length: 50 }, async (_, a) => await bench.call("slow", { behaviour: `b${a}`, a })),
    );
    expect(results.map(({ message }) => message)).toEqual(Array.from({ length: 50 }, (_, a) => `b${a} b${a} ${a}`));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", hear);
    expect(warnings).toEqual([]);
  });
});
