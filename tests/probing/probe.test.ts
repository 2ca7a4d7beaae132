import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contentHash } from "../../core/discovery/content-hash.ts";
import type { ProbeTarget } from "../../core/probing/probe.ts";
import { bench, ENTRY, LATER, type ProbeBench, SOON } from "./workbench.ts";

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

  test("are taken as the host would serve them, whatever the disk holds", async () => {
    const { probe, tool } = bench();
    const broken = tool("helped", 'import { word } from "./helper.ts";\nif (word !== "good") throw new Error(word);', {
      "tools/helper.ts": "not a module",
    });
    const helper = path.join(path.dirname(broken.file), "helper.ts");
    const text = 'export const word: string = "good";\n';
    const texts = new Map([[helper, { text, hash: contentHash(text) }]]);
    expect(await probe.check([broken], { texts })).toEqual([{ ok: true, notes: [] }]);
    expect(await probe.check([broken])).toMatchObject([{ ok: false, diagnostic: { file: "tools/helper.ts" } }]);
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
