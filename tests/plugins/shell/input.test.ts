import { testTool } from "toolroom/testing";
import { describe, expect, it } from "vitest";
import { openHouse } from "../../host/house.ts";

testTool("../../../plugins/_shell/tools/input.ts", {
  args: { keyboard: "y", session: 0 },
  settings: { profile: "developer" },
  async setup(host) {
    const code = "while read -r line; do :; done";
    await host.call("code_execution_tool", { runtime: "terminal", code, session: 0 });
  },
  config: { first_output: 0.1, between_output: 0.2, prompt: 0.1, longest: 2 },
  cases: [
    {
      name: "answers a program that asks",
      args: { keyboard: "yes", session: 1 },
      async setup({ host }) {
        const code = "printf 'name: '; read a; echo hello $a; printf 'age: '; read b; echo $b";
        await host.call("code_execution_tool", { runtime: "terminal", code, session: 1 });
      },
      expect: { status: "partial" },
      async check({ data }, { host, call }) {
        let told = String(data.output);
        for (let tries = 0; tries < 50 && !told.endsWith("age: "); tries++) {
          const more = await host.call("code_execution_tool", { runtime: "output", session: 1 });
          told += String(more.data.output);
        }
        expect(told).toMatch(/hello yes\nage: $/u);
        await call({ keyboard: "7\n", session: 1 });
        const again = await host.call("code_execution_tool", { runtime: "output", session: 1 });
        expect(again.data.state).toBe("done");
      },
    },
    {
      name: "types to nobody",
      args: { keyboard: "y", session: 2 },
      setup: async ({ host }) =>
        void (await host.call("code_execution_tool", { runtime: "terminal", code: "true", session: 2 })),
      expect: { code: "CONFLICT", pointer: "/session" },
    },
    {
      name: "needs a session",
      args: { keyboard: "y", session: 9 },
      expect: { code: "NOT_FOUND", pointer: "/session" },
    },
  ],
});

describe("sessions", () => {
  it("of two hosts are two", async () => {
    const settings = { risk_profiles: { default: { level: "full", block_high_risk: false } } };
    const { again } = await openHouse({ "usr/settings.yaml": JSON.stringify(settings) });
    const [one, two] = [await again({ profile: "developer" }), await again({ profile: "developer" })];
    const run = (host: typeof one, code: string) => host.call("code_execution_tool", { runtime: "terminal", code });
    await run(one, "v=1");
    expect((await run(two, "echo [$v]")).data).toMatchObject({ output: "[]\n" });
    expect((await run(one, "echo [$v]")).data).toMatchObject({ output: "[1]\n" });
  });
});
