import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutMiddle, isTooLong, MAX_MESSAGE_BYTES, spillName } from "../../core/dispatch/bound.ts";
import { createCleanText } from "../../core/dispatch/clean-text.ts";
import { createMasker } from "../../core/governance/mask.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import { tool, workbench } from "./workbench.ts";

const { shown, kept } = createCleanText(createMasker([{ name: "K", value: "sk-secret" }]));

describe("clean text", () => {
  it.each([
    ["a\ud800b", "a\ufffdb"],
    ["👍🏽 naïve 日本", "👍🏽 naïve 日本"],
    ["tab\tnew\nline", "tab\tnew\nline"],
    ["a\r\nb\u0000c\u0007\u007f\u009b", "a\nbc"],
    ["\u001b[1;31mred\u001b[0m \u001b]0;title\u0007x", "red x"],
    ["sk-\u0000secret", "§§secret(K)"],
  ])("of %j is %j", (text, clean) => {
    expect(shown(text)).toBe(clean);
  });

  it("for programs keeps what is text", () => {
    expect(kept("a\r\n\u0007 sk-secret \udc00")).toBe("a\r\n\u0007 §§secret(K) \ufffd");
  });
});

describe("a result", () => {
  const says = tool(function (args: { message: string; data: JsonObject }) {
    return this.response({ message: args.message, data: args.data, additional: args.data });
  });

  it("is well-formed and masked in every part", async () => {
    const bench = workbench({ tools: { says }, secrets: [{ name: "K", value: "sk-secret" }] });
    const dirty = "a\u0000\ud800 sk-secret";
    const { message, data, additional, context } = await bench.call("says", {
      message: dirty,
      data: { [dirty]: [dirty] },
    });
    expect(message).toBe("a\ufffd §§secret(K)");
    expect(data).toEqual({ "a\u0000\ufffd §§secret(K)": ["a\u0000\ufffd §§secret(K)"] });
    expect(additional).toEqual({ "a\ufffd §§secret(K)": ["a\ufffd §§secret(K)"] });
    expect(JSON.stringify(context)).not.toContain("sk-secret");
  });

  it("is masked where it is an error: message, hint, cause, and what was asked", async () => {
    const fails = tool(function () {
      return this.failure("NETWORK_ERROR", "401 for sk-secret", {
        hint: "Not sk-secret.",
        cause: { body: "sk-secret" },
      });
    });
    const throws = tool(() => {
      throw new Error("token sk-secret is bad");
    });
    const bench = workbench({ tools: { fails, throws }, secrets: [{ name: "K", value: "sk-secret" }] });
    await bench.call("fails", { key: "sk-secret" });
    await bench.call("throws");
    await bench.call("sk-secret-tool", { "sk-secret": "sk-secret" });
    expect(JSON.stringify([bench.events, bench.history.map(({ result }) => result)])).not.toContain("sk-secret");
  });
});

describe("a text that is too long", () => {
  it("is cut in its middle, between characters: two thirds in front, one behind", () => {
    const text = `begin ${"日本👍🏽x".repeat(10_000)} end`;
    const cut = cutMiddle(text, { path: "a.txt" });
    expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    expect(cut.text).not.toContain("\ufffd");
    expect(cut.text).toMatch(/^begin [\s\S]* bytes left out; the whole is in a\.txt …\]\n[\s\S]* end$/);
    const [head = "", tail = ""] = cut.text.split(/\n\[….*…\]\n/u);
    expect(Buffer.byteLength(head) / Buffer.byteLength(tail)).toBeCloseTo(2, 1);
    expect(cut.keptBytes).toBe(Buffer.byteLength(head) + Buffer.byteLength(tail));
    expect(cut.originalBytes).toBe(Buffer.byteLength(text));
  });

  it("is never longer than the bound, whatever it consists of", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), (unit) => {
        const text = unit.repeat(Math.ceil(60_000 / Buffer.byteLength(unit)));
        const { text: cut } = cutMiddle(text, { path: "x" });
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
        expect(text.startsWith(cut.split("\n[…")[0] as string)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it("is counted in bytes", () => {
    expect(isTooLong("x".repeat(MAX_MESSAGE_BYTES))).toBe(false);
    expect(isTooLong("x".repeat(MAX_MESSAGE_BYTES + 1))).toBe(true);
    expect(isTooLong("日".repeat(MAX_MESSAGE_BYTES / 3 + 1))).toBe(true);
  });

  it("has a file name of its own: call and content", () => {
    expect(spillName("../call 1", "x")).toMatch(/^___call_1-[0-9a-f]{16}\.txt$/);
    expect(spillName("c", "x")).not.toBe(spillName("c", "y"));
    expect(spillName("c", "x")).not.toBe(spillName("d", "x"));
  });

  const big = tool(function ({ n = 100_000, status = "success" }: { n?: number; status?: "success" | "failure" }) {
    const text = "x".repeat(n);
    return status === "success" ? this.success(text, { n }) : this.failure("NOT_FOUND", text);
  });

  it("makes a success partial and says where the rest is", async () => {
    const spilled: Record<string, string> = {};
    const spill = async (name: string, text: string) => {
      spilled[name] = text;
      return `.spill/${name}`;
    };
    const bench = workbench({ tools: { big }, env: { spill } });
    const result = await bench.call("big");
    const [name = ""] = Object.keys(spilled);
    expect(spilled[name]).toBe("x".repeat(100_000));
    expect(result).toMatchObject({
      status: "partial",
      data: { n: 100_000 },
      context: {
        truncated: {
          originalBytes: 100_000,
          path: `.spill/${name}`,
          sha256: createHash("sha256").update("x".repeat(100_000)).digest("hex"),
        },
      },
    });
    expect(result.message).toContain(`the whole is in .spill/${name}`);
    expect(bench.lines[0]?.status).toBe("partial");
    await bench.call("big");
    expect(Object.keys(spilled)).toHaveLength(2);
  });

  it("stays an error where it is one, and works without a place for the rest", async () => {
    const bench = workbench({ tools: { big } });
    const failed = await bench.call("big", { status: "failure" });
    expect(failed).toMatchObject({ status: "error", error: { code: "NOT_FOUND" } });
    expect(Buffer.byteLength(failed.message)).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
    const failing = async () => await Promise.reject(new Error("disk full"));
    const spilling = workbench({ tools: { big }, env: { spill: failing } });
    expect((await spilling.call("big")).message).toContain("ask for less at once");
    expect(spilling.found).toMatchObject([{ code: "SPILL_FAILED" }]);
  });

  it("is left whole in an answer, which is for a person", async () => {
    const answer = tool(
      function () {
        return this.response({ message: "x".repeat(100_000), breakLoop: true });
      },
      { role: "answer" },
    );
    expect((await workbench({ tools: { answer } }).call("answer")).message).toHaveLength(100_000);
  });

  it("is dropped where it is an addition to the history", async () => {
    const floods = tool(function () {
      return this.response({ message: "short", additional: { html: "x".repeat(60_000) } });
    });
    const result = await workbench({ tools: { floods } }).call("floods");
    expect(result).toMatchObject({
      status: "partial",
      message: "short",
      context: { truncated: { additionalBytes: 60_011 } },
    });
    expect(result).not.toHaveProperty("additional");
  });
});
