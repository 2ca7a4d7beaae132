import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DOX_SECTIONS } from "../../core/dox/required-sections.ts";
import { toolSource } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const FILE = "known.json";
const check = { areas: ["dox"], baseline: FILE } as const;
const TEXTS: Readonly<Record<string, string>> = { Output: "`breakLoop` is false.", "Side effects": "Risk: low." };
const document = DOX_SECTIONS.map((title) => `## ${title}\n\n${TEXTS[title] ?? "Text."}\n`).join("\n");
const without = (title: string) => document.replace(`## ${title}\n\nText.\n`, "");

/** A root whose tool `a` has a document with so much wrong. */
async function houseWith(text: string) {
  const house = await openHouse({ "tools/a.ts": toolSource("a"), "tools/a.ts.dox.md": text });
  return { ...house, baseline: () => readFileSync(join(house.root, FILE), "utf8") };
}

describe("a baseline", () => {
  it("is written once with --fix, and what it knows is not told any more", async () => {
    const { host, baseline } = await houseWith(without("Purpose"));
    await expect(host.check(check)).rejects.toMatchObject({ code: "USAGE", kind: "usage" });
    const first = await host.check({ ...check, fix: true });
    expect(first).toMatchObject({ diagnostics: [], fixed: [{ file: FILE, description: "write the baseline" }] });
    expect(JSON.parse(baseline())).toEqual({
      version: 1,
      findings: { dox: { "tools/a.ts.dox.md": { DOX_SECTION_MISSING: 1 } } },
    });
    expect(await host.check(check)).toMatchObject({ diagnostics: [], fixed: [], summary: { errors: 0 } });
  });

  it("does not grow: more of a kind in a file are all told, and --fix does not take them in", async () => {
    const { host, write, baseline } = await houseWith(without("Purpose"));
    await host.check({ ...check, fix: true });
    const before = baseline();
    write({ "tools/a.ts.dox.md": without("Purpose").replace("## Dependencies\n\nText.\n", "") });
    await host.reload();
    for (const fix of [false, true]) {
      const { diagnostics } = await host.check({ ...check, fix });
      expect(diagnostics.map(({ code }) => code)).toEqual(["DOX_SECTION_MISSING", "DOX_SECTION_MISSING"]);
    }
    expect(baseline()).toBe(before);
  });

  it("shrinks: what is gone has to be taken out, and --fix does so", async () => {
    const { host, write, baseline } = await houseWith(without("Purpose"));
    await host.check({ ...check, fix: true });
    write({ "tools/a.ts.dox.md": document });
    await host.reload();
    const stale = await host.check(check);
    expect(stale.diagnostics).toMatchObject([{ code: "BASELINE_STALE", severity: "error", file: FILE }]);
    expect(stale.diagnostics[0]?.message).toContain("expected 1 of DOX_SECTION_MISSING in tools/a.ts.dox.md");
    const mended = await host.check({ ...check, fix: true });
    expect(mended).toMatchObject({ diagnostics: [], fixed: [{ file: FILE }] });
    expect(JSON.parse(baseline())).toEqual({ version: 1, findings: {} });
  });

  it("leaves areas alone that are not looked at, and is not judged by one profile", async () => {
    const { host, write } = await houseWith(without("Purpose"));
    await host.check({ ...check, fix: true });
    write({ "tools/a.ts.dox.md": document });
    await host.reload();
    expect((await host.check({ ...check, areas: ["plugins"] })).diagnostics).toEqual([]);
    expect((await host.check({ ...check, profile: "default" })).diagnostics).toEqual([]);
  });

  it.each([
    ["no JSON", "{"],
    ["another version", '{"version": 2, "findings": {}}'],
    ["counts that are none", '{"version": 1, "findings": {"dox": {"a": {"DOX_MISSING": 0}}}}'],
    ["a list", '{"version": 1, "findings": []}'],
  ])("that holds %s is refused with what was expected", async (_, text) => {
    const { host, write } = await houseWith(document);
    write({ [FILE]: text });
    await expect(host.check(check)).rejects.toMatchObject({ code: "BASELINE_INVALID" });
  });

  it("outside of the root is not written", async () => {
    const { host } = await houseWith(without("Purpose"));
    await expect(host.check({ ...check, baseline: "../known.json", fix: true })).rejects.toMatchObject({
      code: "USAGE",
    });
  });
});
