import { describe, expect, it } from "vitest";
import type { Match } from "../../core/governance/call-pattern.ts";
import { type Decision, decide } from "../../core/governance/decide.ts";

/** low, medium, high that is blocked, high that is not. */
const TABLE = `
  read_only  | run | block | block | block
  supervised | run | ask   | block | ask
  full       | run | run   | block | run
`;
const COLUMNS = [
  ["low", true],
  ["medium", true],
  ["high", true],
  ["high", false],
] as const;
const MATCHES: Readonly<Record<string, Match>> = { "-": 0, "g*": 1, name: 2, args: 3 };

/** What the patterns make of each: ask, run, nothing. auto_approve × always_ask. */
const PATTERNS = `
  auto_approve | always_ask | what asks | what runs
  -            | -          | ask       | run
  g*           | -          | run       | run
  name         | -          | run       | run
  args         | -          | run       | run
  -            | g*         | ask       | ask
  -            | name       | ask       | ask
  -            | args       | ask       | ask
  g*           | g*         | ask       | ask
  g*           | name       | ask       | ask
  g*           | args       | ask       | ask
  name         | g*         | ask       | ask
  name         | name       | ask       | ask
  name         | args       | ask       | ask
  args         | g*         | run       | run
  args         | name       | run       | run
  args         | args       | ask       | ask
`;

const levels = rows(TABLE).map(([level, ...cells]) => ({ level: level as "full", cells: cells as Decision[] }));

describe.each(levels)("$level", ({ level, cells }) => {
  describe.each(COLUMNS.map(([risk, blocks], index) => ({ risk, blocks, bare: cells[index] as Decision })))(
    "$risk risk, block_high_risk: $blocks, by itself: $bare",
    ({ risk, blocks, bare }) => {
      it.each(
        rows(PATTERNS)
          .slice(1)
          .map(([auto = "", always = "", asks, runs]) => ({ auto, always, asks, runs })),
      )("auto_approve $auto, always_ask $always", ({ auto, always, asks, runs }) => {
        const input = { autoApprove: MATCHES[auto] as Match, alwaysAsk: MATCHES[always] as Match };
        const { decision } = decide({ level, blockHighRisk: blocks, risk, ...input });
        expect(decision).toBe(bare === "block" ? "block" : bare === "ask" ? asks : runs);
      });
    },
  );
});

it("names the setting that a decision hangs on", () => {
  const base = { level: "supervised", blockHighRisk: true, risk: "medium", autoApprove: 0, alwaysAsk: 0 } as const;
  const by = (more: Partial<Parameters<typeof decide>[0]>) => decide({ ...base, ...more }).by;
  expect(by({})).toBe("level");
  expect(by({ risk: "high" })).toBe("block_high_risk");
  expect(by({ risk: "high", level: "read_only" })).toBe("level");
  expect(by({ risk: "high", blockHighRisk: false })).toBe("level");
  expect(by({ autoApprove: 2 })).toBe("auto_approve");
  expect(by({ risk: "low", alwaysAsk: 2 })).toBe("always_ask");
});

function rows(text: string): readonly (readonly string[])[] {
  return text
    .trim()
    .split("\n")
    .map((line) => line.split("|").map((cell) => cell.trim()));
}
