import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/sdk/result.ts";
import { judgeCommand } from "../../core/shell/judge-command.ts";
import { namesRunByBash } from "./bash-names.ts";
import { LISTS, makeGround, policyWith } from "./ground.ts";
import { scripts, soups } from "./scripts.ts";

const SEED = 20_261_130;
/** Judging waits for the disk. */
const AT_ONCE = 50;
const LOW: ReadonlySet<string> = new Set(LISTS.low_risk_commands);

let ground: Awaited<ReturnType<typeof makeGround>>;
let policy: JsonObject;
beforeAll(async () => {
  ground = await makeGround();
  policy = policyWith(LISTS);
});
afterAll(() => rm(join(ground.root, ".."), { recursive: true, force: true }));

const judge = (command: string) => judgeCommand(command, { workspace: ground.workspace, policy });

describe(`of random scripts (seed ${SEED})`, () => {
  it("those that are low run low commands only, by who wrote them and by bash", async () => {
    const found: string[] = [];
    await fc.assert(
      fc.asyncProperty(many(scripts({ low: false })), async (some) => {
        const verdicts = await Promise.all(some.map(({ text }) => judge(text)));
        const low = some.filter((_, index) => verdicts[index]?.level === "low");
        found.push(...low.map(({ text }) => text));
        expect(low.filter(({ runs }) => runs.some((name) => !LOW.has(name)))).toEqual([]);
      }),
      { numRuns: 12_000 / AT_ONCE, seed: SEED },
    );
    expect(found.length).toBeGreaterThan(1_000);
    await expectLowOnly(sampleOf(found, 20));
  });

  it("those of low commands are low: chains, groups, branches and loops add nothing", async () => {
    const found: string[] = [];
    await fc.assert(
      fc.asyncProperty(many(scripts({ low: true })), async (some) => {
        const verdicts = await Promise.all(some.map(({ text }) => judge(text)));
        const others = some
          .map(({ text }, index) => ({ text, ...verdicts[index] }))
          .filter(({ level }) => level !== "low");
        expect(others).toEqual([]);
        found.push(...some.map(({ text }) => text));
      }),
      { numRuns: 3_000 / AT_ONCE, seed: SEED },
    );
    await expectLowOnly(sampleOf(found, 20));
  });

  it("those of any signs and words that are low run low commands only, by bash", async () => {
    const found = new Set<string>();
    await fc.assert(
      fc.asyncProperty(many(soups()), async (some) => {
        const verdicts = await Promise.all(some.map(judge));
        for (const [index, text] of some.entries()) if (verdicts[index]?.level === "low") found.add(text);
      }),
      { numRuns: 5_000 / AT_ONCE, seed: SEED },
    );
    expect(found.size).toBeGreaterThan(50);
    await expectLowOnly(sampleOf([...found], 40));
  });
});

function many<Value>(one: fc.Arbitrary<Value>): fc.Arbitrary<readonly Value[]> {
  return fc.array(one, { minLength: AT_ONCE, maxLength: AT_ONCE, size: "max" });
}

/** Bash runs the text itself, and what was planned for it; both times the names of all commands are taken. */
async function expectLowOnly(texts: readonly string[]): Promise<void> {
  const planned = await Promise.all(
    texts.map(async (text) => {
      const { plan } = await judge(text);
      return plan?.kind === "bash" ? plan.script : plan?.argv[0];
    }),
  );
  const names: (readonly string[])[] = [];
  for (const [index, text] of texts.entries()) {
    names.push(await namesRunByBash([text, planned[index] as string], ground.root));
  }
  const others = names.map((run, index) => ({ text: texts[index], others: run.filter((name) => !LOW.has(name)) }));
  expect(others.filter((one) => one.others.length > 0)).toEqual([]);
  // The handler was there.
  expect(new Set(names.flat()).size).toBeGreaterThan(1);
}

/** Some of them, from everywhere. */
function sampleOf(texts: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, Math.floor(texts.length / count));
  return texts.filter((_, index) => index % step === 0).slice(0, count);
}
