import { describe, expect, it } from "vitest";
import { type AskedCall, alwaysAskMatch, covers } from "../../core/governance/approval-cover.ts";
import type { Match } from "../../core/governance/call-pattern.ts";
import { createPolicy } from "../../core/governance/ruling.ts";
import type { StandingApproval } from "../../core/sdk/approval.ts";
import { riskProfile } from "./profiles.ts";

const CALL: AskedCall = {
  tool: "shell",
  method: undefined,
  args: { command: "git status", timeout: 5 },
  hash: "h",
  modules: "m",
  risk: "medium",
  riskProfile: "default",
  session: "s",
  face: "cli",
  alwaysAsk: 0,
};
const COMMON = {
  id: "one",
  tool: "shell",
  risk: "medium",
  riskProfile: "default",
  face: "cli",
  modules: "m",
  shown: "",
  by: "ann",
  given: "2026-01-01T00:00:00.000Z",
} as const;
const SESSION: StandingApproval = { ...COMMON, scope: "session", session: "s", hash: "h" };
const PATTERN: StandingApproval = { ...COMMON, scope: "pattern", expires: "2026-01-01T01:00:00.000Z" };

describe("an approval that was given before", () => {
  it("covers no call of another tool, method, version, risk profile or face, and none of higher risk", () => {
    const others: Partial<AskedCall>[] = [
      { tool: "other" },
      { method: "run" },
      { modules: "n" },
      { riskProfile: "careful" },
      { face: "mcp" },
      { risk: "high" },
    ];
    for (const approval of [SESSION, PATTERN]) {
      expect(covers(approval, CALL)).toBe(true);
      expect(covers(approval, { ...CALL, risk: "low" })).toBe(true);
      for (const other of others) expect(covers(approval, { ...CALL, ...other }), JSON.stringify(other)).toBe(false);
    }
  });

  it("for a session is one for exactly its call, there, whatever `always_ask` says", () => {
    expect(covers(SESSION, { ...CALL, session: "t" })).toBe(false);
    expect(covers(SESSION, { ...CALL, hash: "i" })).toBe(false);
    expect(covers(SESSION, { ...CALL, alwaysAsk: 3 })).toBe(true);
    expect(covers(PATTERN, { ...CALL, session: "t", hash: "i" })).toBe(true);
  });

  it("of a pattern means what an entry of `auto_approve` means", () => {
    const of = (args: StandingApproval["args"]): StandingApproval => ({ ...PATTERN, ...(args ? { args } : {}) });
    const command = (text: string, alwaysAsk: Match = 0): AskedCall => ({
      ...CALL,
      args: { command: text },
      alwaysAsk,
    });
    const git = of({ command: "git *" });
    expect(covers(git, command("git log"))).toBe(true);
    for (const other of ["rm -rf .", "git log; rm -rf .", "git log\nrm -rf .", "git $(rm -rf .)"]) {
      expect(covers(git, command(other)), other).toBe(false);
    }
    expect(covers(of({ command: "git *", timeout: 5 }), command("git log"))).toBe(false);
    const matches: readonly Match[] = [0, 1, 2, 3];
    expect(matches.map((match) => covers(of(undefined), command("rm -rf .", match)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    expect(matches.map((match) => covers(git, command("git log", match)))).toEqual([true, true, true, false]);
  });
});

describe("how exactly `always_ask` means a call", () => {
  it("is told of all risk profiles that hold for the agent", () => {
    const policy = createPolicy(riskProfile({ always_ask: ["*"] }), [
      riskProfile({ always_ask: [{ shell: { command: "rm *" } }, "other"] }),
    ]);
    const match = (name: string, command: string) => alwaysAskMatch({ names: [name], args: { command } }, policy);
    expect([match("shell", "rm x"), match("shell", "ls"), match("other", "ls")]).toEqual([3, 1, 2]);
    expect(alwaysAskMatch({ names: ["shell"], args: {} }, createPolicy(riskProfile({})))).toBe(0);
  });
});
