import { execFileSync } from "node:child_process";
import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { KINDS } from "../../core/discovery/conventions.ts";
import { readListing } from "../../core/discovery/listing.ts";
import { scanTree } from "../../core/discovery/scan.ts";
import type { View } from "../../core/discovery/view.ts";
import { fc } from "./property.ts";
import { addFiles, codes, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

/** Everything that a view found, as data. */
const summary = (view: View) => ({
  catalog: KINDS.map((kind) => view.catalog.list(kind)),
  plugins: view.plugins,
  diagnostics: view.diagnostics,
});

const CONTENT = {
  "usr/plugins/b/plugin.yaml": "",
  "usr/plugins/b/tools/two.ts": TOOL,
  "usr/plugins/b/tools/one.ts": TOOL,
  "usr/plugins/a/plugin.yaml": "",
  "usr/plugins/a/tools/one.ts": TOOL,
  "usr/plugins/a/prompts/agent.system.tool.one.md": "one",
  "usr/plugins/a/extensions/tool_execute_before/_10_a.ts": TOOL,
  "agents/p/tools/one.ts": TOOL,
  "usr/tools/Bad-Name.ts": TOOL,
  "tools/one.ts": TOOL,
};

describe("a scan", () => {
  it("does not depend on the order in which the disk lists things", () => {
    const root = tree(CONTENT);
    const expected = summary(open(root).view("p"));
    fc.assert(
      fc.property(fc.infiniteStream(fc.nat()), (numbers) => {
        const readEntries = (directory: string) => shuffle(readdirSync(directory, { withFileTypes: true }), numbers);
        expect(summary(open(root, { readEntries }).view("p"))).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });

  for (const name of [
    "a (b) [c]",
    "with spaces",
    "únïcödé 目录",
    "!(x)",
    "{a,b}",
    "*",
    "back\\slash",
    "-dash",
    "#hash%20",
  ]) {
    it(`works in a root named ${name}`, () => {
      const root = tree(CONTENT, name);
      const view = open(root).view("p");
      expect(
        view.catalog
          .list("tool")
          .filter(({ winner }) => winner)
          .map(({ id }) => id),
      ).toEqual(["one", "two"]);
      expect(view.catalog.get("tool", "two")?.winner).toMatchObject({
        path: "usr/plugins/b/tools/two.ts",
        file: join(root, "usr/plugins/b/tools/two.ts"),
      });
    });
  }

  it("finds plugins whatever their directory is named", () => {
    const names = [
      "(a)",
      "[b]",
      "{c,d}",
      "!e",
      "+(f)",
      "@g",
      "h i",
      "ü",
      "目",
      "*j*",
      "k?",
      "back\\slash",
      "-x",
      "~y",
      "a\nb",
      "node_modules",
    ];
    const root = tree(Object.fromEntries(names.map((name) => [`usr/plugins/${name}/plugin.yaml`, ""])));
    const found = scanTree({ root, home: root, follow: () => null });
    const plugins = found.root.nodes[found.root.dirs.indexOf("usr")]?.nodes[0];
    expect(plugins?.dirs).toEqual([...names].sort());
    expect(plugins).toMatchObject(readListing(join(root, "usr/plugins")));
  });

  it("reads no file and takes no time when it is asked for names only", () => {
    const root = tree(CONTENT);
    const { root: top } = scanTree({ root, home: root, follow: () => null });
    const times: number[] = [];
    const visit = (node: typeof top): void => {
      times.push(node.time);
      expect(node.slots).toEqual([]);
      for (const child of node.nodes) if (child) visit(child);
    };
    visit(top);
    expect(new Set(times)).toEqual(new Set([0]));
    expect(times.length).toBeGreaterThan(10);
  });

  it("of a root with nothing in it finds nothing and is content", () => {
    const view = open(tree()).view("default");
    expect(KINDS.filter((kind) => kind !== "profile").flatMap((kind) => view.catalog.list(kind))).toEqual([]);
    expect(view.diagnostics).toEqual([]);
  });

  it("of a root that is missing or a file says so", () => {
    const root = tree({ file: "x" });
    expect(() => open(join(root, "nowhere"))).toThrow(/ROOT_MISSING.*nothing/u);
    expect(() => open(join(root, "file"))).toThrow(/ROOT_MISSING.*a file/u);
    expect(() => open(root, { home: join(root, "nowhere") })).toThrow(/ROOT_MISSING.*home/u);
  });

  it("reports a file where a directory should be, and finds the rest", () => {
    const root = tree({
      "usr/plugins": "a file",
      "usr/agents": "a file",
      "agents/p/tools": "a file",
      "plugins/_a/plugin.yaml": "",
      "plugins/_a/prompts": "a file",
      "plugins/_a/extensions/point": "a file is nothing here",
      "tools/t.ts": TOOL,
    });
    const view = open(root).view("p");
    expect(view.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["NOT_A_DIRECTORY", "agents/p/tools"],
      ["NOT_A_DIRECTORY", "plugins/_a/prompts"],
      ["NOT_A_DIRECTORY", "usr/agents"],
      ["NOT_A_DIRECTORY", "usr/plugins"],
    ]);
    expect(view.catalog.list("tool").map(({ id }) => id)).toEqual(["t"]);
    expect(codes(open(tree({ usr: "a file", "tools/t.ts": TOOL })).view("default").diagnostics)).toEqual([
      "NOT_A_DIRECTORY",
    ]);
  });

  it("reports a directory that cannot be read, and finds the rest", () => {
    const root = tree(CONTENT);
    const closed = new Set([join(root, "usr/plugins/b/tools"), join(root, "agents")]);
    const readEntries = (directory: string): Dirent[] => {
      if (closed.has(directory)) throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
      return readdirSync(directory, { withFileTypes: true });
    };
    const view = open(root, { readEntries }).view("default");
    expect(view.diagnostics.filter(({ code }) => code === "DIRECTORY_UNREADABLE")).toMatchObject([
      { file: "agents", message: expect.stringContaining("permission") },
      { file: "usr/plugins/b/tools" },
    ]);
    expect(view.catalog.get("tool", "one")?.winner?.path).toBe("usr/plugins/a/tools/one.ts");
  });

  it("reports what is no file where a file of content should be", () => {
    const root = tree({ "tools/dir.ts/": "", "tools/lib/": "", "tools/t.ts": TOOL });
    execFileSync("mkfifo", [join(root, "tools/pipe.ts"), join(root, "tools/pipe")]);
    const view = open(root).view("default");
    expect(view.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["NOT_A_FILE", "tools/dir.ts"],
      ["NOT_A_FILE", "tools/pipe.ts"],
    ]);
    expect(view.catalog.list("tool").map(({ id }) => id)).toEqual(["t"]);
  });

  it("does not block on a pipe that takes the place of a file", () => {
    const root = tree({ "usr/plugins/x/plugin.yaml": "title: X", "usr/plugins/x/tools/t.ts": TOOL });
    const discovery = open(root);
    expect(discovery.view("default").plugins[0]?.enabled).toBe(true);
    execFileSync("rm", [join(root, "usr/plugins/x/plugin.yaml")]);
    execFileSync("mkfifo", [join(root, "usr/plugins/x/plugin.yaml")]);
    discovery.refresh();
    expect(codes(discovery.view("default").diagnostics)).toEqual(["PLUGIN_NO_MANIFEST", "NOT_A_FILE"]);
  });

  it("does not look into what is none of its business", () => {
    const root = tree({
      ...CONTENT,
      "src/deep/tools/x.ts": TOOL,
      "usr/sessions/s/tools/x.ts": TOOL,
      "usr/plugins/a/node_modules/m/tools/x.ts": TOOL,
    });
    const read: string[] = [];
    const readEntries = (directory: string) => {
      read.push(directory);
      return readdirSync(directory, { withFileTypes: true });
    };
    open(root, { readEntries });
    expect(read.filter((directory) => /src|sessions|node_modules/u.test(directory))).toEqual([]);
  });
});

describe("links", () => {
  const plugin = { "x/plugin.yaml": "", "x/tools/t.ts": TOOL };

  it("to a plugin inside the root or the home are followed", () => {
    const home = tree({ "elsewhere/x/plugin.yaml": "", "elsewhere/x/tools/h.ts": TOOL });
    const root = tree({ "dev/x/plugin.yaml": "", "dev/x/tools/t.ts": TOOL });
    addFiles(root, {
      "usr/plugins/linked": { link: "../../dev/x" },
      "usr/plugins/far": { link: join(home, "elsewhere/x") },
    });
    const discovery = open(root, { home });
    const view = discovery.view("default");
    expect(view.diagnostics).toEqual([]);
    expect(view.catalog.get("tool", "t")?.winner).toMatchObject({
      path: "usr/plugins/linked/tools/t.ts",
      plugin: "linked",
    });
    expect(view.catalog.get("tool", "h")?.winner?.plugin).toBe("far");
    expect(discovery.linkedDirectories).toEqual([join(home, "elsewhere/x"), join(root, "dev/x")].sort());
  });

  it("that lead outside are refused until linkRoots admits them", () => {
    const outside = tree(plugin);
    const root = tree();
    addFiles(root, { "usr/plugins/x": { link: join(outside, "x") } });
    const discovery = open(root);
    const view = discovery.view("default");
    expect(view.diagnostics).toMatchObject([
      { code: "LINK_REFUSED", severity: "error", file: "usr/plugins/x", message: expect.stringContaining(outside) },
    ]);
    expect(view.catalog.get("tool", "t")).toBeUndefined();
    expect(view.catalog.get("plugin", "x")?.standings).toMatchObject([
      { state: "refused", reason: expect.stringContaining("linkRoots") },
    ]);
    addFiles(root, { "usr/settings.yaml": `linkRoots: [${outside}]` });
    discovery.refresh();
    expect(discovery.view("default").catalog.get("tool", "t")?.winner?.path).toBe("usr/plugins/x/tools/t.ts");
    expect(discovery.view("default").diagnostics).toEqual([]);
    expect(discovery.linkedDirectories).toEqual([join(outside, "x")]);
  });

  it("to /etc, to nothing, in a circle and to a file are refused or ignored", () => {
    const root = tree({ "usr/plugins/AGENTS.md": "x" });
    addFiles(root, {
      "usr/plugins/etc": { link: "/etc" },
      "usr/plugins/gone": { link: "nowhere" },
      "usr/plugins/round": { link: "round" },
      "usr/plugins/CLAUDE.md": { link: "AGENTS.md" },
    });
    const view = open(root).view("default");
    expect(view.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["LINK_REFUSED", "usr/plugins/etc"],
      ["LINK_REFUSED", "usr/plugins/gone"],
      ["LINK_REFUSED", "usr/plugins/round"],
    ]);
  });

  it("inside content are not followed, and told once", () => {
    const outside = tree({ "tools/evil.ts": TOOL, "plugin.yaml": "", "p/tools/t.ts": TOOL });
    const root = tree({ "usr/plugins/x/plugin.yaml": "", "usr/plugins/x/prompts/": "", "tools/": "" });
    addFiles(root, {
      "usr/plugins/x/tools": { link: join(outside, "tools") },
      "usr/plugins/x/README.md": { link: "plugin.yaml" },
      "usr/plugins/y/plugin.yaml": { link: join(outside, "plugin.yaml") },
      "tools/evil.ts": { link: join(outside, "tools/evil.ts") },
      "tools/lib": { link: outside },
      "usr/agents/linked": { link: join(outside, "p") },
      "usr/agents/CLAUDE.md": { link: "../../tools/x" },
      "prompts/fw.x.md": { link: "/etc/passwd" },
    });
    const discovery = open(root);
    for (let round = 0; round < 3; round++) discovery.refresh();
    const { diagnostics, catalog } = discovery.view("default");
    expect(diagnostics.filter(({ code }) => code === "LINK_SKIPPED").map(({ file }) => file)).toEqual([
      "prompts/fw.x.md",
      "tools/evil.ts",
      "usr/agents/CLAUDE.md",
      "usr/agents/linked",
      "usr/plugins/x/tools",
      "usr/plugins/y/plugin.yaml",
    ]);
    expect(catalog.list("tool")).toEqual([]);
    expect(catalog.list("prompt")).toEqual([]);
  });

  it("in place of usr/ or plugins/ follow the same rule, and cannot vouch for themselves", () => {
    const outside = tree({ "plugins/x/plugin.yaml": "", "plugins/x/tools/t.ts": TOOL });
    addFiles(outside, { "settings.yaml": `linkRoots: [${outside}]` });
    const root = tree();
    addFiles(root, { usr: { link: outside }, plugins: { link: join(outside, "plugins") } });
    const refused = open(root).view("default");
    expect(refused.diagnostics.map(({ code, file }) => [code, file])).toEqual([
      ["LINK_REFUSED", "plugins"],
      ["LINK_REFUSED", "usr"],
    ]);
    expect(refused.catalog.list("tool")).toEqual([]);
    const inside = tree({ "data/usr/plugins/x/plugin.yaml": "", "data/usr/plugins/x/tools/t.ts": TOOL });
    addFiles(inside, { usr: { link: "data/usr" } });
    expect(open(inside).view("default").catalog.get("tool", "t")?.winner?.path).toBe("usr/plugins/x/tools/t.ts");
  });

  it("that lead to each other end", () => {
    const root = tree({ "usr/plugins/a/plugin.yaml": "", "usr/plugins/b/plugin.yaml": "" });
    addFiles(root, {
      "usr/plugins/a/agents": { link: "../b" },
      "usr/plugins/b/agents": { link: "../a" },
      "usr/plugins/self": { link: ".." },
    });
    expect(
      open(root)
        .view("default")
        .plugins.map(({ id }) => id),
    ).toEqual(["a", "b"]);
  });

  it("name the root by its real path", () => {
    const real = tree({ "tools/t.ts": TOOL });
    const beside = tree();
    addFiles(beside, { link: { link: real } });
    const discovery = open(join(beside, "link"));
    expect(discovery.root).toBe(real);
    expect(discovery.view("default").catalog.get("tool", "t")?.winner).toMatchObject({
      path: "tools/t.ts",
      file: join(real, "tools/t.ts"),
    });
    expect(discovery.display(join(real, "usr/x"))).toBe("usr/x");
    expect(discovery.display("/elsewhere")).toBe("/elsewhere");
  });
});

function shuffle<Item>(items: readonly Item[], numbers: Iterator<number>): Item[] {
  const weighed = items.map((item) => ({ item, weight: Number(numbers.next().value) }));
  return weighed.sort((a, b) => a.weight - b.weight).map(({ item }) => item);
}
