import { describe, expect, it } from "vitest";
import { RISK_PROFILE_KEYS } from "../../core/discovery/risk-profile-keys.ts";
import { costLimits, periodEnd } from "../../core/governance/cost-limits.ts";
import { openHouse } from "../host/house.ts";
import { riskProfile } from "./profiles.ts";

const { narrow: least } = RISK_PROFILE_KEYS.max_actions_per_hour;

describe("limits of risk profiles", () => {
  it("narrow to the least, whichever is above", () => {
    expect([least(3, 5), least(5, 3), least("unlimited", 3), least(0, "unlimited")]).toEqual([3, 3, 3, 0]);
    expect(least("unlimited", "unlimited")).toBe("unlimited");
    const {
      max_tool_actions_per_hour: byTool,
      cost_warning_percent: percent,
      unknown_price: price,
    } = RISK_PROFILE_KEYS;
    expect(byTool.narrow({ a: 1, b: "unlimited" }, { a: 2, b: 3, c: 4 })).toEqual({ a: 1, b: 3, c: 4 });
    expect([percent.narrow(80, 50), price.narrow("warn", "block"), price.narrow("block", "warn")]).toEqual([
      50,
      "block",
      "block",
    ]);
  });

  it("of costs are the strictest of each kind, with the profile that says so", () => {
    const own = riskProfile({ max_cost_per_day: 5 });
    const above = riskProfile({ max_cost_per_day: 9, max_cost_per_month: 20 });
    expect(costLimits([own, above]).map(({ period, max, profile }) => [period, max, profile])).toEqual([
      ["day", 5, own],
      ["month", 20, above],
    ]);
    expect(costLimits([riskProfile({})])).toEqual([]);
  });

  it("are for days and months of UTC", () => {
    const at = Date.UTC(2026, 11, 31, 23, 59);
    expect(new Date(periodEnd("day", at)).toISOString()).toBe("2027-01-01T00:00:00.000Z");
    expect(new Date(periodEnd("month", at)).toISOString()).toBe("2027-01-01T00:00:00.000Z");
    expect(new Date(periodEnd("month", Date.UTC(2026, 1, 3))).toISOString()).toBe("2026-03-01T00:00:00.000Z");
  });

  it.each([
    ["max_actions_per_hour: many", 0],
    ["max_actions_per_hour: -1", 0],
    ["max_actions_per_hour: 1.5", 0],
    ["max_tool_actions_per_hour: 5", { "*": 0 }],
    ["max_tool_actions_per_hour: { shell: few }", { "*": 0 }],
    ["max_cost_per_day: 5 EUR", 0],
    ["max_cost_per_month: -3", 0],
    ["unknown_price: ask", "block"],
    ["cost_warning_percent: 120", 80],
  ])("that are not what they should be (%s) are errors, and permit nothing", async (line, value) => {
    const { host } = await openHouse({ "usr/settings.yaml": `risk_profiles:\n  default:\n    ${line}\n` });
    const key = line.split(":")[0] ?? "";
    expect(host.diagnostics()).toContainEqual(
      expect.objectContaining({ code: "SETTINGS_INVALID", severity: "error", line: 3 }),
    );
    const { settings, fault } = await host.policy.show();
    expect(settings.find((one) => one.key === key)?.value).toEqual(value);
    expect(fault).toContain(key);
  });

  it.each([
    ["tools: { maxConcurrent: 0 }", "tools.maxConcurrent: expected a whole number above 0, or unlimited, found 0"],
    [
      "tools: { breakerFailures: -1 }",
      "tools.breakerFailures: expected a whole number above 0, or 0 for never, found -1",
    ],
    ["tools: { breakerRestMs: soon }", 'tools.breakerRestMs: expected a whole number above 0, found text "soon"'],
    ["models: { prices: { a/b: 3 } }", "models.prices: expected a mapping of provider/model to { input, output }"],
    ["models: { prices: { a/b: { input: 3 } } }", "models.prices: expected a mapping"],
    ["models: { prices: { a/b: { input: 3, output: -1 } } }", "models.prices: expected a mapping"],
  ])("of the host are checked, too (%s)", async (text, message) => {
    const { host } = await openHouse({ "usr/settings.yaml": text });
    expect(host.diagnostics()).toContainEqual(
      expect.objectContaining({ code: "SETTINGS_INVALID", line: 1, message: expect.stringContaining(message) }),
    );
  });
});
