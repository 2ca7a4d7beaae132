import { expect, it } from "vitest";
import type { DispatchTarget } from "../../core/dispatch/environment.ts";
import type { RiskLevel } from "../../core/sdk/tool.ts";
import { Tool } from "../../core/sdk/tool.ts";
import { workbench } from "./workbench.ts";

class Undeclared extends Tool {
  async execute() {
    return this.success("done");
  }
}
class High extends Undeclared {
  static readonly risk = "high";
}
class Weighed extends Undeclared {
  static readonly risk = async () => ({ level: "low", reasons: ["own"], deny: { rule: "r", message: "m" } }) as const;
}
const bench = workbench({ tools: { undeclared: Undeclared, high: High, weighed: Weighed } });

async function weigh(name: string, level: RiskLevel) {
  const { env, dispatcher } = bench;
  const resolve = async (id: string) => {
    const target = (await env.lease.resolve(id)) as DispatchTarget;
    return { ...target, riskHint: { level, reason: "its server says that it destroys" } };
  };
  const weighed = await dispatcher.weigh({ id: "c", name, args: {} }, { ...env, lease: { ...env.lease, resolve } }, {});
  return weighed.risk;
}

it("what others say of a tool's risk raises it, and never lowers it", async () => {
  const hint = "its server says that it destroys";
  expect(await weigh("undeclared", "low")).toEqual({ level: "medium", reasons: ["the tool declares no risk"] });
  expect(await weigh("undeclared", "high")).toEqual({ level: "high", reasons: [hint] });
  expect(await weigh("high", "low")).toMatchObject({ level: "high" });
  const deny = { rule: "r", message: "m" };
  expect(await weigh("weighed", "medium")).toEqual({ level: "medium", reasons: [hint], deny });
  expect(await weigh("weighed", "low")).toEqual({ level: "low", reasons: ["own", hint], deny });
});
