import { describe, expect, test } from "vitest";
import { bench, SOON } from "./workbench.ts";

describe("a module that would take the host along", () => {
  const BLOCKS = "for (;;);";

  test("an endless loop is ended at the deadline, and told with the file", async () => {
    const { probe, tool } = bench(SOON);
    const [outcome] = await probe.check([tool("endless", BLOCKS)]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { code: "PROBE_TIMEOUT", file: "tools/endless.ts" } });
  });

  test("a loop in what it imports is told with the imported file, a loop after it with its own", async () => {
    const { probe, tool } = bench(SOON);
    const inHelper = tool("innocent", 'import "../lib/helper.ts";', { "lib/helper.ts": BLOCKS });
    const afterHelper = tool("guilty", `import "../lib/fine.ts";\n${BLOCKS}`, { "lib/fine.ts": "export {};" });
    const inRequired = tool("requires", 'import "../lib/old.cjs";', { "lib/old.cjs": BLOCKS });
    const outcomes = await probe.check([inHelper, afterHelper, inRequired]);
    expect(outcomes.map((outcome) => !outcome.ok && [outcome.diagnostic.code, outcome.diagnostic.file])).toEqual([
      ["PROBE_TIMEOUT", "lib/helper.ts"],
      ["PROBE_TIMEOUT", "tools/guilty.ts"],
      ["PROBE_TIMEOUT", "lib/old.cjs"],
    ]);
  });

  test("a loop that begins just after the load, and a wait in native code, are ended as well", async () => {
    const { probe, tool } = bench(SOON);
    const later = tool("later", "setTimeout(() => { for (;;); }, 0);");
    const native = tool("native", 'import { execFileSync } from "node:child_process";\nexecFileSync("sleep", ["5"]);');
    const outcomes = await probe.check([later, native]);
    expect(outcomes).toMatchObject([
      { ok: false, diagnostic: { code: "PROBE_TIMEOUT", file: "tools/later.ts" } },
      { ok: false, diagnostic: { code: "PROBE_TIMEOUT", file: "tools/native.ts" } },
    ]);
  });

  test.each([
    ["process.exit", "process.exit(3);", "process.exit(3)"],
    ["exit of node:process", 'import { exit } from "node:process";exit();', "process.exit()"],
    ["process.abort", "process.abort();", "process.abort()"],
    ["a signal to the host", "process.kill(process.ppid);", "process.kill()"],
    ["an exit that it tries to survive", "try { process.exit(0); } catch {} finally { for (;;); }", "process.exit(0)"],
  ])("%s is told with its line", async (_, line, call) => {
    const { probe, tool } = bench();
    const [outcome] = await probe.check([tool("leaves", `// first\n${line}`)]);
    expect(outcome).toMatchObject({
      ok: false,
      diagnostic: { code: "PROBE_EXITED", file: "tools/leaves.ts", line: 2, message: expect.stringContaining(call) },
    });
  });

  test("a crash that nobody announces is told with what ended the process", async () => {
    const { probe, tool } = bench();
    const top =
      'import { execFileSync } from "node:child_process";\nexecFileSync("kill", ["-SEGV", String(process.pid)]);';
    const [outcome] = await probe.check([tool("crashes", top)]);
    expect(outcome).toMatchObject({
      ok: false,
      diagnostic: { code: "PROBE_EXITED", file: "tools/crashes.ts", message: expect.stringContaining("SIGSEGV") },
    });
  });

  // Some of these end a whole process where a thread was to run out of memory.
  test.each([
    ["small objects", "const all = [];\nfor (;;) all.push({ some: 1 });"],
    ["a map", "const all = new Map();\nfor (let n = 0; ; n++) all.set(n, n);"],
    ["large arrays", "const all = [];\nfor (;;) all.push(new Array(1e6).fill(0));"],
    ["one huge array", "export const all = new Array(1e8).fill({});"],
    ["buffers", "const all = [];\nfor (;;) all.push(Buffer.alloc(1e7, 1));"],
  ])("memory full of %s is told with the file", async (_, top) => {
    const { probe, tool } = bench({ memoryMb: 64 });
    const [outcome] = await probe.check([tool("fills", top)]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { code: "PROBE_OUT_OF_MEMORY", file: "tools/fills.ts" } });
  });

  test("a late throw is told with its line", async () => {
    const { probe, tool } = bench();
    const [outcome] = await probe.check([tool("late", 'setTimeout(() => {\n  throw new Error("too late");\n}, 0);')]);
    expect(outcome).toMatchObject({
      ok: false,
      diagnostic: {
        code: "PROBE_LATE_ERROR",
        file: "tools/late.ts",
        line: 2,
        message: expect.stringContaining("too late"),
      },
    });
  });

  test.each([
    ["a rejected promise", 'Promise.reject(new Error("unheard"));'],
    ["a throw in a microtask", 'queueMicrotask(() => { throw new Error("unheard"); });'],
    ["a throw of what it imports", 'import "./late.ts";'],
  ])("%s that nobody hears is told", async (_, line) => {
    const { probe, tool } = bench();
    const late = 'setImmediate(() => { throw new Error("unheard"); });';
    const [outcome] = await probe.check([tool("bad", line, { "tools/late.ts": late })]);
    expect(outcome).toMatchObject({
      ok: false,
      diagnostic: { code: "PROBE_LATE_ERROR", line: 1, message: expect.stringContaining("unheard") },
    });
  });
});

describe("listeners on the process", () => {
  test.each(["uncaughtException", "unhandledRejection", "exit"])("one on %s is a note with its line", async (event) => {
    const { probe, tool } = bench();
    const [outcome] = await probe.check([tool("listens", `// first\nprocess.on("${event}", () => {});`)]);
    expect(outcome).toMatchObject({
      ok: true,
      notes: [{ severity: "warning", code: "PROBE_LISTENER", file: "tools/listens.ts", line: 2 }],
    });
    expect(outcome?.notes[0]?.message).toContain(event);
  });

  test("one of them hides no late throw", async () => {
    const { probe, tool } = bench();
    const top = 'process.on("uncaughtException", () => {});\nsetTimeout(() => { throw new Error("hidden"); }, 0);';
    const [outcome] = await probe.check([tool("hides", top)]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { code: "PROBE_LATE_ERROR", line: 2 } });
    expect(outcome?.notes).toHaveLength(1);
  });
});
