import { describe, expect, it } from "vitest";
import { approvalHash, type BoundCall } from "../../core/governance/approval-hash.ts";

const CALL: BoundCall = { tool: "say", method: undefined, args: { a: 1, b: { c: [1, "x"] } }, modules: "m" };

describe("what an approval is bound to", () => {
  it("is the same for the same call, in whatever order its arguments stand", () => {
    expect(approvalHash({ ...CALL, args: { b: { c: [1, "x"] }, a: 1 } })).toBe(approvalHash(CALL));
  });

  it("differs with the tool, the method, any argument and the content of the modules", () => {
    const others: Partial<BoundCall>[] = [
      { tool: "said" },
      { method: "once" },
      { args: { a: 1, b: { c: ["x", 1] } } },
      { args: { a: "1", b: { c: [1, "x"] } } },
      { args: { a: 1, b: { c: [1, "x"] }, d: null } },
      { args: {} },
      { modules: "n" },
    ];
    const hashes = [CALL, ...others.map((other) => ({ ...CALL, ...other }))].map(approvalHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("cannot be told of what has no canonical form", () => {
    expect(() => approvalHash({ ...CALL, args: { a: "\ud800" } })).toThrow(TypeError);
  });
});
