import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { acquireProcessGuard, type CapturedOutput, type ProcessGuard } from "../../core/governance/process-guard.ts";

const held: ProcessGuard[] = [];
afterEach(() => {
  for (const guard of held.splice(0)) guard.release();
});

function acquire(): ProcessGuard {
  const guard = acquireProcessGuard({ report() {} });
  held.push(guard);
  return guard;
}

/** What `content` prints, by owner. */
function scopeFor(owner: string, into: Record<string, CapturedOutput[]>) {
  into[owner] = [];
  return { owner, onOutput: (output: CapturedOutput) => void into[owner]?.push(output) };
}

describe("what content prints", () => {
  it("is captured from every way out and told apart by stream", async () => {
    const guard = acquire();
    const printed: Record<string, CapturedOutput[]> = {};
    await guard.run(scopeFor("a", printed), async () => {
      console.log("log %d", 1);
      await sleep(1);
      console.error("error");
      console.table([{ x: 1 }]);
      process.stdout.write("raw");
      process.stderr.write(Buffer.from("bytes"));
      await new Promise<void>((resolve) => process.stdout.write("done", "utf8", () => resolve()));
    });
    const texts = printed.a?.map(({ stream, text }) => `${stream} ${text.trim().split("\n")[0]}`);
    expect(texts).toEqual([
      "stdout log 1",
      "stderr error",
      expect.stringMatching(/^stdout .─/),
      "stdout raw",
      "stderr bytes",
      "stdout done",
    ]);
  });

  it("belongs to its owner, also in timers and beside others", async () => {
    const guard = acquire();
    const printed: Record<string, CapturedOutput[]> = {};
    const work = (owner: string) =>
      guard.run(scopeFor(owner, printed), async () => {
        for (let index = 0; index < 3; index++) {
          await sleep(1);
          console.log(owner);
        }
      });
    await Promise.all([work("a"), work("b")]);
    for (const owner of ["a", "b"])
      expect(printed[owner]?.map(({ text }) => text)).toEqual(Array(3).fill(`${owner}\n`));
  });

  it("is bounded, and the last piece says so", () => {
    const guard = acquire();
    const printed: Record<string, CapturedOutput[]> = {};
    guard.run(scopeFor("a", printed), () => {
      for (let index = 0; index < 100; index++) process.stdout.write("x".repeat(1000));
    });
    const pieces = printed.a ?? [];
    expect(pieces.reduce((sum, { text }) => sum + text.length, 0)).toBe(64 * 1024);
    expect(pieces.filter(({ truncated }) => truncated)).toEqual([pieces.at(-1)]);
  });

  it("may be printed by whoever takes it", () => {
    const guard = acquire();
    let nested = 0;
    guard.run({ owner: "a", onOutput: () => void (++nested < 3 && process.stderr.write("")) }, () => console.log("x"));
    expect(nested).toBe(1);
  });
});

describe("holds", () => {
  it("are counted: with the last one everything is as it was", () => {
    const before = [process.stdout.write, process.stderr.write, console.log, globalThis.queueMicrotask];
    const ownBefore = Object.hasOwn(process.stdout, "write");
    const listeners = process.listenerCount("uncaughtException");
    const first = acquire();
    const second = acquire();
    expect(process.stdout.write).not.toBe(before[0]);
    first.release();
    first.release();
    expect(process.stdout.write).not.toBe(before[0]);
    expect(process.listenerCount("uncaughtException")).toBe(listeners + 1);
    second.release();
    expect([process.stdout.write, process.stderr.write, console.log, globalThis.queueMicrotask]).toEqual(before);
    expect(Object.hasOwn(process.stdout, "write")).toBe(ownBefore);
    expect(process.listenerCount("uncaughtException")).toBe(listeners);
  });

  it("that were let go run content without capturing", () => {
    const gone = acquire();
    acquire();
    gone.release();
    const printed: Record<string, CapturedOutput[]> = {};
    expect(gone.run(scopeFor("a", printed), () => 5)).toBe(5);
    expect(printed.a).toEqual([]);
  });

  it("leave alone whoever put himself over them", () => {
    const guard = acquire();
    const original = console.info;
    const mine = () => {};
    console.info = mine;
    guard.release();
    expect(console.info).toBe(mine);
    console.info = original;
    acquire().release();
  });
});

/** Runs a script against the guard in a process of its own. */
function inProcess(body: string) {
  const directory = mkdtempSync(join(tmpdir(), "guard-"));
  const root = join(import.meta.dirname, "../..");
  const source = join(root, "core/governance/process-guard.ts");
  const script = join(directory, "script.mjs");
  writeFileSync(
    script,
    `import { acquireProcessGuard } from ${JSON.stringify(source)};
     const guard = acquireProcessGuard({ report: ({ code, message }) => console.log(code, message) });
     const content = (fn) => guard.run({ owner: "tool x.y", onOutput() {} }, fn);
     ${body}`,
  );
  try {
    return spawnSync(process.execPath, ["node_modules/.bin/jiti", script], { cwd: root, encoding: "utf8" });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

describe("stray errors", () => {
  it("of content are reported with its name and do not end the process", () => {
    const { stdout, status } = inProcess(`
      content(() => {
        setTimeout(() => { throw new Error("in a timer"); }, 1);
        setImmediate(() => { throw new Error("in an immediate"); });
        queueMicrotask(() => { throw new Error("in a microtask"); });
        process.nextTick(() => { throw new Error("in a tick"); });
        Promise.reject(new Error("in a promise"));
        (async () => { await null; throw "no error at all"; })();
      });
      setTimeout(() => console.log("alive"), 50);`);
    expect(stdout.split("\n").filter(Boolean).sort()).toEqual([
      "STRAY_ERROR tool x.y threw outside of a call: in a microtask",
      "STRAY_ERROR tool x.y threw outside of a call: in a promise",
      "STRAY_ERROR tool x.y threw outside of a call: in a tick",
      "STRAY_ERROR tool x.y threw outside of a call: in a timer",
      "STRAY_ERROR tool x.y threw outside of a call: in an immediate",
      "STRAY_ERROR tool x.y threw outside of a call: no error at all",
      "alive",
    ]);
    expect(status).toBe(0);
  });

  it.each([
    ["a timer", 'setTimeout(() => { throw new Error("not content"); }, 1);'],
    ["a promise", 'Promise.reject(new Error("not content"));'],
  ])("of anybody else in %s end the process as before", (_, body) => {
    const { stderr, stdout, status } = inProcess(`${body} setTimeout(() => console.log("alive"), 50);`);
    expect(stderr).toContain("Error: not content");
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  it("of anybody else go to his own listeners where he has some", () => {
    const { stdout, status } = inProcess(`
      process.on("uncaughtException", (error) => console.log("seen", error.message));
      setTimeout(() => { throw new Error("not content"); }, 1);
      setTimeout(() => console.log("alive"), 50);`);
    expect(stdout).toBe("seen not content\nalive\n");
    expect(status).toBe(0);
  });
});
