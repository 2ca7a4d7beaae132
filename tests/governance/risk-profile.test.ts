import { describe, expect, it } from "vitest";
import { RISK_PROFILE_KEYS } from "../../core/discovery/risk-profile-keys.ts";
import { riskProfileOf, settingOf } from "../../core/governance/risk-profile.ts";
import { riskProfile } from "./profiles.ts";

describe("a risk profile", () => {
  it("is there with the defaults where no file mentions it", () => {
    const profile = { id: "p", riskProfile: "default", faulty: false, riskUnknown: false };
    const made = riskProfileOf({ profile, settings: { get: () => undefined, sources: [] }, tightenings: [] });
    const defaults = Object.fromEntries(Object.entries(RISK_PROFILE_KEYS).map(([key, row]) => [key, row.default]));
    expect(made).toMatchObject({ name: "default", values: defaults, fault: undefined });
    expect(settingOf(made, "level")).toBe("level supervised of risk profile default (its default)");
    expect(Object.isFrozen(made.values)).toBe(true);
  });

  it("reads what is written in several ways", () => {
    expect(riskProfile({ level: "readonly", allowed_tools: [] }).values).toMatchObject({
      level: "read_only",
      allowed_tools: null,
    });
  });

  it("is tightened by plugins, and each file that says so is told", () => {
    const tightenings = [
      { file: "usr/plugins/a/plugin.yaml", policy: { denied_tools: ["x", "y"], always_ask: [{ z: { n: 1 } }] } },
      { file: "usr/plugins/b/plugin.yaml", policy: { denied_tools: ["y"], excluded_tools: [] } },
    ];
    const made = riskProfile({ denied_tools: ["w"] }, undefined, tightenings);
    expect(made.values.denied_tools).toEqual(["w", "x", "y"]);
    expect(made.values.always_ask).toEqual([{ z: { n: 1 } }]);
    expect(settingOf(made, "denied_tools")).toBe(
      "denied_tools of risk profile default (usr/settings.yaml, usr/plugins/a/plugin.yaml, usr/plugins/b/plugin.yaml)",
    );
    expect(made.origins.excluded_tools).toEqual([]);
  });

  it("with a fault is read_only, and says why", () => {
    const made = riskProfile({ level: "full" }, "line 3: levl is not a key");
    expect(made.values.level).toBe("read_only");
    expect(settingOf(made, "level")).toBe(
      "level read_only of risk profile default (as long as there is an error in usr/settings.yaml: line 3: levl is not a key)",
    );
  });

  it("with a fault that may hide what is denied denies everything, and still what it names", () => {
    const settings = {
      get: () => ({ denied_tools: ["response"] }),
      sources: [
        { file: "a.yaml", values: {}, faults: [{ profile: "default", fault: "line 1: x", hides: false }] },
        { file: "b.yaml", values: {}, faults: [{ profile: null, fault: "line 2: y", hides: true }] },
      ],
    };
    const profile = { id: "p", riskProfile: "default", faulty: false, riskUnknown: false };
    const made = riskProfileOf({ profile, settings, tightenings: [] });
    expect(made).toMatchObject({ closed: true, fault: "b.yaml: line 2: y" });
    expect(made.values).toMatchObject({ level: "read_only", denied_tools: ["response", "*"] });
    expect(settingOf(made, "denied_tools")).toBe(
      "denied_tools of risk profile default (as long as there is an error in b.yaml: line 2: y)",
    );
  });
});
