import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { frozenJson, pointerToken, toPointer } from "../../core/sdk/json.ts";

function fault(value: unknown) {
  const checked = frozenJson(value);
  return "fault" in checked ? checked.fault : undefined;
}

function copy(value: unknown): unknown {
  const checked = frozenJson(value);
  if ("fault" in checked) throw new Error(`${checked.fault.path}: ${checked.fault.found}`);
  return checked.value;
}

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}

describe("what is JSON", () => {
  it("is what survives a round trip, deep-frozen, and never the value itself", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copied = copy(value);
        expect(copied).toEqual(JSON.parse(JSON.stringify(value)));
        expect(isDeepFrozen(copied)).toBe(true);
        if (typeof value === "object" && value !== null) expect(copied).not.toBe(value);
      }),
    );
  });

  it("leaves undefined properties out and turns −0 into 0", () => {
    expect(copy({ a: undefined, b: -0 })).toStrictEqual({ b: 0 });
  });

  it("accepts objects without a prototype and those of another realm", () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(copy({ bare, foreign: runInNewContext("({ b: [1] })") })).toStrictEqual({
      bare: { a: 1 },
      foreign: { b: [1] },
    });
  });

  it("copies the key __proto__ as data", () => {
    const copied = copy(JSON.parse('{"__proto__": {"polluted": true}}')) as object;
    expect(Object.keys(copied)).toEqual(["__proto__"]);
    expect((copied as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"polluted":true}}');
  });

  it("reads an accessor once", () => {
    let reads = 0;
    const copied = copy({
      get a() {
        return ++reads;
      },
    });
    expect([copied, reads]).toEqual([{ a: 1 }, 1]);
  });

  it("keeps a shared object that is no cycle, and lone surrogates", () => {
    const shared = { x: "\ud800" };
    expect(copy([shared, shared])).toStrictEqual([{ x: "\ud800" }, { x: "\ud800" }]);
  });

  it("applies a text function to strings and keys", () => {
    expect(frozenJson({ ab: ["b"] }, (text) => text.replaceAll("b", "•"))).toEqual({ value: { "a•": ["•"] } });
  });
});

describe("what is not", () => {
  class Point {
    x = 1;
  }
  const cycle: Record<string, unknown> = { list: [] };
  (cycle.list as unknown[]).push({ back: cycle });
  const deep = JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`) as unknown;

  it.each([
    [{ at: new Date(0) }, "/at", "an instance of Date"],
    [{ list: [1, 10n] }, "/list/1", "a bigint"],
    [{ n: Number.NaN }, "/n", "NaN"],
    [{ n: [Number.POSITIVE_INFINITY] }, "/n/0", "Infinity"],
    [cycle, "/list/0/back", "a cycle"],
    [{ p: new Point() }, "/p", "an instance of Point"],
    [{ m: new Map() }, "/m", "an instance of Map"],
    [{ s: new Set() }, "/s", "an instance of Set"],
    [{ b: Buffer.from("x") }, "/b", "an instance of Buffer"],
    [{ f: () => 1 }, "/f", "a function"],
    [{ y: Symbol("y") }, "/y", "a symbol"],
    [[1, undefined], "/1", "undefined"],
    [new Array(1), "/0", "undefined"],
    [{ [Symbol("k")]: 1 }, "", "a symbol key"],
    [{ "a/b": { "c~d": undefined, e: [undefined] } }, "/a~1b/e/0", "undefined"],
    [undefined, "", "undefined"],
  ])("%# is refused with its path", (value, path, found) => {
    expect(fault(value)).toEqual({ path, found });
  });

  it("is told of nesting without end", () => {
    expect(fault(deep)?.found).toBe("more than 200 levels");
  });
});

describe("pointers", () => {
  it("escape as RFC 6901 asks", () => {
    expect(pointerToken("a~/b")).toBe("a~0~1b");
    expect(toPointer([])).toBe("");
    expect(toPointer(["", "a/b", 0])).toBe("//a~1b/0");
  });
});
