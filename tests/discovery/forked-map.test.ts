import { describe, expect, it } from "vitest";
import { createForkedMap } from "../../core/discovery/forked-map.ts";

const many = Array.from({ length: 100 }, (_, index) => `k${index}`);

describe("a map that is forked", () => {
  it("begins as the other one was, and neither sees what happens to the other", () => {
    const first = createForkedMap<string, { readonly of: string }>();
    for (const key of many) first.set(key, { of: key });
    const second = first.fork();
    expect([...second.keys()].sort()).toEqual([...many].sort());
    second.set("k1", { of: "second" });
    second.delete("k2");
    second.set("new", { of: "new" });
    first.set("k3", { of: "first" });
    expect([first.get("k1"), first.get("k2"), first.get("new")]).toEqual([{ of: "k1" }, { of: "k2" }, undefined]);
    expect([second.get("k1"), second.get("k2"), second.get("k3")]).toEqual([{ of: "second" }, undefined, { of: "k3" }]);
    expect(second.keys()).not.toContain("k2");
    expect(second.keys()).toContain("new");
    expect(second.keys()).toHaveLength(100);
  });

  it("holds what a plain map would, after any forks and differences", () => {
    let forked = createForkedMap<string, { readonly step: number }>();
    let plain = new Map<string, { readonly step: number }>();
    for (let step = 0; step < 2_000; step++) {
      const key = `k${(step * 37) % 211}`;
      if (step % 5 === 4) {
        forked.delete(key);
        plain.delete(key);
      } else {
        forked.set(key, { step });
        plain.set(key, { step });
      }
      if (step % 7 === 0) [forked, plain] = [forked.fork(), new Map(plain)];
    }
    expect([...forked.keys()].sort()).toEqual([...plain.keys()].sort());
    for (const [key, value] of plain) expect(forked.get(key)).toEqual(value);
  });

  it("forgets again what was deleted and never shared", () => {
    const map = createForkedMap<string, object>();
    map.set("a", {});
    map.delete("a");
    map.delete("b");
    expect(map.keys()).toEqual([]);
  });
});
