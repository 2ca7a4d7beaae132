import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCallPattern } from "../../core/discovery/pattern-entry.ts";
import { createCallPatterns, fitsName } from "../../core/governance/call-pattern.ts";
import type { Json } from "../../core/sdk/json.ts";
import type { JsonObject } from "../../core/sdk/result.ts";

const match = (entry: Json, args: JsonObject = {}, { name = "shell", admits = true } = {}) =>
  createCallPatterns([entry]).match({ names: [name, "Shell"], args }, { admits });

describe("an entry", () => {
  it.each<[Json, JsonObject, number]>([
    ["shell", {}, 2],
    ["Shell", {}, 2],
    ["SHELL", {}, 2],
    ["sh*", {}, 1],
    ["*", {}, 1],
    ["shel", {}, 0],
    [{ shell: { command: "git status*" } }, { command: "git status --short" }, 3],
    [{ shell: { command: "git status*" } }, { command: "git status" }, 3],
    [{ shell: { command: "git status" } }, { command: "git status --short" }, 0],
    [{ shell: { command: "git status*" } }, { command: "sudo git status" }, 0],
    [{ shell: { command: "git status*" } }, {}, 0],
    [{ shell: { command: "*", cwd: "docs*" } }, { command: "ls", cwd: "docs/a" }, 3],
    [{ shell: { command: "*", cwd: "docs*" } }, { command: "ls", cwd: "src" }, 0],
    [{ shell: { times: 3, dry: true } }, { times: 3, dry: true }, 3],
    [{ shell: { times: 3 } }, { times: "3" }, 0],
    [{ shell: { times: "3*" } }, { times: 31 }, 3],
    [{ shell: { paths: ["a", { b: 1 }] } }, { paths: ["a", { b: 1 }] }, 3],
    [{ shell: { paths: ["a"] } }, { paths: ["a", "b"] }, 0],
    [{ "*": { command: "rm*" } }, { command: "rm x" }, 3],
    [{ other: { command: "rm*" } }, { command: "rm x" }, 0],
  ])("%j means the call with %j as exactly as %i", (entry, args, exact) => {
    expect(match(entry, args)).toBe(exact);
  });

  it("that lets something run does not mean what could be more than it looks", () => {
    const status = { shell: { command: "git status*" } };
    for (const command of [
      "git status; rm -rf .",
      "git status && x",
      "git status | sh",
      "git status\nrm x",
      "git status $(x)",
    ]) {
      expect(match(status, { command }), command).toBe(0);
      expect(match(status, { command }, { admits: false }), command).toBe(3);
    }
    const docs = { shell: { path: "docs/*" } };
    expect(match(docs, { path: "docs/a..b.md" })).toBe(3);
    for (const path of ["docs/../secret", "docs/..", "docs/a/../../b"]) {
      expect(match(docs, { path }), path).toBe(0);
      expect(match(docs, { path }, { admits: false }), path).toBe(3);
    }
    expect(match({ shell: { command: "a && b*" } }, { command: "a && bc" })).toBe(3);
    expect(match({ shell: { path: "../docs/*" } }, { path: "../docs/a" })).toBe(3);
  });

  it("is of many the most exact", () => {
    const patterns = createCallPatterns(["*", "shell", { shell: { command: "ls" } }]);
    const call = (command: string) => ({ names: ["shell"], args: { command } });
    expect(patterns.match(call("ls"), { admits: true })).toBe(3);
    expect(patterns.match(call("rm"), { admits: true })).toBe(2);
    expect(patterns.match({ names: ["other"], args: {} }, { admits: true })).toBe(1);
    expect(createCallPatterns([]).empty).toBe(true);
  });

  it.each<[Json, string]>([
    ["git status", "expected a tool's name"],
    [{ "shell(command": "git status*)" }, '- shell: { command: "git status*" }'],
    [{ shell: "git" }, "with arguments as in"],
    [{ shell: {} }, "with arguments as in"],
    [{ a: { b: 1 }, c: { d: 1 } }, "expected a tool's name"],
    [3, "expected a tool's name"],
    [null, "expected a tool's name"],
  ])("is refused: %j", (entry, words) => {
    expect(readCallPattern(entry)).toEqual({ fault: expect.stringContaining(words) });
  });
});

it("`*` stands for any run of characters, as a slower reading of it does", () => {
  const slow = (pattern: string, text: string) =>
    new RegExp(`^${pattern.replace(/[.?+^${}()|[\]\\]/gu, "\\$&").replaceAll("*", "[^]*")}$`, "u").test(text);
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  const texts = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 10 });
  fc.assert(fc.property(letters, texts, (pattern, text) => fitsName(pattern, text) === slow(pattern, text)));
});
