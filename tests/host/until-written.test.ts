import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createTexts } from "../../core/discovery/texts.ts";
import { untilWritten } from "../../core/host/until-written.ts";
import { makeTree } from "../helpers/tree.ts";

/** Whether it waits for a file, until that is written. */
async function waitsFor(file: string, texts = createTexts()): Promise<boolean> {
  let isOver = false;
  const over = untilWritten([file], { texts, withinMs: 600_000 }).then(() => {
    isOver = true;
  });
  await sleep(20);
  const waited = !isOver;
  writeFileSync(file, "written");
  await over;
  return waited;
}

describe("a file that is empty for a moment", () => {
  it("is waited for where it held something, or is a module that nobody has read", async () => {
    const root = makeTree({ "new.ts": "", "new.mjs": "", "old.md": "text" });
    expect(await waitsFor(join(root, "new.ts"))).toBe(true);
    expect(await waitsFor(join(root, "new.mjs"))).toBe(true);
    const texts = createTexts();
    texts.read(join(root, "old.md"));
    writeFileSync(join(root, "old.md"), "");
    expect(await waitsFor(join(root, "old.md"), texts)).toBe(true);
  });

  it("is not where that may be all that it is to hold, was known to be, or was found useless", async () => {
    const root = makeTree({ ".toggle-0": "", "empty.md": "", "useless.ts": "" });
    expect(await waitsFor(join(root, ".toggle-0"))).toBe(false);
    const texts = createTexts();
    texts.read(join(root, "empty.md"));
    texts.read(join(root, "useless.ts"));
    texts.forget(join(root, "useless.ts"));
    expect(await waitsFor(join(root, "empty.md"), texts)).toBe(false);
    expect(await waitsFor(join(root, "useless.ts"), texts)).toBe(false);
    expect(await waitsFor(join(root, "gone.ts"), texts)).toBe(false);
  });

  it("is taken as it is where it stays so", async () => {
    const root = makeTree({ "new.ts": "" });
    await untilWritten([join(root, "new.ts")], { texts: createTexts(), withinMs: 5 });
  });
});
