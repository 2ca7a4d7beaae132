import { expect, it } from "vitest";
import { type CallRisk, declaredRisk, raisedRisk, weighedRisk } from "../../core/governance/call-risk.ts";
import { ToolError } from "../../core/sdk/errors.ts";
import type { Risk } from "../../core/sdk/tool.ts";

const weigh = (risk: unknown) =>
  weighedRisk(risk as Risk, {
    args: { n: 2 },
    context: () => ({ policy: { level: "full" } }) as never,
    run: (work) => work(),
  });

it.each(["low", "medium", "high"] as const)("is what the tool declares: %s", (level) => {
  expect(declaredRisk(level, undefined)).toEqual({ level, reasons: ["the tool says so of all its calls"] });
});

it("is medium where nothing is declared, and low for a tool that answers for the agent", () => {
  expect(declaredRisk(undefined, undefined)).toMatchObject({ level: "medium" });
  expect(declaredRisk(undefined, "answer")).toMatchObject({ level: "low" });
  expect(declaredRisk(undefined, "fallback")).toMatchObject({ level: "low" });
  expect(declaredRisk("high", "answer")).toMatchObject({ level: "high" });
});

it("is what the tool's function says of the arguments and the policy", async () => {
  const risk: Risk = (args, { policy }) => ({ level: "low", reasons: [`${args.n} under ${policy.level}`] });
  expect(weigh(risk)).toEqual({ level: "low", reasons: ["2 under full"] });
  expect(await weigh(async () => ({ level: "high", reasons: [] }))).toEqual({ level: "high", reasons: [] });
  const deny = { rule: "no_twos", message: "two is one too many" };
  expect(weigh(() => ({ level: "low", reasons: [], deny }))).toEqual({ level: "low", reasons: [], deny });
});

it.each<[string, unknown]>([
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  ["rejects", async () => Promise.reject(new Error("broken"))],
  ["answers nothing", () => undefined],
  ["answers a word", () => "low"],
  ["answers another level", () => ({ level: "tiny", reasons: [] })],
  ["gives no reasons", () => ({ level: "low" })],
  ["gives reasons that are no texts", () => ({ level: "low", reasons: [1] })],
  ["denies without a rule", () => ({ level: "low", reasons: [], deny: { message: "no" } })],
  ["denies by a word", () => ({ level: "low", reasons: [], deny: "no" })],
  ["denies by null", () => ({ level: "low", reasons: [], deny: null })],
])("is high, with the reason, where the function %s", async (_, risk) => {
  const { level, reasons } = await weigh(risk);
  expect({ level, reasons }).toEqual({
    level: "high",
    reasons: [expect.stringMatching(/own risk function (?:failed|gave)/u)],
  });
});

it.each(["ACCESS_DENIED", "PERMISSION_DENIED", "INVALID_PARAM", "CONFLICT"] as const)(
  "is a refusal where the function comes upon what the call would end with: %s",
  async (code) => {
    const error = new ToolError(code, "not this one");
    const risk = await weigh(async () => Promise.reject(error));
    expect(risk).toEqual({ level: "high", reasons: ["not this one"], refusal: error });
    // No content says so by its answer.
    expect(weigh(() => ({ level: "low", reasons: [], refusal: error }))).toEqual({ level: "low", reasons: [] });
  },
);

it.each(["TIMEOUT", "NOT_FOUND", "EXECUTION_ERROR"] as const)("is high where it fails with %s", async (code) => {
  const risk = await weigh(async () => Promise.reject(new ToolError(code, "broken")));
  expect(risk).toEqual({ level: "high", reasons: ["the tool's own risk function failed: broken"] });
});

it("can be raised from outside, and never lowered", () => {
  const risk: CallRisk = { level: "medium", reasons: ["own"] };
  expect(raisedRisk(risk, "low", "hint")).toBe(risk);
  expect(raisedRisk(risk, "medium", "hint")).toEqual({ level: "medium", reasons: ["own", "hint"] });
  expect(raisedRisk(risk, "high", "hint")).toEqual({ level: "high", reasons: ["hint"] });
});
