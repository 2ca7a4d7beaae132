import { expect, test } from "vitest";
import { countTokens, createTokenCounter } from "../../core/prompt/tokens.ts";

test("counts as o200k_base does", async () => {
  expect(await countTokens("")).toBe(0);
  expect(await countTokens("hello world")).toBe(2);
  expect(await countTokens("你好,世界")).toBeGreaterThan(1);
});

test("text that looks like a control token is plain text", async () => {
  expect(await countTokens("a <|endoftext|> b")).toBeGreaterThan(3);
});

test("a long run without a break costs no quadratic time", async () => {
  expect(await countTokens("漢".repeat(50_000))).toBeGreaterThan(20_000);
  expect(await countTokens("\u{1F600}".repeat(10_000))).toBeGreaterThan(5_000);
  expect(await countTokens(" ".repeat(50_000))).toBeGreaterThan(100);
});

test("the counter gives the same numbers, again and for many texts at once", async () => {
  const count = createTokenCounter();
  const texts = ["one two three", "four", "one two three"];
  expect(await Promise.all(texts.map(count))).toEqual([3, 1, 3]);
  expect(await count("four")).toBe(1);
});
