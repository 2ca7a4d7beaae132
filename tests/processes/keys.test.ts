import { describe, expect, it } from "vitest";
import { RISK_PROFILE_KEYS, type SandboxWish } from "../../core/discovery/risk-profile-keys.ts";
import { openProgramHouse, program, risk } from "./program.ts";

describe("sandbox, sandbox_network and env_passthrough", () => {
  it.each<[own: SandboxWish, above: SandboxWish, holds: SandboxWish]>([
    ["none", "auto", "auto"],
    ["none", "required", "required"],
    ["auto", "none", "auto"],
    ["required", "auto", "required"],
    ["required", "bubblewrap", "bubblewrap"],
  ])("%s below %s is %s: who works for an agent is kept in as much", (own, above, holds) => {
    expect(RISK_PROFILE_KEYS.sandbox.narrow(own, above)).toBe(holds);
  });

  it("the network and variables of a subordinate are those that its superior has, too", () => {
    expect(RISK_PROFILE_KEYS.sandbox_network.narrow(true, false)).toBe(false);
    expect(RISK_PROFILE_KEYS.sandbox_network.narrow(true, true)).toBe(true);
    expect(RISK_PROFILE_KEYS.env_passthrough.narrow(["CI", "A"], ["A", "B"])).toEqual(["A"]);
  });

  it("passes the variables that are named, and no secret", async () => {
    const { again } = await openProgramHouse({
      ...risk({ sandbox: "none", env_passthrough: ["CI", "MY_API_KEY", "DOOR"] }),
      "usr/secrets.env": "DOOR=hunter2-and-more\n",
    });
    const host = await again({
      env: { PATH: process.env.PATH, CI: "true", MY_API_KEY: "sk-0123456789", DOOR: "hunter2-and-more", OTHER: "x" },
    });
    const { stdout } = await program(host, { argv: ["env"] });
    expect(stdout).toContain("CI=true\n");
    expect(stdout).not.toMatch(/MY_API_KEY|DOOR|OTHER/u);
  });

  it.each([
    { sandbox: "firejail" },
    { sandbox_network: "yes" },
    { env_passthrough: ["BASH_ENV"] },
    { env_passthrough: ["BASH_FUNC_ls%%"] },
    { env_passthrough: ["A=B"] },
  ])("%j is an error, and nothing is loosened by it", async (values) => {
    const { host } = await openProgramHouse(risk(values));
    const errors = host.diagnostics().filter(({ severity }) => severity === "error");
    expect(errors.map(({ message }) => message).join("\n")).toContain(Object.keys(values)[0]);
    expect((await host.policy.show()).fault).not.toBeNull();
  });
});
