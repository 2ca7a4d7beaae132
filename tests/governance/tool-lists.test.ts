import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refusingList } from "../../core/governance/tool-lists.ts";
import { riskProfile } from "./profiles.ts";

interface Lists {
  readonly allowed?: readonly string[];
  readonly excluded?: readonly string[];
  readonly denied?: readonly string[];
}

const profile = ({ allowed = [], excluded = [], denied = [] }: Lists) =>
  riskProfile({ allowed_tools: allowed, excluded_tools: excluded, denied_tools: denied });

/** The list that refuses, or "yes". */
function asked(
  id: string,
  lists: Lists,
  { face = "library", caller }: { face?: string; caller?: readonly string[] } = {},
) {
  const tool = { id, aliases: [`${id}Alias`], answers: false };
  return refusingList(tool, { face, profiles: [profile(lists)], allowed: caller })?.rule ?? "yes";
}

describe("the worked examples", () => {
  it("(a) an allow list admits what it names, and what was discovered at run time", () => {
    const lists = { allowed: ["shell"] };
    expect(asked("shell", lists)).toBe("yes");
    expect(asked("file_read", lists)).toBe("allowed_tools");
    expect(asked("github__search", lists)).toBe("yes");
    expect(asked("skillX__run", lists)).toBe("yes");
    expect(asked("mcp_resources", lists)).toBe("allowed_tools");
  });

  it("(b) exclusion wins over that", () => {
    const lists = { allowed: ["shell"], excluded: ["github__delete_repo"] };
    expect(asked("github__delete_repo", lists)).toBe("excluded_tools");
    expect(asked("github__search", lists)).toBe("yes");
  });

  it("(c) the caller's list and the profile's intersect, and the caller's knows no exception", () => {
    const lists = { allowed: ["shell"] };
    const caller = ["cron_add"];
    expect(["shell", "cron_add", "file_read"].map((id) => asked(id, lists, { caller }))).not.toContain("yes");
    expect(asked("github__search", lists, { caller })).toBe("allowedTools");
  });

  it("(d) an empty list of the profile is no restriction", () => {
    const caller = ["file_read"];
    expect(asked("file_read", { allowed: [] }, { caller })).toBe("yes");
    expect(asked("shell", { allowed: [] }, { caller })).toBe("allowedTools");
    expect(asked("shell", { allowed: [] })).toBe("yes");
  });

  it("(e) an empty list of the caller means nothing", () => {
    for (const id of ["shell", "github__search"]) expect(asked(id, {}, { caller: [] })).toBe("allowedTools");
  });

  it("(f) a run that goes without some tools names the others", () => {
    const caller = ["cron_list", "file_read"];
    for (const id of ["cron_add", "cron_update", "cron_remove", "cron_run"]) {
      expect(asked(id, {}, { caller })).toBe("allowedTools");
    }
    expect(asked("cron_list", {}, { caller })).toBe("yes");
  });
});

describe("a tool", () => {
  const FACES = ["cli", "library", "mcp", "acp", "web", "channel:mail", "delegate"];

  it("that is denied is denied on every face, whatever else names it", () => {
    const lists = { denied: ["shell"], allowed: ["shell"] };
    for (const face of FACES) expect(asked("shell", lists, { face, caller: ["shell"] })).toBe("denied_tools");
  });

  it("that is excluded is for the local command line alone", () => {
    const lists = { excluded: ["shell"] };
    expect(FACES.filter((face) => asked("shell", lists, { face }) === "yes")).toEqual(["cli"]);
  });

  it("is named by its alias, too, in any case, and by `*`", () => {
    for (const name of ["shellAlias", "SHELL", "sh*", "*"])
      expect(asked("shell", { denied: [name] })).toBe("denied_tools");
    expect(asked("shell", { allowed: ["shellAlias"] })).toBe("yes");
    expect(asked("shell", {}, { caller: ["shellAlias"] })).toBe("yes");
    // The caller's list is strict.
    expect(asked("shell", {}, { caller: ["sh*"] })).toBe("allowedTools");
  });

  it("that answers for the agent is left out only where it is named itself", () => {
    const response = { id: "response", aliases: [], answers: true };
    const rule = (lists: Lists, allowed?: readonly string[]) =>
      refusingList(response, { face: "web", profiles: [profile(lists)], allowed })?.rule;
    expect(rule({ allowed: ["shell"], denied: ["*", "resp*"], excluded: ["*"] }, [])).toBeUndefined();
    expect(rule({ denied: ["response"] })).toBe("denied_tools");
    expect(rule({ excluded: ["response"] })).toBe("excluded_tools");
  });
});

describe("properties", () => {
  const NAMES = ["shell", "file_read", "wait", "github__search", "github__delete", "response"];
  const names = fc.uniqueArray(fc.constantFrom(...NAMES, "github__*", "*"));
  const profiles = fc.array(fc.record({ allowed: names, excluded: names, denied: names }).map(profile), {
    minLength: 1,
    maxLength: 4,
  });
  const caller = fc.option(fc.uniqueArray(fc.constantFrom(...NAMES)), { nil: undefined });
  const face = fc.constantFrom("cli", "library", "delegate", "web");
  const tool = fc
    .record({ id: fc.constantFrom(...NAMES), answers: fc.boolean() })
    .map((one) => ({ ...one, aliases: [] }));

  it("no sequence of lists of profiles, plugins and callers lets a tool run that one of them denies", () => {
    const lists = fc.record({ allowed_tools: names, excluded_tools: names, denied_tools: names });
    const plugins = fc.array(
      fc.record({
        file: fc.constant("p/plugin.yaml"),
        policy: fc.record({ denied_tools: names, excluded_tools: names }),
      }),
      { maxLength: 3 },
    );
    const made = fc.array(fc.tuple(lists, plugins), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(tool, made, caller, face, (one, all, allowed, from) => {
        const denied = all.some(([written, tightenings]) =>
          [written, ...tightenings.map(({ policy }) => policy)].some((list) => list.denied_tools.includes(one.id)),
        );
        const built = all.map(([written, tightenings]) => riskProfile(written, undefined, tightenings));
        const refusal = refusingList(one, { face: from, profiles: built, allowed });
        return !denied || refusal?.rule === "denied_tools";
      }),
    );
  });

  it("what a child may call its parent may call", () => {
    fc.assert(
      fc.property(tool, profiles, profile1(), caller, (one, above, own, allowed) => {
        const parent = refusingList(one, { face: "delegate", profiles: above, allowed });
        const child = refusingList(one, { face: "delegate", profiles: [own, ...above], allowed });
        return child !== undefined || parent === undefined;
      }),
    );
  });

  function profile1() {
    return fc.record({ allowed: names, excluded: names, denied: names }).map(profile);
  }
});
