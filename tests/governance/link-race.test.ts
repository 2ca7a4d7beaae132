import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import { type CallWorkspace, createWorkspace } from "../../core/governance/workspace.ts";
import { isToolError } from "../../core/sdk/errors.ts";
import { makeTree } from "../helpers/tree.ts";

/** So often a reader meets the moment in which a check by paths is deceived; writing is slower. */
const READS = 1_500;
const WRITES = 100;

/** Another thread that swaps `d` all the time: the directory itself, nothing, a link to a directory outside. */
const SWAPPER = `
const { renameSync } = require("node:fs");
const { workerData: root } = require("node:worker_threads");
const to = (from, name) => { try { renameSync(root + "/" + from, root + "/" + name); } catch {} };
for (;;) { to("real", "d"); to("d", "real"); to("link", "d"); to("d", "link"); }
`;

/** A workspace in which `d` is never the same for long. */
async function moving() {
  const base = makeTree({
    "ws/real/a.txt": "inside",
    "ws/real/only-inside.txt": "",
    "outside/a.txt": "SECRET",
    "outside/only-outside.txt": "",
  });
  const root = join(base, "ws");
  symlinkSync(join(base, "outside"), join(root, "link"));
  const swapper = new Worker(SWAPPER, { eval: true, workerData: root });
  onTestFinished(async () => void (await swapper.terminate()));
  return { workspace: await createWorkspace({ root }), root, outside: join(base, "outside") };
}

/** What came of many tries; refusals by their code. */
async function tries(work: () => Promise<unknown>, rounds: number): Promise<ReadonlySet<unknown>> {
  const found = new Set<unknown>();
  for (let round = 0; round < rounds; round++) {
    await work().then(
      (value) => found.add(value),
      (error: unknown) => found.add(isToolError(error) ? error.code : error),
    );
  }
  return found;
}

const CODES = ["NOT_FOUND", "ACCESS_DENIED", "CONFLICT"];

test("nothing outside is read through a link that comes and goes", async () => {
  const { workspace } = await moving();
  const found = await tries(() => workspace.readText("d/a.txt"), READS);
  for (const value of found) expect(["inside", ...CODES]).toContain(value);
});

test("nothing outside is listed", async () => {
  const { workspace } = await moving();
  const names = async ({ list }: CallWorkspace) => (await list("d")).map(({ path }) => path.slice(2)).join();
  const found = await tries(() => names(workspace), READS);
  for (const value of found) expect(["a.txt,only-inside.txt", "INVALID_PARAM", ...CODES]).toContain(value);
});

test("nothing outside is written, and no directory is made there", async () => {
  const { workspace, outside } = await moving();
  await tries(() => workspace.write("d/new.txt", "x"), WRITES);
  await tries(() => workspace.write("d/deep/er/new.txt", "x"), WRITES);
  expect(readdirSync(outside).sort()).toEqual(["a.txt", "only-outside.txt"]);
});

test("what is read is what lay there, and a file that is replaced is read whole", async () => {
  const root = makeTree({ "a.txt": "0".repeat(1000) });
  mkdirSync(join(root, "d"));
  const workspace = await createWorkspace({ root });
  const texts = await tries(async () => {
    const [text] = await Promise.all([workspace.readText("a.txt"), workspace.write("a.txt", "1".repeat(1000))]);
    writeFileSync(join(root, "d/x"), text);
    return new Set(text).size;
  }, WRITES);
  for (const value of texts) expect([1, "CONFLICT"]).toContain(value);
});
