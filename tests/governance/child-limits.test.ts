import { expect, it } from "vitest";
import { RISK_PROFILE_KEYS, type RiskProfileKeyName } from "../../core/discovery/risk-profile-keys.ts";
import { narrowed } from "../../core/governance/risk-profile.ts";
import type { Json } from "../../core/sdk/json.ts";
import { riskProfile } from "./profiles.ts";

const PUSH = { shell: { command: "git push*" } };
const READ = "/srv/read";
const WRITE = { path: "/srv/write", access: "write_only" };
const BOTH = { path: "/srv/both", access: "read_write" };

/** What a child says that would be wider than what its parent says, and what holds for it. */
const WIDER: readonly (readonly [what: string, key: RiskProfileKeyName, child: Json, parent: Json, holds: Json])[] = [
  ["more autonomy", "level", "full", "supervised", "supervised"],
  ["more autonomy than none", "level", "supervised", "readonly", "read_only"],
  ["high risk not blocked", "block_high_risk", false, true, true],
  ["calls that run without a question", "auto_approve", ["edit", PUSH], [PUSH], [PUSH]],
  ["no question where one is asked always", "always_ask", [], ["edit"], ["edit"]],
  ["more time for an answer", "approval_timeout_ms", 90_000, 1_000, 1_000],
  ["no question after text from outside", "ask_after_untrusted", false, true, true],
  ["secrets that leave", "leak_guard", "off", "block", "block"],
  ["a tool that is denied", "denied_tools", [], ["edit"], ["edit"]],
  ["a tool that is excluded", "excluded_tools", [], ["edit"], ["edit"]],
  ["a tool that is not allowed", "allowed_tools", ["edit", "list"], ["list"], ["list"]],
  ["all tools where some are allowed", "allowed_tools", [], ["list"], ["list"]],
  ["tools of which none is allowed", "allowed_tools", ["edit"], ["list"], []],
  ["more calls", "max_actions_per_hour", 9, 3, 3],
  ["calls without a limit", "max_actions_per_hour", "unlimited", 0, 0],
  ["more calls of a tool", "max_tool_actions_per_hour", { edit: 9 }, { edit: 1, "*": 5 }, { edit: 1, "*": 5 }],
  ["more cost in a day", "max_cost_per_day", 9, 1, 1],
  ["more cost in a month", "max_cost_per_month", "unlimited", 1, 1],
  ["a later warning", "cost_warning_percent", 99, 50, 50],
  ["models without a price", "unknown_price", "warn", "block", "block"],
  ["files outside of the workspace", "workspace_only", false, true, true],
  ["a root to read", "allowed_roots", [READ, BOTH], [BOTH], [BOTH]],
  ["a root to write", "allowed_roots", [WRITE], [], []],
  ["a root to write where it is to read", "allowed_roots", [{ path: READ, access: "read_write" }], [READ], []],
  ["a path that is forbidden", "forbidden_paths", [], ["/srv/keys"], ["/srv/keys"]],
  ["a command of the shell", "allowed_commands", ["ls", "npm"], ["ls"], ["ls"]],
  ["all commands of the shell", "allowed_commands", ["*"], ["ls"], ["ls"]],
  ["a command of low risk", "low_risk_commands", ["ls", "cat"], ["ls"], ["ls"]],
  ["a command that is denied", "denied_commands", [], ["curl"], ["curl"]],
  ["programs that nothing keeps in", "sandbox", "none", "required", "required"],
  ["a network for programs", "sandbox_network", true, false, false],
  ["a variable for programs", "env_passthrough", ["EDITOR", "PAGER"], ["PAGER"], ["PAGER"]],
];

it.each(WIDER)("a child is given no %s (%s)", (_, key, child, parent, holds) => {
  const [own, above] = [riskProfile({ [key]: child }), riskProfile({ [key]: parent })];
  expect(narrowed(own.values, above.values)[key]).toEqual(holds);
  // Whichever of the two stands above.
  const back = narrowed(above.values, own.values)[key];
  expect(sorted(back)).toEqual(sorted(holds));
});

it("every key has such a row", () => {
  const rows = new Set(WIDER.map(([, key]) => key));
  expect(Object.keys(RISK_PROFILE_KEYS).filter((key) => !rows.has(key as RiskProfileKeyName))).toEqual([]);
});

function sorted(value: Json | undefined): Json | undefined {
  return Array.isArray(value) ? [...value].sort() : value;
}
