import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Tree } from "../../core/discovery/dir-node.ts";
import { packTree, unpackTree } from "../../core/discovery/index-format.ts";
import { scanTree } from "../../core/discovery/scan.ts";
import { readIndex, writeIndex } from "../../core/discovery/tree-index.ts";
import { addFiles, LATER, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();
const require = createRequire(import.meta.url);

const CONTENT = {
  "usr/plugins/a/plugin.yaml": "title: A",
  "usr/plugins/a/tools/one.ts": TOOL,
  "usr/plugins/a/prompts/agent.system.tool.one.md": "---\ndescription: One.\n---\nText.",
  "usr/settings.yaml": "model: a/b",
  "agents/p/agent.yaml": "title: P",
  "skills/cook/SKILL.md": "---\ndescription: Cook.\n---\n",
};

const INDEX = "discovery.index";
const cacheOf = (root: string) => join(root, ".cache");

/** Opens with an index, looks at everything, and writes the index. Counts the directories and files that are read. */
function look(root: string, { now = LATER, home = root }: { now?: () => number; home?: string } = {}) {
  const read: string[] = [];
  const readEntries = (directory: string) => {
    read.push(directory.slice(root.length + 1));
    return readdirSync(directory, { withFileTypes: true });
  };
  const discovery = open(root, { home, cacheDir: cacheOf(root), now, readEntries });
  const view = discovery.view("default");
  const tools = view.catalog.list("tool").flatMap(({ winner }) => winner?.path ?? []);
  const described = view.catalog.list("fragment").map(({ winner }) => winner && view.fragment(winner).meta.description);
  const problem = discovery.save();
  return { discovery, view, read, tools, described, problem };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the index", () => {
  it("spares an unchanged tree the scan: no directory is listed, no parser and no glob is loaded", () => {
    const root = tree(CONTENT);
    const first = look(root);
    expect(first.read.length).toBeGreaterThan(5);
    for (const name of ["fast-glob", "yaml", "gray-matter"]) delete require.cache[require.resolve(name)];
    const second = look(root);
    expect(second.read).toEqual([]);
    expect(second.tools).toEqual(first.tools);
    expect(second.described).toEqual(["One."]);
    expect(second.view.plugins).toEqual(first.view.plugins);
    expect(second.discovery.settings.values).toEqual(first.discovery.settings.values);
    for (const name of ["fast-glob", "yaml", "gray-matter"])
      expect(require.cache[require.resolve(name)], name).toBeUndefined();
  });

  it("is written when something changed, and only then", () => {
    const root = tree(CONTENT);
    look(root);
    const written = statSync(join(cacheOf(root), INDEX)).ino;
    look(root);
    look(root);
    expect(statSync(join(cacheOf(root), INDEX)).ino).toBe(written);
    addFiles(root, { "usr/plugins/a/tools/two.ts": TOOL });
    look(root);
    expect(statSync(join(cacheOf(root), INDEX)).ino).not.toBe(written);
    expect(readdirSync(cacheOf(root))).toEqual([INDEX]);
  });

  it("reads again only the directories whose time has changed", () => {
    const root = tree(CONTENT);
    look(root);
    addFiles(root, { "usr/plugins/a/tools/two.ts": TOOL });
    const { read, tools } = look(root);
    expect(read).toEqual(["usr/plugins/a/tools"]);
    expect(tools).toEqual(["usr/plugins/a/tools/one.ts", "usr/plugins/a/tools/two.ts"]);
  });

  it("looks at a file again when its time or size has changed", () => {
    const root = tree(CONTENT);
    look(root);
    writeFileSync(join(root, "usr/plugins/a/prompts/agent.system.tool.one.md"), "---\ndescription: Two.\n---\n");
    writeFileSync(join(root, "usr/plugins/a/plugin.yaml"), "title: B");
    writeFileSync(join(root, "usr/settings.yaml"), "model: c/d");
    const { described, view, discovery, read } = look(root);
    expect(read).toEqual([]);
    expect(described).toEqual(["Two."]);
    expect(view.plugins[0]?.title).toBe("B");
    expect(discovery.settings.get("model")).toBe("c/d");
  });

  it("sees a change that hides behind restored times", () => {
    const root = tree({ ...CONTENT, "spare/two.ts": TOOL });
    look(root);
    const tools = join(root, "usr/plugins/a/tools");
    const { atime, mtime } = statSync(tools);
    renameSync(join(tools, "one.ts"), join(tools, "six.ts"));
    utimesSync(tools, atime, mtime);
    expect(look(root).tools).toEqual(["usr/plugins/a/tools/six.ts"]);
    const manifest = join(root, "usr/plugins/a/plugin.yaml");
    const times = statSync(manifest);
    writeFileSync(manifest, "title: Z");
    utimesSync(manifest, times.atime, times.mtime);
    expect(look(root).view.plugins[0]?.title).toBe("Z");
  });

  it("does not trust times that are too fresh, and trusts them later", () => {
    const root = tree(CONTENT);
    const soon = { now: () => Date.now() };
    look(root, soon);
    // What a second change within the same tick would look like: the recorded time is still that of the directory.
    const again = look(root, soon);
    expect(again.read.length).toBeGreaterThan(5);
    expect(look(root).read.length).toBeGreaterThan(5);
    expect(look(root).read).toEqual([]);
  });

  it("does not trust times of the future", () => {
    const root = tree(CONTENT);
    const future = Date.now() / 1000 + 3600;
    utimesSync(join(root, "usr/plugins/a/tools"), future, future);
    look(root);
    expect(look(root).read).toEqual(["usr/plugins/a/tools"]);
  });

  it("keeps no file that changed after the scan began", () => {
    const root = tree(CONTENT);
    const discovery = open(root, { cacheDir: cacheOf(root) });
    expect(discovery.view("default").plugins[0]?.title).toBe("A");
    discovery.save();
    expect(readFileSync(join(cacheOf(root), INDEX), "utf8")).not.toContain('"A"');
  });

  const damages: readonly (readonly [what: string, damage: (file: string) => void])[] = [
    ["is deleted", (file) => rmSync(file)],
    ["is empty", (file) => writeFileSync(file, "")],
    ["is something else", (file) => writeFileSync(file, "not an index\n{}")],
    ["is cut", (file) => writeFileSync(file, readFileSync(file).subarray(0, -20))],
    ["is longer", (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from("x")]))],
    ["is a directory", (file) => [rmSync(file), mkdirSync(file)]],
    [
      "has an unknown version",
      (file) => writeFileSync(file, readFileSync(file, "latin1").replace(/"version":\d+/u, '"version":0'), "latin1"),
    ],
    ["has a byte changed", (file) => writeFileSync(file, flip(readFileSync(file), -5))],
    [
      "has a number changed",
      (file) => writeFileSync(file, flip(readFileSync(file), readFileSync(file).indexOf(10) + 40)),
    ],
    ["has its first line changed", (file) => writeFileSync(file, flip(readFileSync(file), 3))],
  ];
  for (const [what, damage] of damages) {
    it(`is built anew when it ${what}`, () => {
      const root = tree(CONTENT);
      const first = look(root);
      damage(join(cacheOf(root), INDEX));
      expect(readIndex({ cacheDir: cacheOf(root), root, home: root })).toBeUndefined();
      const { tools, described, view } = look(root);
      expect(tools).toEqual(first.tools);
      expect(described).toEqual(["One."]);
      expect(view.diagnostics).toEqual([]);
    });
  }

  it("of another root or home is not used", () => {
    const root = tree(CONTENT);
    look(root);
    const other = tree({});
    cpSync(cacheOf(root), cacheOf(other), { recursive: true });
    expect(look(other).tools).toEqual([]);
    expect(readIndex({ cacheDir: cacheOf(root), root, home: other })).toBeUndefined();
    const home = tree({ "tools/h.ts": TOOL });
    expect(look(root, { home }).tools).toEqual([join(home, "tools/h.ts"), "usr/plugins/a/tools/one.ts"]);
    expect(look(root, { home }).read).toEqual([]);
  });

  it("that cannot be written is a warning, and everything works", () => {
    const root = tree({ ...CONTENT, ".cache": "a file" });
    const { problem, tools } = look(root);
    expect(problem).toMatchObject({ code: "CACHE_UNWRITABLE", severity: "warning", file: cacheOf(root) });
    expect(tools).toEqual(["usr/plugins/a/tools/one.ts"]);
  });

  it("is not written where there is no place for it", () => {
    const root = tree(CONTENT);
    const discovery = open(root);
    expect(discovery.save()).toBeUndefined();
    expect(existsSync(cacheOf(root))).toBe(false);
  });

  it("is replaced in one step, so that concurrent hosts do no harm", () => {
    const root = tree(CONTENT);
    const hosts = Array.from({ length: 4 }, () => open(root, { cacheDir: cacheOf(root), now: LATER }));
    addFiles(root, { "usr/plugins/a/tools/two.ts": TOOL });
    for (const host of hosts) host.save();
    expect(look(root).tools).toEqual(["usr/plugins/a/tools/one.ts", "usr/plugins/a/tools/two.ts"]);
    expect(readdirSync(cacheOf(root))).toEqual([INDEX]);
  });
});

describe("the packed form", () => {
  it("gives back what was packed: links, refusals, faults, slots, odd files", () => {
    const outside = tree({ "plugin.yaml": "" });
    const root = tree({
      ...CONTENT,
      "dev/x/plugin.yaml": "",
      "usr/plugins/b": "a file",
      "usr/projects/J/plugins/a/.toggle-0": "",
    });
    addFiles(root, {
      "usr/plugins/x": { link: "../../dev/x" },
      "usr/plugins/y": { link: outside },
      "usr/plugins/z": { link: "b" },
    });
    const readEntries = (directory: string) => {
      if (directory.endsWith("cook")) throw Object.assign(new Error("no"), { code: "EACCES" });
      return readdirSync(directory, { withFileTypes: true });
    };
    const discovery = open(root, { readEntries, cacheDir: cacheOf(root), now: LATER });
    const view = discovery.view("default");
    for (const { winner } of view.catalog.list("fragment")) if (winner) view.fragment(winner);
    discovery.save();
    const back = readIndex({ cacheDir: cacheOf(root), root, home: root }) as Tree;
    expect(back.home).toBe(back.root);
    const again = unpackTree(packTree(back), true);
    expect(again).toEqual(back);
    const second = open(root, { readEntries, cacheDir: cacheOf(root), now: LATER });
    expect(second.view("default").diagnostics).toEqual(view.diagnostics);
    expect(view.diagnostics.map(({ code }) => code)).toEqual(["DIRECTORY_UNREADABLE", "LINK_REFUSED"]);
  });

  it("of a home of its own follows that of the root", () => {
    const root = tree({ "tools/a.ts": TOOL });
    const home = tree({ "tools/b.ts": TOOL });
    const scanned = scanTree({ root, home, follow: () => null, startedAt: LATER() });
    const place = { cacheDir: cacheOf(root), root, home };
    expect(writeIndex(place, scanned)).toBeUndefined();
    expect(readIndex(place)).toEqual(scanned);
  });
});

function flip(bytes: Buffer, at: number): Buffer {
  const index = at < 0 ? bytes.length + at : at;
  bytes[index] = (bytes[index] ?? 0) ^ 0x11;
  return bytes;
}
