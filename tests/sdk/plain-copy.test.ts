import { describe, expect, it } from "vitest";
import { plainCopy } from "../../core/sdk/plain-copy.ts";

describe("a plain copy", () => {
  it("is equal and shares no object", () => {
    const value = {
      list: [{ id: "a", text: "x" }, null, undefined, 1.5, true],
      date: new Date(5),
      map: new Map([[1, {}]]),
    };
    const copy = plainCopy(value);
    expect(copy).toEqual(value);
    expect(copy.list).not.toBe(value.list);
    expect(copy.list[0]).not.toBe(value.list[0]);
    expect(copy.date).not.toBe(value.date);
    expect(copy.map.get(1)).not.toBe(value.map.get(1));
  });

  it("of a key __proto__ is a key", () => {
    const value = JSON.parse('{"__proto__": {"evil": true}}');
    const copy = plainCopy(value);
    expect(Object.keys(copy)).toEqual(["__proto__"]);
    expect(copy.evil).toBeUndefined();
  });

  it("may hold circles, and be deep", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const copy = plainCopy(circle);
    expect(copy).not.toBe(circle);
    expect(copy.self).toBe(copy);
    let deep: unknown = "end";
    for (let level = 0; level < 500; level++) deep = [deep];
    expect(JSON.stringify(plainCopy(deep))).toBe(JSON.stringify(deep));
  });

  it("is refused of what cannot be copied", () => {
    for (const value of [() => {}, { call: () => {} }, [Symbol("x")], { list: [new WeakMap()] }])
      expect(() => plainCopy(value)).toThrow();
  });
});
