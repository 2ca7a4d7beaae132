import { describe, expect, it } from "vitest";
import { buildCatalog, type Candidate, type CatalogEntry } from "../../core/discovery/catalog.ts";
import { fc } from "./property.ts";

/** A tool candidate of a row by its path: rank and sub-row are told by hand, as the layers would. */
function candidate(path: string, order: number, fields: Partial<Candidate> = {}): Candidate {
  const id = (path.split("/").at(-1) ?? "").replace(/\.\w+$/u, "");
  return {
    kind: "tool",
    id,
    file: `/root/${path}`,
    path,
    layer: { rank: Math.ceil(order / 2), path: "." },
    order,
    ...fields,
  };
}

const states = (entry: CatalogEntry | undefined) =>
  entry?.standings.map(({ candidate: { path }, state }) => `${path} ${state}`);

describe("the catalog", () => {
  it("lets the highest win and keeps the others, highest first", () => {
    const catalog = buildCatalog([
      candidate("tools/t.ts", 12),
      candidate("agents/p/tools/t.ts", 6),
      candidate("usr/tools/t.ts", 8),
    ]);
    const entry = catalog.get("tool", "t");
    expect(entry?.winner?.path).toBe("agents/p/tools/t.ts");
    expect(states(entry)).toEqual(["agents/p/tools/t.ts wins", "usr/tools/t.ts shadowed", "tools/t.ts shadowed"]);
    expect(catalog.diagnostics).toEqual([]);
    expect(entry?.standings[1]?.reason).toMatch(/agents\/p\/tools\/t\.ts .*row 4/u);
  });

  it("lists a kind sorted by id, and no other kind", () => {
    const catalog = buildCatalog([
      candidate("tools/b.ts", 12),
      candidate("tools/a.ts", 12),
      candidate("prompts/c.md", 12, { kind: "prompt" }),
    ]);
    expect(catalog.list("tool").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(catalog.list("prompt").map(({ id }) => id)).toEqual(["c"]);
    expect(catalog.list("skill")).toEqual([]);
    expect(catalog.get("tool", "toString")).toBeUndefined();
  });

  it("calls two of one id in one sub-row a collision: the first in order serves, one diagnostic names both", () => {
    const catalog = buildCatalog([
      candidate("tools/a.ts", 12),
      candidate("tools/a.mts", 12),
      candidate("tools/a.cjs", 12),
    ]);
    expect(states(catalog.get("tool", "a"))).toEqual([
      "tools/a.cjs wins",
      "tools/a.mts collides",
      "tools/a.ts collides",
    ]);
    expect(catalog.diagnostics).toMatchObject([{ code: "COLLISION", severity: "error" }]);
    for (const path of ["tools/a.cjs", "tools/a.mts", "tools/a.ts"])
      expect(catalog.diagnostics[0]?.message).toContain(path);
  });

  it("reports a collision in a row that is shadowed, too", () => {
    const catalog = buildCatalog([
      candidate("usr/tools/a.ts", 8),
      candidate("tools/a.ts", 12),
      candidate("tools/a.js", 12),
    ]);
    expect(states(catalog.get("tool", "a"))).toEqual([
      "usr/tools/a.ts wins",
      "tools/a.js shadowed",
      "tools/a.ts collides",
    ]);
    expect(catalog.diagnostics).toHaveLength(1);
  });

  it("weighs ids that differ in case alone together: on many disks they are one file", () => {
    const refused = { state: "refused", reason: "capitals", code: "TOOL_NAME_INVALID" } as const;
    const catalog = buildCatalog([candidate("tools/foo.ts", 12), candidate("tools/Foo.ts", 12, { off: refused })]);
    expect(catalog.get("tool", "foo")?.winner?.path).toBe("tools/foo.ts");
    expect(states(catalog.get("tool", "foo"))).toEqual(["tools/Foo.ts collides", "tools/foo.ts wins"]);
    expect(states(catalog.get("tool", "Foo"))).toEqual(["tools/Foo.ts collides"]);
    expect(catalog.diagnostics.map(({ code }) => code)).toEqual(["COLLISION"]);
    const prompts = [
      candidate("prompts/a.md", 12, { kind: "prompt" }),
      candidate("prompts/A.md", 12, { kind: "prompt" }),
    ];
    expect(buildCatalog(prompts).get("prompt", "A")?.winner?.path).toBe("prompts/A.md");
    expect(buildCatalog(prompts).get("prompt", "a")?.winner).toBeUndefined();
    const apart = [candidate("tools/foo.ts", 12), candidate("usr/tools/Foo.ts", 8, { off: refused })];
    expect(buildCatalog(apart).diagnostics.map(({ code }) => code)).toEqual(["TOOL_NAME_INVALID"]);
  });

  it("lets nothing win that is off, and says why", () => {
    const off = { state: "disabled", reason: "usr/plugins/x/.toggle-0 switches it off" } as const;
    const catalog = buildCatalog([
      candidate("usr/plugins/x/tools/t.ts", 9, { off, plugin: "x" }),
      candidate("usr/plugins/y/tools/t.ts", 9, { plugin: "y" }),
    ]);
    expect(states(catalog.get("tool", "t"))).toEqual([
      "usr/plugins/x/tools/t.ts disabled",
      "usr/plugins/y/tools/t.ts wins",
    ]);
    expect(catalog.get("tool", "t")?.standings[0]?.reason).toBe(off.reason);
    expect(catalog.diagnostics).toEqual([]);
    expect(buildCatalog([candidate("usr/plugins/x/tools/t.ts", 9, { off })]).get("tool", "t")?.winner).toBeUndefined();
  });

  it("orders plugins by their name, not by their path", () => {
    const catalog = buildCatalog([
      candidate("usr/plugins/a-b/tools/t.ts", 9, { plugin: "a-b" }),
      candidate("usr/plugins/a/tools/t.ts", 9, { plugin: "a" }),
    ]);
    expect(catalog.get("tool", "t")?.winner?.plugin).toBe("a");
  });

  const anyCandidates = fc.uniqueArray(
    fc.record({
      order: fc.integer({ min: 0, max: 13 }),
      plugin: fc.constantFrom(undefined, "a", "b", "c"),
      id: fc.constantFrom("t", "u", "T"),
      extension: fc.constantFrom("ts", "js"),
    }),
    { maxLength: 20, selector: ({ order, plugin, id, extension }) => `${order} ${plugin} ${id} ${extension}` },
  );

  it("does not depend on the order in which candidates are found", () => {
    fc.assert(
      fc.property(
        anyCandidates.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        ([list, shuffled]) => {
          const make = (records: typeof list) =>
            buildCatalog(
              records.map(({ order, plugin, id, extension }) =>
                candidate(`${order}/${plugin}/${id}.${extension}`, order, { id, ...(plugin ? { plugin } : {}) }),
              ),
            );
          expect(make(shuffled).list("tool")).toEqual(make(list).list("tool"));
          expect(make(shuffled).diagnostics).toEqual(make(list).diagnostics);
        },
      ),
    );
  });

  it("has for every id one winner of the lowest order that is not off, and every candidate once", () => {
    fc.assert(
      fc.property(anyCandidates, (records) => {
        const all = records.map(({ order, plugin, id, extension }) =>
          candidate(`${order}/${plugin}/${id}.${extension}`, order, {
            id: id.toLowerCase(),
            ...(plugin ? { plugin } : {}),
          }),
        );
        for (const { id, winner, standings } of buildCatalog(all).list("tool")) {
          const mine = all.filter((one) => one.id === id);
          expect(standings).toHaveLength(mine.length);
          expect(winner?.order).toBe(Math.min(...mine.map(({ order }) => order)));
          expect(standings.filter(({ state }) => state === "wins")).toHaveLength(1);
          for (const order of new Set(mine.map((one) => one.order))) {
            const beside = standings.filter((one) => one.candidate.order === order);
            expect(beside.filter(({ state }) => state !== "collides")).toHaveLength(1);
          }
        }
      }),
    );
  });
});
