import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { costOf, priceOf } from "../../core/governance/prices.ts";
import { createSpending } from "../../core/governance/spending.ts";
import { makeTree } from "../helpers/tree.ts";

const NOON = Date.UTC(2026, 10, 30, 12);
const DAY = 86_400_000;

function books() {
  const state = makeTree({});
  onTestFinished(() => rmSync(state, { recursive: true, force: true }));
  const clock = { at: NOON };
  const told: Diagnostic[] = [];
  const open = () =>
    createSpending({
      state,
      now: () => clock.at,
      display: (file) => file.slice(state.length + 1),
      report: (item) => told.push(item),
    });
  return { state, clock, told, open };
}

const expense = (cost: number) => ({ model: "p/m", usage: { inputTokens: 7, outputTokens: 1 }, cost });

describe("what was spent", () => {
  it("is counted by day and month, and is there when a process begins", () => {
    const { clock, open } = books();
    const first = open();
    first.add(expense(1));
    clock.at -= DAY;
    first.add(expense(2));
    clock.at += DAY;
    expect(first.spent()).toEqual({ day: 1, month: 3 });
    expect(open().spent()).toEqual({ day: 1, month: 3 });
    clock.at += DAY;
    expect(open().spent()).toEqual({ day: 0, month: 0 });
    expect(first.spent()).toEqual({ day: 0, month: 0 });
  });

  it("is what all processes of the root have spent", () => {
    const { open } = books();
    const [one, other] = [open(), open()];
    for (let time = 0; time < 5; time++) {
      one.add(expense(0.25));
      other.add(expense(0.5));
    }
    expect([one.spent(), other.spent()]).toEqual([
      { day: 3.75, month: 3.75 },
      { day: 3.75, month: 3.75 },
    ]);
  });

  it("lies in lines of one file a month that nobody else reads", () => {
    const { state, open } = books();
    open().add({ ...expense(1), estimated: true });
    expect(readdirSync(join(state, "spending"))).toEqual(["2026-11.jsonl"]);
    const file = join(state, "spending/2026-11.jsonl");
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
      at: "2026-11-30T12:00:00.000Z",
      model: "p/m",
      inputTokens: 7,
      outputTokens: 1,
      cost: 1,
      estimated: true,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("passes over what it cannot read, and says so once; a line that is being written waits for its end", () => {
    const { state, told, open } = books();
    const spending = open();
    spending.add(expense(1));
    const file = join(state, "spending/2026-11.jsonl");
    appendFileSync(file, 'nonsense\n{"at":"2026-11-30T12:00:01.000Z","cost":-5}\n{"at":"2026-11-30T1');
    expect(spending.spent().day).toBe(1);
    appendFileSync(file, '2:00:02.000Z","cost":4}\nmore\n');
    expect(spending.spent().day).toBe(5);
    expect(told).toMatchObject([
      { code: "SPENDING_UNSOUND", file: "spending/2026-11.jsonl", message: expect.stringContaining("2 lines") },
    ]);
  });

  it("begins anew where somebody put another file there", () => {
    const { state, open } = books();
    const spending = open();
    spending.add(expense(1));
    spending.add(expense(1));
    expect(spending.spent().day).toBe(2);
    rmSync(join(state, "spending"), { recursive: true });
    expect(spending.spent().day).toBe(2);
    spending.add(expense(4));
    expect(spending.spent().day).toBe(4);
  });

  it("counts for this process where it cannot be written, and is told as unknown where it cannot be read", () => {
    const { state, told, open } = books();
    writeFileSync(join(state, "spending"), "a file");
    const spending = open();
    spending.add(expense(2));
    spending.add(expense(2));
    expect(told).toMatchObject([{ code: "SPENDING_UNSOUND" }]);
    rmSync(join(state, "spending"));
    expect(spending.spent().day).toBe(4);
    mkdirSync(join(state, "spending/2026-11.jsonl"), { recursive: true });
    expect(() => spending.spent()).toThrow("EISDIR");
    chmodSync(join(state, "spending"), 0o700);
  });
});

describe("a price", () => {
  const prices = {
    "openai/*": { input: 5, output: 20 },
    "openai/small*": { input: 1, output: 2 },
    "openai/small-1": { input: 0.5, output: 1 },
    "ollama/*": { input: 0, output: 0 },
  };

  it("is that of the model itself, else of the longest beginning, else not known", () => {
    expect(priceOf(prices, "openai/small-1")?.input).toBe(0.5);
    expect(priceOf(prices, "openai/small-2")?.input).toBe(1);
    expect(priceOf(prices, "openai/large")?.input).toBe(5);
    expect(priceOf(prices, "ollama/llama")).toEqual({ input: 0, output: 0 });
    expect(priceOf(prices, "other/m")).toBeUndefined();
    expect(priceOf(undefined, "other/m")).toBeUndefined();
  });

  it("is for a million tokens", () => {
    expect(costOf({ inputTokens: 2_000_000, outputTokens: 500_000 }, { input: 3, output: 8 })).toBe(10);
    expect(costOf({}, { input: 3, output: 8 })).toBe(0);
  });
});
