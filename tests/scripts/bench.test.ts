import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const BENCH = new URL("../../scripts/bench/", import.meta.url);

interface Medians {
  readonly ours: number;
  readonly baseline: number;
}
interface Goal {
  readonly text: string;
  ratio(medians: Medians): number;
  holds(medians: Medians): boolean;
}
interface Tree {
  readonly root: string;
  readonly directories: string[];
  readonly tools: string[];
  readonly fragments: string[];
}
type Sides = Record<"ours" | "baseline", () => number | Promise<number>>;

/** The bench is plain JavaScript, so its types are said here. */
async function bench<Module>(file: string): Promise<Module> {
  return (await import(/* @vite-ignore */ new URL(file, BENCH).href)) as Module;
}

describe("the harness", () => {
  it("takes the middle of an odd count and the mean of the middle two of an even one", async () => {
    const { median } = await bench<{ median(values: readonly number[]): number }>("harness.mjs");
    expect(median([9, 1, 5])).toBe(5);
    expect(median([10, 1, 2, 3])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it("measures both sides in turn and counts no warm-up", async () => {
    const { interleave } = await bench<{
      interleave(sides: Sides, options: { rounds: number; warmUp: number }): Promise<Record<string, number[]>>;
    }>("harness.mjs");
    const order: string[] = [];
    const side = (name: string) => () => order.push(name);
    const samples = await interleave({ ours: side("A"), baseline: side("B") }, { rounds: 3, warmUp: 1 });
    expect(order.join("")).toBe("ABABABAB");
    expect(samples).toEqual({ ours: [3, 5, 7], baseline: [4, 6, 8] });
  });
});

describe("the goals", () => {
  it.each([
    ["ratioAtMost", [1.5], { ours: 3, baseline: 2 }, { ours: 3.1, baseline: 2 }],
    ["timesFaster", [4], { ours: 1, baseline: 4 }, { ours: 1, baseline: 3.9 }],
    ["moreAtMost", [15, "µs"], { ours: 16, baseline: 1 }, { ours: 17, baseline: 1 }],
    ["atMost", [5, "µs"], { ours: 5, baseline: 1 }, { ours: 6, baseline: 100 }],
    ["partOf", [4], { ours: 1, baseline: 4 }, { ours: 1.1, baseline: 4 }],
    ["within", [10], { ours: 0.95, baseline: 1 }, { ours: 1.2, baseline: 1 }],
  ])("%s(%j) holds %j and refuses %j", async (name, args, good, bad) => {
    const goals = await bench<Record<string, (...args: unknown[]) => Goal>>("goals.mjs");
    const goal = goals[name]?.(...args);
    expect(goal?.holds(good)).toBe(true);
    expect(goal?.holds(bad)).toBe(false);
    expect(goal?.text).toMatch(/\d/u);
  });

  it("gives the ratio the way round in which the goal reads", async () => {
    const goals = await bench<Record<string, (limit: number) => Goal>>("goals.mjs");
    expect(goals.ratioAtMost?.(2).ratio({ ours: 1, baseline: 4 })).toBe(0.25);
    expect(goals.timesFaster?.(2).ratio({ ours: 1, baseline: 4 })).toBe(4);
  });
});

describe("a generated tree", () => {
  let directory: string;
  let writeTree: (directory: string, options: { plugins: number; toolBytes?: number }) => Tree;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "bench-test-"));
    ({ writeTree } = await bench<{ writeTree: typeof writeTree }>("trees.mjs"));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it("holds two tools and their fragments for each plugin, and names every directory", () => {
    const { tools, fragments, directories, root } = writeTree(join(directory, "a"), { plugins: 3 });
    expect([tools.length, fragments.length, directories.length]).toEqual([6, 6, 2 + 3 * 3]);
    const found = readdirSync(root, { recursive: true, withFileTypes: true });
    expect(found.filter((entry) => entry.isDirectory()).length).toBe(directories.length);
    expect(found.filter((entry) => entry.isFile()).length).toBe(6 + 6 + 3);
  });

  it("has the same bytes each time, and modules of the size that was asked for", () => {
    const [one, two] = ["b", "c"].map((name) => writeTree(join(directory, name), { plugins: 2, toolBytes: 9_000 }));
    const texts = (tree: Tree | undefined) => tree?.tools.map((file) => readFileSync(file, "utf8"));
    expect(texts(one)).toEqual(texts(two));
    for (const text of texts(one) ?? []) expect(text.length).toBeGreaterThanOrEqual(9_000);
  });
});

describe("the rows", () => {
  it("each say what they compare with which goal, and what a smoke run takes", async () => {
    interface Row {
      name: string;
      against: string;
      unit: string;
      sizes?: number[];
      smokeSizes?: number[];
      rounds?: number;
      counted?: boolean;
      goal(size?: number): Goal;
    }
    const { ROWS } = await bench<{ ROWS: readonly Row[] }>("rows.mjs");
    expect(new Set(ROWS.map((row) => row.name)).size).toBe(ROWS.length);
    for (const row of ROWS) {
      expect(row.name && row.against && row.unit).toBeTruthy();
      expect(row.smokeSizes === undefined).toBe(row.sizes === undefined);
      if (!row.counted) if (!row.counted) expect(row.rounds ?? 9).toBeGreaterThanOrEqual(9);
      for (const size of row.sizes ?? [undefined]) expect(row.goal(size).text).not.toBe("");
    }
    const files = readdirSync(new URL("rows/", BENCH));
    expect(files.length).toBe(ROWS.length);
  });
});

describe("the program", () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [fileURLToPath(new URL("main.mjs", BENCH)), ...args], { encoding: "utf8" });

  it("prints one JSON value and nothing else with --json", () => {
    expect(JSON.parse(run("--json", "--only", "a row that does not exist"))).toEqual({ rows: [] });
  });

  it("tells its options", () => {
    const help = run("--help");
    for (const option of ["--only", "--smoke", "--check", "--json"]) expect(help).toContain(option);
  });
});

describe("the table", () => {
  it("has one line a row, with the figures and whether the goal holds", async () => {
    const { formatTable } = await bench<{ formatTable(rows: readonly object[]): string }>("table.mjs");
    const row = {
      name: "scan",
      against: "readdir",
      unit: "ms",
      ours: 1234.5,
      baseline: 1,
      ratio: 0.98765,
      goal: "≤ 1.3",
      holds: true,
    };
    const lines = formatTable([row, { ...row, holds: false }]).split("\n");
    expect(lines[0]).toMatch(/^name +ours +baseline +ratio +goal +holds$/u);
    expect(lines[2]).toMatch(/^scan +1235 ms +1\.00 ms readdir +0\.988 +≤ 1\.3 +yes$/u);
    expect(lines[3]).toMatch(/NO$/u);
  });
});
