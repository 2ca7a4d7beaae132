import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFileRules, type FileUse } from "../../core/governance/file-rules.ts";
import { createHostState } from "../../core/governance/host-state.ts";
import { riskProfileOf } from "../../core/governance/risk-profile.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import { makeTree } from "../helpers/tree.ts";

const base = makeTree({ "ws/a": "", "one/a": "", "two/a": "", "two/deep/a": "" });
const workspace = join(base, "ws");
const state = createHostState({
  root: join(base, "root"),
  home: join(base, "home"),
  linked: () => [],
  outside: join(base, "state/0123"),
  configuration: join(base, "config"),
  audit: join(base, "audit.jsonl"),
});
const USES: readonly FileUse[] = ["read", "write", "look"];
const PATHS = ["ws/a", "one/a", "two/a", "two/deep/a", "elsewhere"].map((path) => join(base, path));

/** A risk profile with these values. */
function profileOf(values: JsonObject) {
  const risk_profiles = { default: values };
  const settings = {
    get: (key: string) => (key === "risk_profiles.default" ? values : undefined),
    sources: [{ file: "usr/settings.yaml", values: { risk_profiles }, faults: [] }],
  };
  return riskProfileOf({
    profile: { id: "p", riskProfile: "default", faulty: false, riskUnknown: false },
    settings,
    tightenings: [],
  });
}

function rulesOf(...values: readonly JsonObject[]) {
  return createFileRules({ workspace, base, profiles: values.map(profileOf), state });
}

const OPEN = { level: "full", workspace_only: false, forbidden_paths: [] };

describe("who works for an agent touches nothing that the agent may not", () => {
  it.each<[string, JsonObject, JsonObject, FileUse, string]>([
    ["ReadOnlyRootNotInParent", { allowed_roots: ["one"] }, {}, "read", "one/a"],
    [
      "ReadWriteRootNotInParent",
      { allowed_roots: [{ path: "one", access: "read_write" }] },
      { allowed_roots: ["one"] },
      "write",
      "one/a",
    ],
    [
      "WriteOnlyRootNotInParent",
      { allowed_roots: [{ path: "one", access: "write_only" }] },
      { allowed_roots: ["one"] },
      "write",
      "one/a",
    ],
    ["a root above the parent's", { allowed_roots: ["two"] }, { allowed_roots: ["two/deep"] }, "read", "two/a"],
    ["WorkspaceOnlyDisabledByChild", OPEN, { level: "full" }, "read", "elsewhere"],
    ["AutonomyAboveParent", OPEN, { ...OPEN, level: "supervised" }, "read", "elsewhere"],
    ["ForbiddenPathDroppedByChild", OPEN, { ...OPEN, forbidden_paths: ["two"] }, "read", "two/deep/a"],
  ])("%s", (_, child, parent, use, path) => {
    const real = join(base, path);
    expect(rulesOf(child).refusal(real, use, path)).toBeUndefined();
    expect(rulesOf(child, parent).refusal(real, use, path)?.code).toBe("ACCESS_DENIED");
  });

  it("whatever the settings are", () => {
    const path = fc.constantFrom("ws", "one", "two", "two/deep", ".");
    const root = fc.oneof(path, fc.record({ path, access: fc.constantFrom("read_only", "read_write", "write_only") }));
    const values = fc.record({
      level: fc.constantFrom("read_only", "supervised", "full"),
      workspace_only: fc.boolean(),
      allowed_roots: fc.array(root, { maxLength: 3 }),
      forbidden_paths: fc.array(path, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(values, values, (child, parent) => {
        const [both, above] = [rulesOf(child, parent), rulesOf(parent)];
        for (const real of PATHS) {
          for (const use of USES) {
            if (above.refusal(real, use, "x")) expect(both.refusal(real, use, "x")).toBeDefined();
          }
        }
      }),
      { numRuns: 200, seed: 9 },
    );
  });
});

it("a directory that stands for several entries may be used as one of them says", () => {
  const rules = rulesOf({ allowed_roots: ["two", { path: "two/deep", access: "write_only" }] });
  expect(rules.refusal(join(base, "two/deep/a"), "write", "x")).toBeUndefined();
  expect(rules.refusal(join(base, "two/deep/a"), "read", "x")).toBeUndefined();
  expect(rules.refusal(join(base, "two/a"), "write", "x")?.message).toMatch(
    /may not be written: allowed_roots of risk profile default/,
  );
});

it("knows what the host runs or obeys: content of its root and of links in it, and what it is made of itself", () => {
  const one = createHostState({
    root: join(base, "root"),
    home: join(base, "home"),
    linked: () => [join(base, "linked")],
    outside: join(base, "state"),
    configuration: join(base, "config"),
    audit: join(base, "audit.jsonl"),
  });
  const content = ["root/usr/tools/a.ts", "root/usr/plugins/p/x", "root/prompts/a.md", "linked/any", "home/core/a.ts"];
  const others = [
    "root/notes.txt",
    "root/core/a.ts",
    "home/notes.txt",
    "home/tests/a.ts",
    "elsewhere",
    "root-2/tools/a.ts",
  ];
  for (const path of content) expect([path, one.isContent(join(base, path))]).toEqual([path, true]);
  for (const path of others) expect([path, one.isContent(join(base, path))]).toEqual([path, false]);
});
