import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isStricter } from "../../core/governance/decide.ts";
import { narrowed } from "../../core/governance/risk-profile.ts";
import { createPolicy, ruleOn } from "../../core/governance/ruling.ts";
import { riskProfile } from "./profiles.ts";

const call = (level: "low" | "medium" | "high", args = {}) => ({
  names: ["shell"],
  args,
  role: undefined,
  risk: { level, reasons: [] },
});

describe("a ruling", () => {
  it("of a superior's risk profile counts where it is stricter", () => {
    const own = riskProfile({ level: "full", block_high_risk: false, auto_approve: ["shell"] });
    const above = riskProfile({ level: "supervised" });
    expect(ruleOn(call("medium"), createPolicy(own)).decision).toBe("run");
    expect(ruleOn(call("medium"), createPolicy(own, [above]))).toMatchObject({ decision: "ask", profile: above });
    expect(ruleOn(call("high"), createPolicy(own, [above])).decision).toBe("block");
    expect(ruleOn(call("medium"), createPolicy(above, [own])).decision).toBe("ask");
  });

  it("of the tool itself counts under every setting", () => {
    const policy = createPolicy(riskProfile({ level: "full", auto_approve: ["*"], block_high_risk: false }));
    const deny = { rule: "no_root", message: "not there" };
    const ruling = ruleOn({ ...call("low"), risk: { level: "low", reasons: [], deny } }, policy);
    expect(ruling).toMatchObject({ decision: "block", by: "deny" });
  });

  it("does not mean an answer by `*`, and does by its name", () => {
    const answer = { ...call("low"), names: ["response"], role: "answer" as const };
    expect(ruleOn(answer, createPolicy(riskProfile({ always_ask: ["*"] }))).decision).toBe("run");
    expect(ruleOn(answer, createPolicy(riskProfile({ always_ask: ["response"] }))).decision).toBe("ask");
  });
});

const entries = fc.array(
  fc.constantFrom("shell", "wait", "*", { shell: { command: "ls*" } }, { shell: { command: "*" } }),
  { maxLength: 3 },
);
const profile = fc
  .record({
    level: fc.constantFrom("read_only", "readonly", "supervised", "full"),
    block_high_risk: fc.boolean(),
    auto_approve: entries,
    always_ask: entries,
    allowed_tools: fc.array(fc.constantFrom("shell", "wait")),
    denied_tools: fc.array(fc.constantFrom("shell", "wait")),
  })
  .map((written) => riskProfile(written));

it("a child's decision is never wider than its parent's", () => {
  const calls = fc.record({
    risk: fc.constantFrom("low", "medium", "high"),
    command: fc.constantFrom("ls", "ls; rm", "rm"),
  });
  fc.assert(
    fc.property(profile, fc.array(profile, { minLength: 1, maxLength: 3 }), calls, (own, above, { risk, command }) => {
      const [first, ...rest] = above;
      if (!first) return true;
      const parent = ruleOn(call(risk, { command }), createPolicy(first, rest)).decision;
      const child = ruleOn(call(risk, { command }), createPolicy(own, above)).decision;
      return !isStricter(parent, child);
    }),
  );
});

it("what risk functions are shown of a child is never wider than its parent's", () => {
  fc.assert(
    fc.property(profile, profile, ({ values: own }, { values: above }) => {
      const both = narrowed(own, above);
      const order = ["read_only", "supervised", "full"];
      expect(order.indexOf(both.level)).toBe(Math.min(order.indexOf(own.level), order.indexOf(above.level)));
      expect(both.block_high_risk).toBe(own.block_high_risk || above.block_high_risk);
      expect(both.auto_approve.every((entry) => has(own.auto_approve, entry) && has(above.auto_approve, entry))).toBe(
        true,
      );
      for (const key of ["always_ask", "denied_tools", "excluded_tools"] as const) {
        expect([...own[key], ...above[key]].every((entry) => has(both[key], entry))).toBe(true);
      }
      for (const list of [own.allowed_tools, above.allowed_tools]) {
        if (list) expect(both.allowed_tools?.every((entry) => has(list, entry))).toBe(true);
      }
    }),
  );
});

function has(list: readonly unknown[], entry: unknown): boolean {
  return list.some((one) => JSON.stringify(one) === JSON.stringify(entry));
}
