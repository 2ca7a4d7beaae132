import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { loadShelves, type OpenShelf, type ShelfListeners } from "../../core/watching/chokidar.ts";
import { readWatchLimits } from "../../core/watching/limits.ts";
import { makeTree } from "../helpers/tree.ts";
import { toldOf, until, watch } from "./watching.ts";

/** A file system that accepts watches and gives no events. */
const silent: OpenShelf = () => ({ ready: Promise.resolve(), remove: () => {}, close: async () => {} });

/** The real watching, with a way to make it fail. */
async function failing(): Promise<{ create: OpenShelf; fail: (error: unknown) => void }> {
  const real = await loadShelves();
  let last: ShelfListeners | undefined;
  return {
    create: (directories, listeners) => {
      last = listeners;
      return real(directories, listeners);
    },
    fail: (error) => last?.error(error),
  };
}

const errorOf = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: made for the test`), { code, ...(path !== undefined && { path }) });

describe("the self-test", () => {
  it("chooses events where they come, and leaves nothing behind", async () => {
    const root = makeTree({ "one/.keep": "", "two/.keep": "" });
    const watched = await watch([], { probes: [join(root, "one"), join(root, "two/.cache"), join(root, "one")] });
    expect(watched.watcher.mode).toBe("events");
    expect(watched.found).toEqual([]);
    expect(readdirSync(root, { recursive: true }).sort()).toEqual([
      "one",
      "one/.keep",
      "two",
      "two/.cache",
      "two/.keep",
    ]);
  });

  it("chooses polling where none come, and says in which directory and why", async () => {
    const root = makeTree({ "cache/.keep": "" });
    const watched = await watch([root], {
      probes: [join(root, "cache")],
      create: silent,
      pollMs: 5,
      display: (path) => path.slice(root.length + 1),
    });
    expect(watched.watcher.mode).toBe("polling");
    expect(watched.watcher.directories).toEqual([]);
    expect(watched.found).toMatchObject([
      { code: "WATCH_POLLING", message: expect.stringMatching(/written in cache and no event.*every 5 ms/u) },
    ]);
    expect(watched.found[0]?.hint).toMatch(/network disks/u);
    await until(() => watched.polls >= 3, "three polls");
    expect(readdirSync(join(root, "cache"))).toEqual([".keep"]);
  });

  it("chooses polling where one of several directories gives none", async () => {
    const root = makeTree({ "good/.keep": "", "bad/.keep": "" });
    const real = await loadShelves();
    const watched = await watch([], {
      probes: [join(root, "good"), join(root, "bad")],
      create: (directories, listeners) =>
        real(
          directories.filter((directory) => !directory.endsWith("bad")),
          listeners,
        ),
    });
    expect(watched.watcher.mode).toBe("polling");
    expect(watched.found[0]?.message).toContain(join(root, "bad"));
    expect(watched.found[0]?.message).not.toContain(join(root, "good"));
  });

  it("passes over directories that cannot be written", async () => {
    const root = makeTree({ file: "" });
    const watched = await watch([], { probes: [join(root, "file"), join(root, "file/below")], create: silent });
    expect(watched.watcher.mode).toBe("events");
    expect(watched.found).toEqual([]);
  });

  it("chooses polling where watching fails at once", async () => {
    const root = makeTree({ "cache/.keep": "" });
    const watched = await watch([], {
      probes: [join(root, "cache")],
      create: () => {
        throw errorOf("ENOSYS");
      },
    });
    expect(watched.watcher.mode).toBe("polling");
    expect(watched.found).toMatchObject([{ code: "WATCH_POLLING", message: expect.stringContaining("ENOSYS") }]);
  });

  it("is left out where a mode is forced", async () => {
    const root = makeTree({ "cache/.keep": "" });
    const options = { probes: [join(root, "cache")], create: silent, pollMs: 1 };
    const events = await watch([root], { ...options, mode: "events" });
    expect(events.watcher.mode).toBe("events");
    const polling = await watch([root], { ...options, mode: "polling" });
    expect(polling.watcher.mode).toBe("polling");
    await until(() => polling.polls > 0, "a poll");
    expect([...events.found, ...polling.found]).toEqual([]);
  });
});

describe("a watcher whose events end", () => {
  it.each([
    ["EMFILE", /ulimit -n .*max_user_instances/u],
    ["ENFILE", /ulimit -n .*max_user_instances/u],
    ["ENOSPC", /sysctl fs\.inotify\.max_user_watches=/u],
    ["ENOMEM", /start again/u],
  ])("goes over to polling after %s, with advice", async (code, advice) => {
    const root = makeTree({ "a.ts": "" });
    const { create, fail } = await failing();
    const watched = await watch([root], { create, pollMs: 5 });
    expect(watched.watcher.mode).toBe("events");
    fail(errorOf(code, root));
    fail(errorOf(code, root));
    expect(watched.watcher.mode).toBe("polling");
    expect(watched.watcher.directories).toEqual([]);
    expect(watched.found).toMatchObject([{ code: "WATCH_POLLING", severity: "warning" }]);
    expect(watched.found[0]?.message).toContain(code);
    expect(watched.found[0]?.hint).toMatch(advice);
    await until(() => watched.polls >= 3, "three polls");
    await watched.watcher.set([root]);
    expect(watched.watcher.directories).toEqual([]);
    writeFileSync(join(root, "a.ts"), "2");
    const { polls } = watched;
    await until(() => watched.polls > polls + 1, "polls after the write");
    expect(watched.changes).toEqual([]);
  });

  it("goes over to polling when the opening of more watches throws", async () => {
    const root = makeTree({ "a.ts": "" });
    let full = false;
    const real = await loadShelves();
    const watched = await watch([], {
      pollMs: 5,
      create: (directories, listeners) => {
        if (full) throw errorOf("ENOSPC");
        return real(directories, listeners);
      },
    });
    full = true;
    await watched.watcher.set([root]);
    expect(watched.watcher.mode).toBe("polling");
    await until(() => watched.polls > 0, "a poll");
  });

  it("gives its watches back when it goes over in the middle of a set", async () => {
    const root = makeTree(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}/a.ts`, ""])));
    const directories = Array.from({ length: 300 }, (_, n) => join(root, `d${n}`));
    const real = await loadShelves();
    const before = readWatchLimits().inotify?.watches;
    let opened = 0;
    const watched = await watch([], {
      create: (list, listeners) => {
        const shelf = real(list, listeners);
        // Somewhere among the openings, when some are done and some are under way.
        const timer = setInterval(() => {
          const watches = readWatchLimits().inotify?.watches ?? 1;
          if (watches <= (before ?? 0)) return;
          clearInterval(timer);
          opened = watches;
          listeners.error(errorOf("ENOSPC"));
        });
        return shelf;
      },
    });
    await watched.watcher.set(directories);
    await until(() => watched.watcher.mode === "polling", "the polling");
    await watched.watcher.close();
    expect(opened).toBeGreaterThan(0);
    expect(readWatchLimits().inotify?.watches).toBe(before);
  });

  it("polls when the environment asks for it", async () => {
    const before = process.env.CHOKIDAR_USEPOLLING;
    process.env.CHOKIDAR_USEPOLLING = "1";
    try {
      const watched = await watch([makeTree({})]);
      expect(watched.watcher.mode).toBe("polling");
      expect(watched.found).toMatchObject([
        { code: "WATCH_POLLING", hint: expect.stringMatching(/CHOKIDAR_USEPOLLING/u) },
      ]);
    } finally {
      if (before === undefined) delete process.env.CHOKIDAR_USEPOLLING;
      else process.env.CHOKIDAR_USEPOLLING = before;
    }
  });

  it("reports other errors once and goes on", async () => {
    const root = makeTree({ "bad/a.ts": "", "good/a.ts": "" });
    const { create, fail } = await failing();
    const watched = await watch([join(root, "bad"), join(root, "good")], { create });
    fail(errorOf("EACCES", join(root, "bad")));
    fail(errorOf("EACCES", join(root, "bad")));
    expect(watched.watcher.mode).toBe("events");
    expect(watched.found).toMatchObject([{ code: "WATCH_FAILED", file: join(root, "bad") }]);
    writeFileSync(join(root, "good/b.ts"), "");
    await toldOf(watched, join(root, "good/b.ts"));
  });

  it("really runs out of what a process may open", () => {
    const { stdout } = inProcess(
      `
      const { openSync, closeSync } = await import("node:fs");
      const opened = [];
      try { for (;;) opened.push(openSync("/dev/null")); } catch {}
      await watcher.set([root]);
      opened.forEach((file) => closeSync(file));
      const { polls } = told;
      await new Promise((resolve) => setTimeout(resolve, 200));
      console.log(JSON.stringify({ mode: watcher.mode, codes: told.codes, polled: told.polls > polls }));
      process.exit();
    `,
      { files: 200 },
    );
    // Where a system needs no file for a watch, there is nothing to run out of.
    const answer = JSON.parse(stdout);
    if (process.platform === "linux") {
      expect(answer).toEqual({ mode: "polling", codes: ["WATCH_POLLING"], polled: true });
    }
  });

  it.each([
    ["the system has no more watches", "throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', path: args[0] });"],
    ["it is closed in the very moment of opening one", "queueMicrotask(() => watcher.close());"],
  ])("gives back what it opened when %s", (_when, act) => {
    const { stdout } = inProcess(`
      const fs = await import("node:fs");
      const { syncBuiltinESMExports } = await import("node:module");
      const { watch } = fs.default;
      let calls = 0;
      let open = 0;
      fs.default.watch = (...args) => {
        if (++calls === 100) { ${act} }
        open++;
        return watch(...args).on("close", () => open--);
      };
      syncBuiltinESMExports();
      const directories = Array.from({ length: 300 }, (_, n) => root + "/d" + n);
      for (const directory of directories) fs.mkdirSync(directory);
      await watcher.set(directories);
      await watcher.close();
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log(JSON.stringify({ opened: calls >= 100, open }));
    `);
    expect(JSON.parse(stdout)).toEqual({ opened: true, open: 0 });
  });
});

describe("the limit of watches", () => {
  it("is kept, and reported once; those that come first are watched", async () => {
    const root = makeTree({ "a/1.ts": "", "b/1.ts": "", "c/1.ts": "", "d/1.ts": "" });
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => join(root, name)) as [string, string, string, string];
    const watched = await watch([c, a, d, b], { limit: 2 });
    expect(watched.watcher.directories).toEqual([a, c]);
    await watched.watcher.set([d, c, a, b]);
    expect(watched.watcher.directories).toEqual([c, d]);
    expect(watched.found).toMatchObject([{ code: "WATCH_LIMIT" }]);
    expect(watched.found[0]?.message).toMatch(/^4 directories are in use, but at most 2/u);
    writeFileSync(join(d, "2.ts"), "");
    await toldOf(watched, join(d, "2.ts"));
  });
});

describe("a watcher with events", () => {
  it("polls now and then for what they missed", async () => {
    const watched = await watch([makeTree({ "a.ts": "" })], { reconcileMs: 5 });
    await until(() => watched.polls >= 3, "three polls");
    expect(watched.watcher.mode).toBe("events");
  });

  it("reports a poll that throws, once, and polls on", async () => {
    let polls = 0;
    const watched = await watch([], {
      reconcileMs: 1,
      onPoll: () => {
        polls++;
        throw new Error("the disk is gone");
      },
    });
    await until(() => polls >= 3, "three polls");
    expect(watched.found).toMatchObject([{ code: "WATCH_FAILED" }]);
  });

  it("gives its watches back when it is closed, in the middle of a set too", async () => {
    const root = makeTree(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}/a.ts`, ""])));
    const directories = Array.from({ length: 300 }, (_, n) => join(root, `d${n}`));
    const before = readWatchLimits().inotify?.watches;
    for (const turns of [0, 1, 2, 4, 8, 16]) {
      const watched = await watch([]);
      const setting = watched.watcher.set(directories);
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([watched.watcher.close(), setting]);
      expect(readWatchLimits().inotify?.watches).toBe(before);
    }
  });

  it("tells nothing after it was closed, which it can be in the middle of a set and twice", async () => {
    const root = makeTree({ "a.ts": "" });
    const watched = await watch([root]);
    const setting = watched.watcher.set([root, join(root, "..")]);
    await Promise.all([watched.watcher.close(), setting]);
    await watched.watcher.close();
    const fresh = await watch([root]);
    writeFileSync(join(root, "a.ts"), "2");
    await toldOf(fresh, join(root, "a.ts"));
    expect(watched.changes).toEqual([]);
    await watched.watcher.set([root]);
    expect(watched.watcher.directories).toEqual([]);
  });

  it("keeps no process alive: with events on Linux, when polling everywhere", () => {
    for (const mode of [...(process.platform === "linux" ? ["events"] : []), "polling"]) {
      const { status, stdout } = inProcess(`console.log(watcher.mode);`, { mode });
      expect([stdout.trim(), status]).toEqual([mode, 0]);
    }
  });
});

/** Runs a script in a process of its own, with a watcher of `root` that it can use. */
function inProcess(script: string, { files, mode }: { files?: number; mode?: string } = {}) {
  const core = fileURLToPath(new URL("../../core/watching/watcher.ts", import.meta.url));
  const root = makeTree({ "a.ts": "" });
  const whole = `
    import { createJiti } from "jiti";
    const { openWatcher } = await createJiti(import.meta.url, { fsCache: false }).import(${JSON.stringify(core)});
    const root = ${JSON.stringify(root)};
    const told = { codes: [], polls: 0 };
    const watcher = await openWatcher({
      onChange: () => {},
      onPoll: () => void told.polls++,
      report: ({ code }) => void told.codes.push(code),
      pollMs: 20,
      mode: ${JSON.stringify(mode ?? "events")},
    });
    ${files === undefined ? "await watcher.set([root]);" : ""}
    ${script}
  `;
  const node = [process.execPath, "--input-type=module", "-e", whole];
  const limited = files === undefined ? node : ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh", ...node];
  const [program = "", ...args] = limited;
  return spawnSync(program, args, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
    timeout: 60_000,
    stdio: ["ignore", "pipe", "inherit"],
  });
}
