import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { ProbeOptions, ProbeTarget } from "../../core/probing/probe.ts";
import { ENTRY, type ProbeBench, probeBench } from "./workbench.ts";

const open: ProbeBench[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((bench) => bench.close()));
});

function bench(options: Partial<ProbeOptions> = {}): ProbeBench {
  const made = probeBench(options);
  open.push(made);
  return made;
}

/** For modules that block: they are ended soon. */
const SOON = { timeoutMs: 300 };
/** Where others have to load in that time too. */
const LATER = { timeoutMs: 1_500 };

describe("modules that are in order", () => {
  test("a tool and an extension are ok, without a note", async () => {
    const { probe, tool, write, reports } = bench();
    const file = write(
      "extensions/monologue_start/_10_any.ts",
      'import { Extension } from "toolroom";\nexport default class Any extends Extension<"monologue_start"> {\n  async execute() {}\n}\n',
    );
    const extension: ProbeTarget = { id: "monologue_start/_10_any", file, kind: "extension" };
    const outcomes = await probe.check([tool("good", ""), extension]);
    expect(outcomes).toEqual([
      { ok: true, notes: [] },
      { ok: true, notes: [] },
    ]);
    expect(await probe.check([])).toEqual([]);
    expect(reports).toEqual([]);
  });

  test("find what they find in the host: variables, a directory to change, the main thread, standard streams", async () => {
    process.env.TOOLROOM_PROBING_TEST = "here";
    try {
      const { probe, tool } = bench();
      const top = `
import { isMainThread } from "node:worker_threads";
if (process.env.TOOLROOM_PROBING_TEST !== "here" || !isMainThread) throw new Error("elsewhere");
process.chdir(import.meta.dirname);
process.env.TOOLROOM_PROBING_LEFT = "left";
process.umask(0o022);
`;
      expect(await probe.check([tool("at_home", top)])).toEqual([{ ok: true, notes: [] }]);
      expect(process.env.TOOLROOM_PROBING_LEFT).toBeUndefined();
    } finally {
      delete process.env.TOOLROOM_PROBING_TEST;
    }
  });

  test("leave nothing to the next check", async () => {
    const { probe, tool } = bench();
    const top = 'if ((globalThis as any).seen) throw new Error("seen"); (globalThis as any).seen = true;';
    const target = tool("once", top);
    expect(await probe.check([target])).toEqual([{ ok: true, notes: [] }]);
    expect(await probe.check([target])).toEqual([{ ok: true, notes: [] }]);
  });

  test("leave their transformed text in the cache for the host", async () => {
    const { probe, tool, cacheDir } = bench();
    await probe.check([tool("cached", "export const mark = 'a text to be found again';")]);
    const modules = path.join(cacheDir, "modules");
    const texts = readdirSync(modules).map((name) => readFileSync(path.join(modules, name), "utf8"));
    expect(texts.some((text) => text.includes("a text to be found again"))).toBe(true);
  });

  test("have no line to the host to speak in the name of the probe", async () => {
    const { probe, tool } = bench();
    const top = 'if (process.send !== undefined) throw new Error("a line");';
    expect(await probe.check([tool("mute", top)])).toEqual([{ ok: true, notes: [] }]);
  });

  test("are not ended by an interrupt from the keyboard, which the host hears too", async () => {
    const { probe, tool } = bench();
    const top =
      'import { execFileSync } from "node:child_process";\nexecFileSync("kill", ["-INT", String(process.pid)]);';
    expect(await probe.check([tool("interrupted", top)])).toEqual([{ ok: true, notes: [] }]);
  });
});

describe("what the loader says", () => {
  test.each([
    ["a syntax error", "const = 1;", { code: "LOAD_SYNTAX", file: "tools/bad.ts", line: 2, column: 7 }],
    ["a throw", "throw new Error('no');", { code: "LOAD_THREW", file: "tools/bad.ts", line: 2 }],
    ["a missing import", 'import "./nothing.ts";', { code: "LOAD_UNRESOLVED", file: "tools/bad.ts" }],
  ])("%s is told as it is", async (_, line, expected) => {
    const { probe, tool } = bench();
    const [outcome] = await probe.check([tool("bad", `// a comment\n${line}`)]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { severity: "error", ...expected } });
  });

  test("a default export of the wrong kind is refused by kind", async () => {
    const { probe, tool } = bench();
    const target = { ...tool("a_tool", ""), id: "monologue_start/a_tool", kind: "extension" } as const;
    const [outcome] = await probe.check([target]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { code: "LOAD_NOT_AN_EXTENSION" } });
  });

  test("a top level that waits for ever is given up by the loader, which names the module that waits", async () => {
    const { probe, tool } = bench(SOON);
    const target = tool("waits", 'import "./helper.ts";', { "tools/helper.ts": "await new Promise(() => {});" });
    const [outcome] = await probe.check([target]);
    expect(outcome).toMatchObject({ ok: false, diagnostic: { code: "LOAD_TIMEOUT", file: "tools/helper.ts" } });
  });
});

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

describe("several targets", () => {
  test("each has a verdict of its own, whatever the others do", async () => {
    const { probe, tool } = bench(LATER);
    const outcomes = await probe.check([
      tool("one", ""),
      tool("hangs", "for (;;);"),
      tool("two", ""),
      tool("leaves", "process.exit();"),
      tool("throws", 'throw new Error("no");'),
      tool("three", ""),
    ]);
    expect(outcomes.map((outcome) => outcome.ok || outcome.diagnostic.code)).toEqual([
      true,
      "PROBE_TIMEOUT",
      true,
      "PROBE_EXITED",
      "LOAD_THREW",
      true,
    ]);
  });

  test("one that fills the memory costs itself alone", async () => {
    const { probe, tool } = bench({ memoryMb: 64 });
    const fills = tool("fills", "const all = [];\nfor (;;) all.push({ some: 1 });");
    const outcomes = await probe.check([tool("one", ""), fills, tool("two", "")]);
    expect(outcomes.map((outcome) => outcome.ok || outcome.diagnostic.code)).toEqual([
      true,
      "PROBE_OUT_OF_MEMORY",
      true,
    ]);
  });

  test("a late throw is blamed on the one that began it, while another is loaded", async () => {
    const { probe, tool } = bench();
    const [late, slow] = await probe.check([
      tool("late", 'setTimeout(() => { throw new Error("late"); }, 30);'),
      tool("slow", "await new Promise((resolve) => setTimeout(resolve, 100));"),
    ]);
    expect(late).toMatchObject({ ok: false, diagnostic: { code: "PROBE_LATE_ERROR", file: "tools/late.ts" } });
    expect(slow).toEqual({ ok: true, notes: [] });
  });

  test("checks that come at once follow each other", async () => {
    const { probe, tool } = bench(LATER);
    const outcomes = await Promise.all([
      probe.check([tool("hangs", "for (;;);")]),
      probe.check([tool("good", "")]),
      probe.check([tool("bad", "throw 1;")]),
    ]);
    expect(outcomes.flat().map(({ ok }) => ok)).toEqual([false, true, false]);
  });

  test("two probes of one process do not meet", async () => {
    const [first, second] = [bench(SOON), bench()];
    const [hanging, good] = await Promise.all([
      first.probe.check([first.tool("same", "for (;;);")]),
      second.probe.check([second.tool("same", "")]),
    ]);
    expect([hanging[0]?.ok, good[0]?.ok]).toEqual([false, true]);
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

describe("its own life", () => {
  test("close ends a check that runs: what has no verdict is told so", async () => {
    const { probe, tool } = bench();
    const check = probe.check([tool("hangs", "for (;;);"), tool("good", "")]);
    await probe.close();
    const outcomes = await check;
    expect(outcomes.map((outcome) => !outcome.ok && outcome.diagnostic.code)).toEqual([
      "PROBE_ABANDONED",
      "PROBE_ABANDONED",
    ]);
    expect(await probe.check([tool("later", "")])).toMatchObject([
      { ok: false, diagnostic: { code: "PROBE_ABANDONED", file: "tools/later.ts" } },
    ]);
  });

  test("a signal ends one check, in the middle of it, and the next one works", async () => {
    const { probe, tool, root } = bench();
    const sign = path.join(root, "sign");
    const top = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(sign)}, "");\nfor (;;);`;
    const stop = new AbortController();
    const check = probe.check([tool("good", ""), tool("hangs", top)], { signal: stop.signal });
    await expect.poll(() => existsSync(sign), { timeout: 15_000 }).toBe(true);
    stop.abort();
    expect(await check).toMatchObject([{ ok: true }, { ok: false, diagnostic: { code: "PROBE_ABANDONED" } }]);
    expect(await probe.check([tool("good", "")])).toEqual([{ ok: true, notes: [] }]);
  });

  test.each([
    ["is not there", "nowhere/probe-main.js"],
    ["fails", "fails.mjs"],
  ])("a program that %s is told once, and keeps nothing from being loaded", async (_, name) => {
    const place = bench();
    place.write("fails.mjs", 'throw new Error("no");');
    const { probe, tool, reports } = bench({ entry: path.join(place.root, name) });
    expect(await probe.check([tool("one", ""), tool("two", "")])).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await probe.check([tool("one", "")])).toMatchObject([{ ok: true }]);
    expect(reports).toMatchObject([{ severity: "warning", code: "PROBE_UNAVAILABLE" }]);
  });

  test("content prints nothing on the host's streams, and an idle probe keeps no process alive", async () => {
    const { root, tool, write } = bench();
    const target = tool(
      "prints",
      'import { writeSync } from "node:fs";\nconsole.log("loud");\nconsole.error("loud");\nprocess.stdout.write("loud");\nwriteSync(1, "loud");',
    );
    const child = spawnHost(root, write, target);
    const text = { out: "", err: "" };
    child.stdout.on("data", (chunk) => {
      text.out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      text.err += chunk;
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, ...text }).toEqual({ code: 0, out: '{"ok":true,"notes":[]}\n', err: "" });
  });

  test("a module that blocks does not outlive the host, however that ends", async () => {
    const { root, tool, write } = bench();
    const sign = path.join(root, "sign");
    const top = `import { renameSync, writeFileSync } from "node:fs";
writeFileSync(${JSON.stringify(`${sign}.new`)}, String(process.pid));
renameSync(${JSON.stringify(`${sign}.new`)}, ${JSON.stringify(sign)});
for (;;);`;
    const child = spawnHost(root, write, tool("hangs", top));
    const closed = new Promise((resolve) => child.once("close", resolve));
    await expect.poll(() => existsSync(sign), { timeout: 15_000 }).toBe(true);
    const pid = Number(readFileSync(sign, "utf8"));
    expect(isAlive(pid)).toBe(true);
    child.kill("SIGKILL");
    await closed;
    await expect.poll(() => isAlive(pid), { timeout: 15_000 }).toBe(false);
  });
});

/** A process that probes one target for a minute at most, and prints the outcome. */
function spawnHost(root: string, write: ProbeBench["write"], target: ProbeTarget) {
  const source = path.resolve(import.meta.dirname, "../../core/probing/probe.ts");
  const script = write(
    "host.mjs",
    `import { createJiti } from ${JSON.stringify(import.meta.resolve("jiti"))};
const { openProbe } = await createJiti(import.meta.url).import(${JSON.stringify(source)});
const probe = openProbe({ root: ${JSON.stringify(root)}, contentRoots: () => [${JSON.stringify(root)}],
  entry: ${JSON.stringify(ENTRY)}, timeoutMs: 60_000, report: console.error });
const [outcome] = await probe.check([${JSON.stringify(target)}]);
console.log(JSON.stringify(outcome));
`,
  );
  return spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "pipe"] });
}

/** An ended process that nobody has waited for is none. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/su.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "");
  } catch {
    return false;
  }
}
