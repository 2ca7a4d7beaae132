import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, it } from "vitest";
import { KINDS } from "../../core/discovery/conventions.ts";
import type { Discovery } from "../../core/discovery/discovery.ts";
import { HostError } from "../../core/sdk/errors.ts";
import { fc } from "./property.ts";
import { addFiles, open, TOOL, useTrees } from "./trees.ts";

const tree = useTrees();

/** Few names, so that edits meet: every kind, two plugins, two profiles, a project, toggles, settings. */
const DIRECTORIES = [
  "usr/plugins/a",
  "usr/plugins/_b",
  "plugins/_b",
  "usr/plugins/a/agents/p",
  "agents/p",
  "usr/agents/p",
  "usr/projects/J",
  "usr/projects/J/agents/p",
  "usr",
  ".",
];
const FILES: readonly (readonly [path: string, ...contents: string[]])[] = [
  ["plugin.yaml", "title: One", "title: Two", "always_enabled: true", "title: ["],
  ["agent.yaml", "title: P", "enabled: false", "enabled: true", "risk_profile: odd"],
  [".toggle-0", ""],
  [".toggle-1", ""],
  ["plugins/_b/.toggle-0", ""],
  ["plugins/_b/.toggle-1", ""],
  ["plugins/_b/config.yaml", "x: 1", "x: 22", "y: 1"],
  ["config.yaml", "x: 3", "z: {w: 1}"],
  ["default_config.yaml", "x: 0"],
  ["settings.yaml", "on: {off: true}", "on: {off: false}", "linkRoots: [dev]"],
  ["tools/t.ts", TOOL],
  ["tools/t.mjs", TOOL],
  ["tools/Bad.ts", TOOL],
  [
    "prompts/agent.system.tool.t.md",
    "---\ndescription: A\n---\n",
    "---\ndescription: B\nwhen: on.off\n---\n",
    "---js\n1\n---\n",
  ],
  ["prompts/fw.x.md", "x"],
  ["extensions/tool_execute_before/_10_x.ts", TOOL],
  ["skills/s/SKILL.md", "---\ndescription: S\n---\n", "nothing"],
  ["locales/en/x.ftl", "a = b"],
  ["locales/en/tools.ftl", "tool-t = T", "tool-t = U\ntool-x = { $x }", "tool-t = {"],
];

type Edit =
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "remove" | "pipe"; readonly path: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string };

const directory = fc.constantFrom(...DIRECTORIES);
const file = fc.constantFrom(...FILES);
const inside = fc.tuple(directory, file).map(([at, [name]]) => join(at, name));
/** A path of the tree, a file or one of its directories. */
const anywhere = fc.tuple(inside, fc.nat(3)).map(([path, up]) => {
  const parts = path.split("/");
  return parts.slice(0, Math.max(1, parts.length - up)).join("/");
});
const write = fc.tuple(directory, file, fc.nat()).map(
  ([at, [name, ...contents], pick]): Edit => ({
    kind: "write",
    path: join(at, name),
    content: contents[pick % contents.length] ?? "",
  }),
);
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 2, arbitrary: anywhere.map((path): Edit => ({ kind: "remove", path })) },
  { weight: 2, arbitrary: fc.tuple(anywhere, anywhere).map(([path, to]): Edit => ({ kind: "rename", path, to })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anywhere, fc.constantFrom("outside", "nowhere", "dev"))
      .map(([path, to]): Edit => ({ kind: "link", path, to })),
  },
  { weight: 1, arbitrary: inside.map((path): Edit => ({ kind: "pipe", path })) },
);

/** Beside the root, in the same temporary directory: later edits may write through the links. */
const LINK_TARGETS: Readonly<Record<string, string>> = { outside: "outside", nowhere: "nowhere", dev: "root/dev/x" };

/** Does an edit as far as the tree lets it. */
function apply(root: string, one: Edit): void {
  const path = join(root, one.path);
  try {
    if (one.kind === "remove") rmSync(path, { recursive: true, force: true });
    else if (one.kind === "rename") {
      mkdirSync(dirname(join(root, one.to)), { recursive: true });
      renameSync(path, join(root, one.to));
    } else {
      mkdirSync(dirname(path), { recursive: true });
      // Opening a pipe to write would wait for a reader.
      if (lstatSync(path, { throwIfNoEntry: false })?.isFIFO()) rmSync(path);
      if (one.kind === "write") writeFileSync(path, one.content);
      else if (lstatSync(path, { throwIfNoEntry: false })) rmSync(path, { recursive: true });
      if (one.kind === "link") symlinkSync(join(dirname(root), LINK_TARGETS[one.to] ?? ""), path);
      if (one.kind === "pipe") execFileSync("mkfifo", [path]);
    }
  } catch (error) {
    // A file lies where the edit wants a directory, or the like: an edit that cannot be made is none.
    if ((error as NodeJS.ErrnoException).code === undefined && !(error as { status?: number }).status) throw error;
  }
}

/**
 * Does an edit, and tells what a host would hear of that watches all directories: the paths, and, since the events are of
 * the real directories, where they really lie, also behind a link that is none for us.
 */
function applyAndTell(root: string, one: Edit): readonly string[] {
  const paths = [one.path, ...(one.kind === "rename" ? [one.to] : [])].map((path) => join(root, path));
  const before = paths.map(realPlace);
  apply(root, one);
  return [...paths, ...before, ...paths.map(realPlace)];
}

/** A path with the links on the way to it resolved, be there anything at it or not. */
function realPlace(path: string): string {
  const parent = dirname(path);
  try {
    return join(realpathSync(parent), basename(path));
  } catch {
    return join(realPlace(parent), basename(path));
  }
}

/** Everything that a discovery knows, as data. */
function everything(discovery: Discovery): unknown {
  return {
    settings: discovery.settings.values,
    linked: discovery.linkedDirectories,
    profiles: discovery.profiles(),
    views: (
      [
        ["default", undefined],
        ["p", undefined],
        ["p", "J"],
      ] as const
    ).map(([profile, project]) => {
      try {
        const view = discovery.view(profile, project);
        return {
          profile: view.profile,
          settings: view.settings.values,
          catalog: KINDS.map((kind) => view.catalog.list(kind)),
          plugins: view.plugins,
          configs: view.plugins.map(({ id }) => view.pluginConfig(id)),
          fragments: view.catalog
            .list("fragment")
            .map(({ winner }) => winner && [view.fragment(winner), view.body(winner)]),
          skills: view.catalog.list("skill").map(({ winner }) => winner && view.skill(winner)),
          locales: [view.localeKeys(), view.toolTexts.description("t")],
          diagnostics: view.diagnostics,
        };
      } catch (error) {
        if (error instanceof HostError) return error.message;
        throw error;
      }
    }),
  };
}

/**
 * After any sequence of edits, four ways to the same answer: a fresh scan, a host that refreshes, one that is told
 * where to look, and a new host that starts from the index of the one before. The clocks of the hosts stand in the future now and then,
 * so that times are trusted; edits are then far enough apart for the file system's clock to tick.
 */
it("the index gives what a fresh scan gives, after any edits", { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 6 }), trusting: fc.boolean() }), {
        minLength: 2,
        maxLength: 6,
      }),
      (steps) => {
        const top = tree({ "outside/plugin.yaml": "", "outside/tools/o.ts": TOOL });
        const root = join(top, "root");
        addFiles(root, {
          "dev/x/plugin.yaml": "",
          "dev/x/tools/d.ts": TOOL,
          "usr/plugins/a/plugin.yaml": "",
          "usr/plugins/a/tools/t.ts": TOOL,
        });
        const cacheDir = join(root, ".cache");
        let ahead = 0;
        const now = () => Date.now() + ahead;
        const living = open(root, { now });
        const told = open(root, { now });
        for (const { edits, trusting } of steps) {
          ahead = trusting ? 3_600_000 : 0;
          const touched = edits.flatMap((one) => applyAndTell(root, one));
          const fresh = everything(open(root));
          living.refresh();
          expect(everything(living)).toEqual(fresh);
          // As a host does that hears of them: what lies behind one link may lie behind another.
          told.refresh({ only: told.everyWay(touched) });
          expect(everything(told)).toEqual(fresh);
          const indexed = open(root, { cacheDir, now });
          expect(everything(indexed)).toEqual(fresh);
          indexed.save();
          const again = open(root, { cacheDir, now });
          expect(everything(again)).toEqual(fresh);
          again.save();
          if (trusting) tick();
        }
        expect(existsSync(join(cacheDir, "discovery.index"))).toBe(true);
        expect(readdirSync(cacheDir)).toHaveLength(1);
        rmSync(top, { recursive: true });
      },
    ),
    { numRuns: 40 },
  );
});

/** Longer than a tick of the file system's clock. */
function tick(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12);
}
