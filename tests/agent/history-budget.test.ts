import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHistory } from "../../core/agent/history.ts";
import { MAX_TURN_BYTES, turnCap } from "../../core/agent/history-budget.ts";
import { resultOf } from "./results.ts";

const KB = 1024;

/** A history that keeps what it spills. */
function spilling() {
  const files = new Map<string, string>();
  const spill = (name: string, text: string): string => {
    files.set(`spill/${name}`, text);
    return `spill/${name}`;
  };
  return { history: createHistory({ spill }), files };
}

function sizes({ messages }: Pick<ReturnType<typeof createHistory>, "messages">): number[] {
  return messages.flatMap((message) => (message.role === "tool" ? [Buffer.byteLength(message.content)] : []));
}

describe("the results of one turn", () => {
  it("are left alone while they fit", () => {
    const { history, files } = spilling();
    history.addUser("go");
    for (let call = 0; call < 4; call++) {
      history.addToolResult({ id: `${call}`, name: "t", args: {} }, resultOf("x".repeat(50 * KB)));
    }
    expect(sizes(history)).toEqual([50 * KB, 50 * KB, 50 * KB, 50 * KB]);
    expect(files.size).toBe(0);
  });

  it("are shortened, the largest first, and the whole of each lies in a file", () => {
    const { history, files } = spilling();
    history.addUser("go");
    const texts = [50, 3, 50, 48, 50, 2, 50].map((size, call) => `${call} begin ${"x".repeat(size * KB)} end ${call}`);
    for (const [call, text] of texts.entries()) {
      history.addToolResult({ id: `call_${call}`, name: "t", args: {} }, resultOf(text));
    }
    const now = sizes(history);
    expect(now.reduce((a, b) => a + b)).toBeLessThanOrEqual(MAX_TURN_BYTES);
    expect([now[1], now[5]]).toEqual([texts[1]?.length, texts[5]?.length]);
    for (const [call, { content }] of history.messages.slice(1).entries()) {
      const path = /the whole is in (\S+) …/u.exec(content)?.[1];
      if (path === undefined) continue;
      expect(files.get(path)).toBe(texts[call]);
      expect(content.startsWith(`${call} begin`)).toBe(true);
      expect(content.endsWith(`end ${call}`)).toBe(true);
      expect(content.match(/bytes left out/gu)).toHaveLength(1);
      expect(content).toContain(`of ${texts[call]?.length} bytes left out`);
    }
  });

  it("never share a file, though their calls have one id and come at once", () => {
    const { history, files } = spilling();
    history.addUser("go");
    const texts = Array.from({ length: 8 }, (_, call) => `${call}`.repeat(45 * KB));
    for (const text of texts) history.addToolResult({ id: "call_1", name: "t", args: {} }, resultOf(text));
    const named = history.messages.flatMap(({ content }) => /the whole is in (\S+) …/u.exec(content)?.[1] ?? []);
    expect(new Set(named).size).toBe(named.length);
    expect(named.length).toBeGreaterThan(4);
    for (const [name, text] of files) expect(texts, name).toContain(text);
  });

  it("that were cut before keep the file that they name", () => {
    const { history, files } = spilling();
    history.addUser("go");
    const truncated = { originalBytes: 900_000, keptBytes: 50 * KB, path: "spill/first.txt" };
    const context = { tool: "t", owner: "core", generation: 1, cwd: ".", args: {}, truncated };
    for (let call = 0; call < 5; call++) {
      history.addToolResult({ id: `${call}`, name: "t", args: {} }, resultOf("x".repeat(50 * KB), { context }));
    }
    const cut = history.messages.filter(({ content }) => content.includes("bytes left out"));
    expect(cut.length).toBeGreaterThan(0);
    for (const { content } of cut)
      expect(content).toMatch(/of 900000 bytes left out; the whole is in spill\/first\.txt/);
    expect(files.size).toBe(0);
  });

  it("of a turn before do not count, and are not touched", () => {
    const { history } = spilling();
    for (const turn of ["a", "b", "c"]) {
      history.addUser(turn);
      for (let call = 0; call < 3; call++) {
        history.addToolResult({ id: `${turn}${call}`, name: "t", args: {} }, resultOf("x".repeat(50 * KB)));
      }
    }
    expect(new Set(sizes(history))).toEqual(new Set([50 * KB]));
  });

  it("fit, whatever their sizes are", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 60 * KB }), { maxLength: 300 }), (given) => {
        const cap = turnCap(given);
        const sum = given.reduce((a, b) => a + Math.min(b, cap ?? Number.POSITIVE_INFINITY), 0);
        expect(sum).toBeLessThanOrEqual(MAX_TURN_BYTES);
        // Nothing is cut without need.
        if (cap === undefined) expect(given.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(MAX_TURN_BYTES);
      }),
    );
  });
});
