import { describe, expect, it } from "vitest";
import { type CallRisk, declaredRisk } from "../../core/governance/call-risk.ts";
import { deniedByList } from "../../core/governance/denials.ts";
import { createPolicy } from "../../core/governance/ruling.ts";
import type { Authority } from "../../core/host/authority.ts";
import type { CallScope } from "../../core/host/call-scope.ts";
import { createGate } from "../../core/host/gate.ts";
import { riskProfile } from "../governance/profiles.ts";

const call = (risk: () => CallRisk | Promise<CallRisk>) =>
  ({ id: "c", tool: { id: "edit", contract: {} }, args: {}, face: "cli", risk }) as never;
const authority: Authority = {
  face: "cli",
  policy: createPolicy(riskProfile({ auto_approve: ["free"] })),
  refusal: () => undefined,
  names: (id) => [id],
};
const scope = { authority } as CallScope;

describe("the gate", () => {
  it("answers at once where nothing has to be waited for", () => {
    const { authorise } = createGate();
    expect(
      authorise(
        call(() => declaredRisk("low", undefined)),
        scope,
      ),
    ).toEqual({ run: true });
    expect(
      authorise(
        call(() => declaredRisk("medium", undefined)),
        scope,
      ),
    ).toMatchObject({
      deny: { code: "NO_APPROVER", rule: "level" },
    });
  });

  it("waits for a risk that takes time", async () => {
    const { authorise } = createGate();
    const later = async (): Promise<CallRisk> => ({ level: "high", reasons: ["late"] });
    const verdict = authorise(call(later), scope);
    expect(verdict).toBeInstanceOf(Promise);
    expect(await verdict).toMatchObject({ deny: { code: "DENIED_BY_POLICY", rule: "block_high_risk" } });
    expect(
      await authorise(
        call(async () => ({ level: "low", reasons: [] })),
        scope,
      ),
    ).toEqual({ run: true });
  });

  it("asks for no risk of what a list leaves out", () => {
    const refusal = (id: string) => deniedByList(id, { rule: "allowedTools" });
    const asked = call(() => {
      throw new Error("asked");
    });
    expect(createGate().authorise(asked, { ...scope, authority: { ...authority, refusal } })).toMatchObject({
      deny: { rule: "allowedTools" },
    });
  });
});
