import { atMost } from "../goals.mjs";
import { microsecondsEach } from "../harness.mjs";

const LISTED = 30;

/**
 * What the gate adds to a call: lists that name many tools, patterns with arguments, a static risk, limits. The baseline is the
 * same question to a policy that is not asked.
 */
export const policyShare = {
  name: "policy share of a call",
  against: "a policy that says yes",
  unit: "µs",
  rounds: 31,
  warmUp: () => 10,
  goal: () => atMost(3, "µs"),
  async setup({ context }) {
    const times = context.smoke ? 10 : 20_000;
    const { createGate } = await context.core("host/gate.js");
    const call = await callOf(context);
    const { Taint } = await context.core("governance/taint.js");
    const scope = { authority: await authorityOf(context), account: "bench", taint: new Taint() };
    // Nothing asks here.
    const approvals = { decide: () => ({ deny: { code: "NO_APPROVER", message: "" } }) };
    const gate = createGate({ limits: await limitsOf(context), approvals });
    const verdict = gate.authorise(call, scope);
    if (verdict.run !== true) throw new Error(`expected leave to run at once, found: ${JSON.stringify(verdict)}`);
    const yes = () => verdict;
    const end = { ran: true, code: undefined };
    return {
      ours: () => microsecondsEach(times, async () => gate.authorise(call, scope).ended(end)),
      baseline: () => microsecondsEach(times, async () => yes(call, scope)),
    };
  },
};

/** As every host has them: nothing is limited, the breaker and the e-stop are there. */
async function limitsOf(context) {
  const { createCallLimits } = await context.core("host/call-limits.js");
  const { createEstop } = await context.core("governance/estop.js");
  const estop = createEstop({ directories: ["/nowhere"], stop() {} });
  const window = { reserve: () => ({ release() {} }), used: () => 0 };
  return createCallLimits({ estop, window, metering: { refusal: () => undefined }, now: Date.now });
}

async function callOf(context) {
  const { declaredRisk } = await context.core("governance/call-risk.js");
  const tool = { id: "edit", contract: { risk: "medium", sends: [] }, cls: { risk: "medium" } };
  const args = { path: "docs/page.md", text: "words" };
  const risk = () => declaredRisk("medium", undefined);
  return { id: "c", tool, owner: "_bench", method: undefined, args, face: "cli", risk, signal: () => undefined };
}

/** As a host makes it of settings that say a good deal. */
async function authorityOf(context) {
  const { riskProfileOf } = await context.core("governance/risk-profile.js");
  const { createPolicy } = await context.core("governance/ruling.js");
  const names = Array.from({ length: LISTED }, (_, index) => `tool_${index}`);
  const written = {
    denied_tools: names,
    always_ask: [...names.slice(0, 5), { edit: { path: "src/*" } }],
    auto_approve: [...names.slice(5, 10), { edit: { path: "docs/*" } }],
  };
  const profile = riskProfileOf({
    profile: { id: "default", riskProfile: "default", faulty: false },
    settings: { get: () => written, sources: [] },
    tightenings: [],
  });
  const refusals = new Map(names.map((name) => [name, {}]));
  const known = ["edit", "Edit"];
  return {
    face: "cli",
    policy: createPolicy(profile),
    refusal: (id) => refusals.get(id),
    names: () => known,
    settings: { breaker: { failures: 3, restMs: 300_000 }, maxConcurrent: Number.POSITIVE_INFINITY },
  };
}
