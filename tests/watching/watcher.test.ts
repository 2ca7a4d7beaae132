import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import type { OpenShelf } from "../../core/watching/chokidar.ts";
import { loadShelves } from "../../core/watching/chokidar.ts";
import { makeTree, writeTree } from "../helpers/tree.ts";
import { toldOf, until, type Watched, watch } from "./watching.ts";

const root = makeTree({});
let count = 0;

/** A fresh directory for a test. */
function place(files: Readonly<Record<string, string>> = { "tools/a.ts": "1" }): string {
  const directory = join(root, `t${count++}`);
  mkdirSync(directory);
  writeTree(directory, files);
  return directory;
}

/** Writes a file until an event of it comes, which shows that its directory is watched. */
async function isWatched(watched: Watched, directory: string): Promise<void> {
  const file = join(directory, `seen-${count++}.ts`);
  writeFileSync(file, "1");
  await toldOf(watched, file);
}

/** What was told up to now, as paths in the directory: a marker is written, and all comes that came before it. */
async function toldBefore(watched: Watched, directory: string): Promise<string[]> {
  const marker = join(directory, `marker-${count++}.ts`);
  writeFileSync(marker, "");
  await toldOf(watched, marker);
  return watched.changes.map((path) => relative(directory, path)).filter((path) => !path.startsWith("marker-"));
}

describe("the events of a file", () => {
  it("come for a file that is made, written, appended to, touched, replaced and deleted", async () => {
    const tools = join(place(), "tools");
    const watched = await watch([tools]);
    expect(watched.watcher.mode).toBe("events");
    const steps: Readonly<Record<string, (file: string) => void>> = {
      made: (file) => writeFileSync(file, "1"),
      written: (file) => writeFileSync(file, "22"),
      appended: (file) => appendFileSync(file, "3"),
      touched: (file) => utimesSync(file, new Date(), new Date()),
      replaced: (file) => {
        writeFileSync(`${file}.tmp`, "4");
        renameSync(`${file}.tmp`, file);
      },
      deleted: unlinkSync,
    };
    const file = join(tools, "b.ts");
    for (const [step, act] of Object.entries(steps)) {
      watched.changes.length = 0;
      act(file);
      await until(() => watched.changes.includes(file), `the event of a file that was ${step}`);
    }
    expect(watched.found).toEqual([]);
  });

  it("come after each of five renames over it", async () => {
    const tools = join(place(), "tools");
    const watched = await watch([tools]);
    const file = join(tools, "a.ts");
    for (let n = 0; n < 5; n++) {
      watched.changes.length = 0;
      writeFileSync(join(tools, ".a.ts.new"), String(n));
      renameSync(join(tools, ".a.ts.new"), file);
      await toldOf(watched, file);
    }
  });

  it("come after the last of many copies and deletions", async () => {
    const base = place({ "tools/a.ts": "1", "source.ts": "2" });
    const watched = await watch([join(base, "tools")]);
    const file = join(base, "tools", "a.ts");
    for (let n = 0; n < 20; n++) {
      rmSync(file);
      watched.changes.length = 0;
      await toldBefore(watched, join(base, "tools"));
      watched.changes.length = 0;
      cpSync(join(base, "source.ts"), file);
      await toldOf(watched, file);
    }
  });

  it("do not come for what editors write beside it, but for the file that they rename it to", async () => {
    const tools = join(place(), "tools");
    const watched = await watch([tools]);
    for (const name of [".#a.ts", "#a.ts#", "4913", "a.ts~", "a.ts.tmp", ".a.ts.swp", ".DS_Store", "a.ts.77.tmp"]) {
      writeFileSync(join(tools, name), "");
      rmSync(join(tools, name));
    }
    expect(await toldBefore(watched, tools)).toEqual([]);
    writeFileSync(join(tools, "a.ts.tmp"), "2");
    renameSync(join(tools, "a.ts.tmp"), join(tools, "a.ts"));
    expect(new Set(await toldBefore(watched, tools))).toEqual(new Set(["a.ts"]));
  });

  it("come after the last write of 200 saves by another process, each of two writes 0 to 80 ms apart", async () => {
    const tools = join(place(), "tools");
    const told = new Map<string, number>();
    await watch([tools], {
      onChange: (path) => void told.set(path, statSync(path, { throwIfNoEntry: false })?.size ?? -1),
    });
    // Eight files at a time; the last write makes each file as long as no other write does.
    const script = `
      const fs = require("node:fs");
      const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
      const lane = async (lane) => {
        for (let n = lane; n < 200; n += 8) {
          const file = process.argv[1] + "/s" + n + ".ts";
          fs.writeFileSync(file, "x");
          await pause((n * 37) % 81);
          if (n % 3 === 0) { fs.truncateSync(file); fs.appendFileSync(file, "x".repeat(100 + n)); }
          else if (n % 3 === 1) fs.writeFileSync(file, "x".repeat(100 + n));
          else { fs.writeFileSync(file + ".tmp", "x".repeat(100 + n)); fs.renameSync(file + ".tmp", file); }
        }
      };
      Promise.all(Array.from({ length: 8 }, (_, n) => lane(n)));
    `;
    const writer = spawn(process.execPath, ["-e", script, tools], { stdio: "inherit" });
    await new Promise((resolve) => writer.once("exit", resolve));
    // Seen at its last event, each file was as long as it is in the end: no event came only before the last write.
    const stale = () =>
      Array.from({ length: 200 }, (_, n) => n).filter((n) => told.get(join(tools, `s${n}.ts`)) !== 100 + n);
    await until(() => stale().length === 0, "the events of the last writes").catch(() => {});
    expect(stale()).toEqual([]);
  });
});

describe("the events of a directory", () => {
  it("do not come for what lies below what is in it", async () => {
    const base = place({ "tools/deep/a.ts": "1" });
    const watched = await watch([join(base, "tools")]);
    writeFileSync(join(base, "tools/deep/a.ts"), "2");
    expect(await toldBefore(watched, join(base, "tools"))).toEqual([]);
  });

  it("come for directories that appear, vanish, are moved in and out, and are linked", async () => {
    const base = place({ "plugins/.keep": "", "elsewhere/p/a.ts": "1", "target/a.ts": "1", "other/a.ts": "1" });
    const plugins = join(base, "plugins");
    const watched = await watch([plugins]);
    const steps: readonly (readonly [string, () => void])[] = [
      ["p", () => mkdirSync(join(plugins, "p"))],
      ["p", () => rmdirSync(join(plugins, "p"))],
      ["p", () => renameSync(join(base, "elsewhere/p"), join(plugins, "p"))],
      ["q", () => renameSync(join(plugins, "p"), join(plugins, "q"))],
      ["q", () => renameSync(join(plugins, "q"), join(base, "elsewhere/p"))],
      ["linked", () => symlinkSync(join(base, "target"), join(plugins, "linked"))],
      [
        "linked",
        () => {
          symlinkSync(join(base, "other"), join(plugins, "next"));
          renameSync(join(plugins, "next"), join(plugins, "linked"));
        },
      ],
    ];
    for (const [name, act] of steps) {
      watched.changes.length = 0;
      act();
      await toldOf(watched, join(plugins, name));
    }
  });

  it("tell of the directory itself when it vanishes", async () => {
    const base = place();
    const watched = await watch([join(base, "tools")]);
    rmSync(join(base, "tools"), { recursive: true });
    await toldOf(watched, join(base, "tools"));
  });

  it("tell of the nearest parent when a directory that did not exist is made", async () => {
    const base = place({});
    const usr = join(base, "usr");
    const watched = await watch([base, usr, join(usr, "plugins")]);
    expect(watched.watcher.directories).toEqual([base]);
    mkdirSync(join(usr, "plugins"), { recursive: true });
    await toldOf(watched, usr);
    await watched.watcher.set([base, usr, join(usr, "plugins")]);
    expect(watched.watcher.directories).toEqual([base, usr, join(usr, "plugins")]);
    await isWatched(watched, join(usr, "plugins"));
  });
});

describe("the set of directories", () => {
  it.each<[string, (directory: string) => void]>([
    [
      "deleted and made again",
      (directory) => {
        rmSync(directory, { recursive: true });
        mkdirSync(directory);
      },
    ],
    [
      "moved away, with another one in its place",
      (directory) => {
        renameSync(directory, `${directory}-old`);
        mkdirSync(directory);
      },
    ],
    [
      "replaced by a rename over it",
      (directory) => {
        rmSync(directory, { recursive: true });
        mkdirSync(`${directory}-new`);
        renameSync(`${directory}-new`, directory);
      },
    ],
  ])("watches anew a directory that was %s", async (_how, replace) => {
    const base = place();
    const tools = join(base, "tools");
    // With and without an eye on the parent, which changes what is known of the directory.
    for (const directories of [[tools], [base, tools]]) {
      const watched = await watch(directories);
      await isWatched(watched, tools);
      replace(tools);
      await watched.watcher.set(directories);
      await isWatched(watched, tools);
      rmSync(`${tools}-old`, { recursive: true, force: true });
    }
  });

  it("watches a directory that was gone for a while, at the same path", async () => {
    const base = place();
    const tools = join(base, "tools");
    const watched = await watch([base, tools]);
    rmSync(tools, { recursive: true });
    await toldOf(watched, tools);
    await watched.watcher.set([base, tools]);
    expect(watched.watcher.directories).toEqual([base]);
    watched.changes.length = 0;
    mkdirSync(tools);
    await toldOf(watched, tools);
    await watched.watcher.set([base, tools]);
    expect(watched.watcher.directories).toEqual([base, tools]);
    await isWatched(watched, tools);
  });

  it("watches it again for one watcher while another one still holds what was there before", async () => {
    const tools = join(place(), "tools");
    await watch([tools]);
    rmSync(tools, { recursive: true });
    mkdirSync(tools);
    const second = await watch([tools]);
    await isWatched(second, tools);
  });

  it("watches anew a directory to which something happened, even where the disk shows no difference", async () => {
    const tools = join(place(), "tools");
    const real = await loadShelves();
    const opened: string[] = [];
    const create: OpenShelf = (directories, listeners) => {
      opened.push(...directories);
      return real(directories, listeners);
    };
    const watched = await watch([tools], { create });
    await watched.watcher.set([tools]);
    expect(opened).toEqual([tools]);
    utimesSync(tools, new Date(), new Date());
    await toldOf(watched, tools);
    await watched.watcher.set([tools]);
    expect(opened).toEqual([tools, tools]);
    await isWatched(watched, tools);
  });

  it("follows a link that is set to another directory", async () => {
    const base = place({ "v1/a.ts": "1", "v2/a.ts": "2" });
    symlinkSync(join(base, "v1"), join(base, "current"));
    const current = join(base, "current");
    const watched = await watch([current]);
    await isWatched(watched, current);
    rmSync(current);
    symlinkSync(join(base, "v2"), current);
    await watched.watcher.set([current]);
    watched.changes.length = 0;
    writeFileSync(join(base, "v2/a.ts"), "3");
    await toldOf(watched, join(current, "a.ts"));
  });

  it("lets go of what is not in it any more, and of that alone", async () => {
    const base = place({ "a/1.ts": "", "b/1.ts": "", "c/1.ts": "" });
    const [a, b, c] = ["a", "b", "c"].map((name) => join(base, name)) as [string, string, string];
    const watched = await watch([a, b]);
    await watched.watcher.set([b, c]);
    expect(watched.watcher.directories).toEqual([b, c]);
    writeFileSync(join(a, "1.ts"), "2");
    await isWatched(watched, b);
    await isWatched(watched, c);
    expect(watched.changes).not.toContain(join(a, "1.ts"));
    await watched.watcher.set([a, b, c]);
    await isWatched(watched, a);
  });

  it("takes back a child after its parent was let go", async () => {
    const base = place();
    const watched = await watch([base, join(base, "tools")]);
    await watched.watcher.set([]);
    expect(watched.watcher.directories).toEqual([]);
    await watched.watcher.set([join(base, "tools")]);
    await isWatched(watched, join(base, "tools"));
  });

  it("is changed by one call after the other", async () => {
    const base = place({ "a/1.ts": "", "b/1.ts": "" });
    const watched = await watch([]);
    const calls = [[join(base, "a")], [], [join(base, "b")], [join(base, "a"), join(base, "b")]];
    await Promise.all(calls.map((directories) => watched.watcher.set(directories)));
    expect(watched.watcher.directories).toEqual([join(base, "a"), join(base, "b")]);
    await isWatched(watched, join(base, "a"));
    await isWatched(watched, join(base, "b"));
  });

  it("has one watch for two paths to one directory, and tells of both", async () => {
    const base = place();
    symlinkSync(join(base, "tools"), join(base, "linked"));
    const real = await loadShelves();
    const opened: string[] = [];
    const create: OpenShelf = (directories, listeners) => {
      opened.push(...directories);
      return real(directories, listeners);
    };
    const watched = await watch([join(base, "linked"), join(base, "tools"), `${base}/linked/../tools/`], { create });
    expect(opened).toEqual([join(base, "tools")]);
    expect(watched.watcher.directories).toEqual([join(base, "linked"), join(base, "tools")]);
    writeFileSync(join(base, "tools/a.ts"), "2");
    await toldOf(watched, join(base, "tools/a.ts"));
    await toldOf(watched, join(base, "linked/a.ts"));
  });

  it("takes names for names: brackets, stars and spaces, backups, and the directory's own name inside it", async () => {
    const base = place({});
    const names = ["[x]{y}*", "a?b", "!not", "(group)", "with space", "old~", "tools", "ünï", "+(a|b)"];
    const opened: string[] = [];
    const real = await loadShelves();
    for (const name of names) mkdirSync(join(base, name, name), { recursive: true });
    mkdirSync(join(base, "x"));
    const watched = await watch(
      names.map((name) => join(base, name)),
      {
        create: (directories, listeners) => {
          opened.push(...directories);
          return real(directories, listeners);
        },
      },
    );
    // What is handed over is what exists, never a pattern that stands for it.
    expect(opened.toSorted()).toEqual(names.map((name) => join(base, name)).toSorted());
    for (const directory of opened) expect(statSync(directory).isDirectory()).toBe(true);
    for (const name of names) await isWatched(watched, join(base, name));
    writeFileSync(join(base, "x", "a.ts"), "");
    expect(watched.changes.filter((path) => path.startsWith(join(base, "x")))).toEqual([]);
  });

  it.runIf(sep === "/")("names a directory with a backslash in its name, which cannot be watched", async () => {
    const base = place({ "back\\slash/a.ts": "1", "back/slash/a.ts": "1" });
    const watched = await watch([join(base, "back\\slash")]);
    expect(watched.watcher.directories).toEqual([]);
    expect(watched.found).toMatchObject([{ code: "WATCH_FAILED", file: join(base, "back\\slash") }]);
    await watched.watcher.set([join(base, "back\\slash"), base]);
    expect(watched.watcher.directories).toEqual([base]);
    expect(watched.found).toHaveLength(1);
    await isWatched(watched, base);
  });

  it("passes over files and what leads nowhere", async () => {
    const base = place({ "tools/a.ts": "1" });
    symlinkSync(join(base, "nowhere"), join(base, "dangling"));
    symlinkSync(join(base, "tools/a.ts/below"), join(base, "through-a-file"));
    const paths = ["tools/a.ts", "dangling", "through-a-file", "absent", "tools", "."].map((path) => join(base, path));
    const watched = await watch(paths);
    expect(watched.watcher.directories).toEqual([base, join(base, "tools")]);
    expect(watched.found).toEqual([]);
    // The broken links lie in a watched directory: it is watched all the same.
    await isWatched(watched, base);
  });

  it("names a link that leads to itself, once", async () => {
    const base = place();
    symlinkSync(join(base, "loop"), join(base, "loop"));
    const watched = await watch([join(base, "loop"), join(base, "tools")], { display: (path) => relative(base, path) });
    await watched.watcher.set([join(base, "loop"), join(base, "tools")]);
    expect(watched.found).toMatchObject([{ code: "WATCH_FAILED", file: "loop", severity: "warning" }]);
    await isWatched(watched, join(base, "tools"));
  });
});
