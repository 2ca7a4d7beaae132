import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { type CallLine, createLog } from "../../core/governance/log.ts";
import { createMasker } from "../../core/governance/mask.ts";

let directory: string;
let file: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "log-"));
  file = join(directory, "deep", "er", "host.log");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const LINE: CallLine = {
  tool: "_files.word_count",
  face: "cli",
  status: "success",
  durationMs: 3,
  id: "c1",
  generation: 1,
};

function lines(): Record<string, unknown>[] {
  const text = readFileSync(file, "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log", () => {
  it("has one line for a call, in order with those of tools", async () => {
    const log = createLog({ file });
    const tool = log.forTool("_files.word_count", "c1");
    tool.info("reading", { path: "a.txt" });
    log.call(LINE);
    tool.debug("not at this level");
    tool.warn("slow");
    tool.error("bad");
    await log.close();
    expect(lines()).toMatchObject([
      { level: 30, tool: "_files.word_count", id: "c1", fields: { path: "a.txt" }, msg: "reading" },
      { level: 30, ...LINE, msg: "call" },
      { level: 40, msg: "slow" },
      { level: 50, msg: "bad" },
    ]);
    expect(lines()[0]).not.toHaveProperty("hostname");
  });

  it("opens nothing before the first line, and nothing ever without a file", async () => {
    const log = createLog({ file });
    expect(existsSync(file)).toBe(false);
    await log.close();
    expect(existsSync(file)).toBe(false);
    const none = createLog({});
    none.call(LINE);
    none.forTool("t", "c").info("x");
    none.flush();
    await none.close();
  });

  it("is appended to, and is on the disk when it was flushed", async () => {
    for (let round = 0; round < 2; round++) {
      const log = createLog({ file });
      log.call(LINE);
      log.flush();
      expect(lines()).toHaveLength(round + 1);
      await log.close();
    }
  });

  it("takes nothing after it was closed", async () => {
    const log = createLog({ file });
    log.call(LINE);
    await log.close();
    log.call(LINE);
    log.forTool("t", "c").info("late");
    await log.close();
    expect(lines()).toHaveLength(1);
  });

  it("is masked: calls, messages, fields; ids are kept", async () => {
    const masker = createMasker([{ name: "KEY", value: "sk-proj-abcdef" }]);
    const log = createLog({ file, masker });
    log.call({ ...LINE, requested: "x sk-proj-abcdef" });
    log.forTool("t", "c1").info("Bearer sk-proj-abcdef", { deep: [{ header: "sk-proj-abcdef" }], "sk-proj-abcdef": 1 });
    await log.close();
    expect(readFileSync(file, "utf8")).not.toContain("sk-proj-abcdef");
    expect(lines()).toMatchObject([
      { requested: "x §§secret(KEY)", id: "c1" },
      { msg: "Bearer §§secret(KEY)", fields: { deep: [{ header: "§§secret(KEY)" }] }, id: "c1" },
    ]);
  });

  it("takes whatever an author hands to it", async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const log = createLog({ file });
    log.forTool("t", "c").info("odd", {
      at: new Date(0),
      big: 1n,
      cycle,
      fn: () => 1,
      none: undefined,
      tool: "forged",
      error: new TypeError("boom"),
    });
    await log.close();
    expect(lines()[0]).toMatchObject({
      tool: "t",
      fields: {
        at: "not JSON: an instance of Date",
        big: "not JSON: a bigint",
        cycle: "not JSON: a cycle",
        fn: "not JSON: a function",
        tool: "forged",
        error: { name: "TypeError", message: "boom" },
      },
    });
  });

  it("says once that it cannot be written, and calls go on", async () => {
    const found: Diagnostic[] = [];
    writeFileSync(join(directory, "deep"), "a file, not a directory");
    const log = createLog({ file, report: (item) => found.push(item) });
    log.call(LINE);
    log.call(LINE);
    await log.close();
    expect(found).toMatchObject([{ severity: "warning", code: "LOG_UNWRITABLE", file }]);
  });

  it("loses no line when the process exits at once", () => {
    const script = join(directory, "script.mjs");
    const source = JSON.stringify(join(import.meta.dirname, "../../core/governance/log.ts"));
    writeFileSync(
      script,
      `import { createLog } from ${source};
       const log = createLog({ file: ${JSON.stringify(file)} });
       for (let i = 0; i < 100; i++) log.call({ tool: "t", face: "cli", status: "success", durationMs: i, id: "c", generation: 1 });
       process.exit(0);`,
    );
    execFileSync(process.execPath, ["node_modules/.bin/jiti", script], { cwd: join(import.meta.dirname, "../..") });
    expect(lines()).toHaveLength(100);
  });
});
