import { describe, expect, it } from "vitest";
import { createActionWindow } from "../../core/governance/action-window.ts";
import { type CallRisk, declaredRisk } from "../../core/governance/call-risk.ts";
import { deniedByList, nobodyToAsk } from "../../core/governance/denials.ts";
import { createEstop } from "../../core/governance/estop.ts";
import { createPolicy } from "../../core/governance/ruling.ts";
import { Taint } from "../../core/governance/taint.ts";
import type { Approvals } from "../../core/host/approvals.ts";
import type { Authority } from "../../core/host/authority.ts";
import { createCallLimits } from "../../core/host/call-limits.ts";
import type { CallScope } from "../../core/host/call-scope.ts";
import { createGate } from "../../core/host/gate.ts";
import { riskProfile } from "../governance/profiles.ts";
import { makeTree } from "../helpers/tree.ts";

const call = (risk: () => CallRisk | Promise<CallRisk>) =>
  ({ id: "c", tool: { id: "edit", contract: { sends: [] }, cls: {} }, args: {}, face: "cli", risk }) as never;
const authority: Authority = {
  face: "cli",
  policy: createPolicy(riskProfile({ auto_approve: ["free"] })),
  refusal: () => undefined,
  names: (id) => [id],
  settings: { breaker: { failures: 3, restMs: 1_000 }, maxConcurrent: Number.POSITIVE_INFINITY },
};
const scope = { authority, account: "a", taint: new Taint() } as CallScope;
const state = makeTree({});
const clock = () => Date.UTC(2026, 10, 30);
const limits = createCallLimits({
  estop: createEstop({ directories: [state], stop() {} }),
  metering: { refusal: () => undefined },
  window: createActionWindow({ state, now: clock, unsound() {} }),
  now: clock,
});

/** There is nobody to ask. */
const approvals: Pick<Approvals, "decide"> = {
  decide: ({ call: { tool }, ruling }) => ({ deny: nobodyToAsk(tool.id, ruling), decision: "ask", rule: ruling.by }),
};

describe("the gate", () => {
  it("answers at once where nothing has to be waited for", () => {
    const { authorise } = createGate({ limits, approvals });
    expect(
      authorise(
        call(() => declaredRisk("low", undefined)),
        scope,
      ),
    ).toMatchObject({ run: true, decision: "run" });
    expect(
      authorise(
        call(() => declaredRisk("medium", undefined)),
        scope,
      ),
    ).toMatchObject({
      deny: { code: "NO_APPROVER", rule: "level" },
    });
  });

  it("goes on with a call that a person allows: it still has to find a place", async () => {
    const yes = { run: true, decision: "ask", approver: "ann" } as const;
    let places = 0;
    const place = (): undefined => {
      places++;
    };
    for (const decide of [() => yes, async () => yes]) {
      const { authorise } = createGate({ limits: { ...limits, place }, approvals: { decide } });
      const verdict = await authorise(
        call(() => declaredRisk("medium", undefined)),
        scope,
      );
      expect(verdict).toMatchObject({ ...yes, ended: expect.any(Function) });
    }
    expect(places).toBe(2);
  });

  it("waits for a risk that takes time", async () => {
    const { authorise } = createGate({ limits, approvals });
    const later = async (): Promise<CallRisk> => ({ level: "high", reasons: ["late"] });
    const verdict = authorise(call(later), scope);
    expect(verdict).toBeInstanceOf(Promise);
    expect(await verdict).toMatchObject({ deny: { code: "DENIED_BY_POLICY", rule: "block_high_risk" } });
    expect(
      await authorise(
        call(async () => ({ level: "low", reasons: [] })),
        scope,
      ),
    ).toMatchObject({ run: true, decision: "run" });
  });

  it("asks for no risk of what a list leaves out", () => {
    const refusal = (id: string) => deniedByList(id, { rule: "allowedTools" });
    const asked = call(() => {
      throw new Error("asked");
    });
    expect(
      createGate({ limits, approvals }).authorise(asked, { ...scope, authority: { ...authority, refusal } }),
    ).toMatchObject({
      deny: { rule: "allowedTools" },
    });
  });

  it("gives back what it has counted for a call that is refused, fails to be judged, or is not run after all", async () => {
    const { authorise } = createGate({ limits, approvals });
    const policy = createPolicy(riskProfile({ max_actions_per_hour: 1 }));
    const counted = { ...scope, authority: { ...authority, policy }, account: "b" };
    const refused = authorise(
      call(() => declaredRisk("medium", undefined)),
      counted,
    );
    expect(refused).toMatchObject({ deny: { code: "NO_APPROVER" } });
    const failing = call(async () => {
      throw new Error("no");
    });
    await expect(authorise(failing, counted)).rejects.toThrow("no");
    const low = call(() => declaredRisk("low", undefined));
    const given = authorise(low, counted);
    if ("ended" in given) given.ended?.({ ran: false });
    expect(authorise(low, counted)).toMatchObject({ run: true });
    expect(authorise(low, counted)).toMatchObject({ deny: { code: "RATE_LIMITED" } });
  });
});
