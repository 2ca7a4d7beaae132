import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { keptListing } from "../../core/host/kept-listing.ts";
import type { HostOptions } from "../../core/host/options.ts";
import { acceptRoot, revokeRoot } from "../../core/host/trust.ts";
import { openHost } from "../../core/host.ts";
import { HostError } from "../../core/sdk/errors.ts";
import { fc } from "../discovery/property.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, type Tree, toolSource } from "../helpers/tree.ts";
import { fragment } from "./house.ts";

/** A root with a plugin whose tool imports a file of its own, and a home with a bundled one. */
const ROOT: Tree = {
  "usr/plugins/a/plugin.yaml": manifest("a"),
  "usr/plugins/a/tools/t.ts": `import "../lib/x.ts";\n${toolSource("t")}`,
  "usr/plugins/a/lib/x.ts": "export const x = 1;\n",
  "usr/plugins/a/prompts/agent.system.tool.t.md": fragment("Says t."),
};
const HOME: Tree = {
  "plugins/_b/plugin.yaml": manifest("_b"),
  "plugins/_b/tools/u.ts": toolSource("u"),
  "plugins/_b/locales/zh-CN/tools.ftl": "tool-u = 你\n",
};

/** Options of hosts over one fresh root. */
function place(): HostOptions & { readonly root: string } {
  const top = makeTree(Object.fromEntries(Object.entries(ROOT).map(([path, text]) => [`root/${path}`, text])));
  const env = { XDG_STATE_HOME: join(top, "state"), XDG_CONFIG_HOME: join(top, "config") };
  return { root: join(top, "root"), home: makeTree(HOME), workspace: top, cwd: top, env, face: "cli" };
}

/** All that was written so far is old enough by this clock. */
const later = (): number => Date.now() + 3_600_000;

/** What a host says that keeps nothing and shows nothing that was kept; a message where there is none. */
async function listed(options: HostOptions, keepsListing = false): Promise<string> {
  try {
    const host = await openHost(options, { now: later, keepsListing });
    const listing = JSON.stringify(await host.list());
    await host.close();
    return listing;
  } catch (error) {
    if (error instanceof HostError) return error.message;
    throw error;
  }
}

async function loaded(options: HostOptions, tool: string): Promise<void> {
  const host = await openHost(options, { now: later }).catch(() => undefined);
  await host?.call(tool, {});
  await host?.close();
}

const FILE = "usr/.cache/listing.cache";

describe("a listing that is kept", () => {
  it("is what was listed, until something changes", async () => {
    const options = { ...place(), trust: true };
    const { root } = options;
    await loaded(options, "t");
    expect(keptListing(options)).toBeUndefined();
    const first = await listed(options, true);
    expect(String(keptListing(options))).toBe(first);
    expect(keptListing({ ...options, locale: "zh-CN" })).toBeUndefined();
    expect(keptListing({ ...options, env: { ...options.env, LANG: "zh_CN.UTF-8" } })).toBeUndefined();
    expect(keptListing({ ...options, trust: false })).toBeUndefined();
    writeFileSync(join(root, "usr/plugins/a/lib/x.ts"), "export const x = 22;\n");
    expect(keptListing(options)).toBeUndefined();
    expect(await listed(options, true)).not.toBe(first);
  });

  it("is made anew where the file is damaged, cut, another's or gone", async () => {
    const options = { ...place(), trust: true };
    const file = join(options.root, FILE);
    const listing = await listed(options, true);
    const whole = readFileSync(file);
    for (const at of [3, whole.length >> 1, whole.length - 2]) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      writeFileSync(file, damaged);
      expect(keptListing(options)).toBeUndefined();
    }
    writeFileSync(file, whole.subarray(0, whole.length - 1));
    expect(keptListing(options)).toBeUndefined();
    const other = { ...place(), trust: true };
    await listed(other, true);
    writeFileSync(file, readFileSync(join(other.root, FILE)));
    expect(keptListing(options)).toBeUndefined();
    rmSync(file);
    expect(keptListing(options)).toBeUndefined();
    expect(await listed(options, true)).toBe(listing);
    expect(String(keptListing(options))).toBe(listing);
  });

  it("is kept only of what is old enough, without links and with nothing to tell", async () => {
    const options = { ...place(), trust: true };
    const host = await openHost(options, { keepsListing: true });
    await host.list();
    await host.close();
    expect(keptListing(options)).toBeUndefined();
    for (const [path, text] of [
      ["usr/plugins/a/tools/t.mts", toolSource("again")],
      ["usr/plugins/linked", undefined],
    ] as const) {
      const file = join(options.root, path);
      if (text === undefined) symlinkSync(makeTree({ "plugin.yaml": manifest("linked") }), file);
      else writeFileSync(file, text);
      await listed(options, true);
      expect(keptListing(options)).toBeUndefined();
      rmSync(file);
    }
  });

  it("is not shown under an e-stop, wherever that lies", async () => {
    const options = { ...place(), root: makeTree({ "plugins/a/plugin.yaml": manifest("a") }), trust: true };
    await listed(options, true);
    expect(keptListing(options)).toBeDefined();
    const host = await openHost(options);
    host.estop.on();
    await host.close();
    expect(keptListing(options)).toBeUndefined();
  });

  it("is what `list` prints, as JSON and as a table", async () => {
    const options = { ...place(), trust: true };
    const root = ["--root", options.root];
    const fresh = await Promise.all([["--json"], []].map((more) => runMain(["list", ...root, ...more])));
    const { home: _, ...own } = options;
    await listed({ ...own, env: {} }, true);
    const again = await Promise.all([["--json"], []].map((more) => runMain(["list", ...root, ...more])));
    expect(again).toEqual(fresh);
    expect(keptListing({ ...own, env: {} })).toBeDefined();
  });
});

type Edit = (options: HostOptions & { readonly root: string }) => unknown;

const PATHS: readonly (readonly [path: string, ...contents: string[]])[] = [
  ["usr/plugins/a/plugin.yaml", manifest("a"), manifest("a", "policy: {denied_tools: [u]}\n"), "title: ["],
  ["usr/plugins/a/tools/t.ts", ...["t", "tt"].map((text) => `import "../lib/x.ts";\n${toolSource(text)}`)],
  ["usr/plugins/a/tools/v.ts", toolSource("v"), toolSource("v", 'static readonly role = "answer";')],
  ["usr/plugins/a/lib/x.ts", "export const x = 1;\n", "export const x = 3;\n"],
  ["usr/plugins/a/prompts/agent.system.tool.t.md", fragment("One."), fragment("Two."), fragment("W.", "when: on\n")],
  ["usr/plugins/a/locales/en/tools.ftl", "tool-t = T\n", "tool-u = U\n"],
  ["usr/plugins/a/.toggle-0", ""],
  ["usr/plugins/_b/.toggle-0", ""],
  ["usr/plugins/_b/plugin.yaml", manifest("_b")],
  ["usr/agents/p/agent.yaml", "title: P\n", "locale: zh-CN\n", "tools: {enable: [t]}\n", "enabled: false\n"],
  ["usr/agents/p/tools/u.ts", toolSource("p")],
  ["agents/p/agent.yaml", "description: P\n"],
  ["usr/projects/J/settings.yaml", "locale: zh-CN\n", "risk_profiles: {default: {allowed_tools: [t]}}\n"],
  [
    "usr/settings.yaml",
    "on: true\n",
    "profile: p\n",
    "risk_profiles: {default: {denied_tools: [t]}}\n",
    "project: J\n",
  ],
  ["usr/estop.json", "{}"],
];
const write = fc.tuple(fc.constantFrom(...PATHS), fc.nat()).map(
  ([[path, ...contents], pick]): Edit =>
    ({ root }) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), contents[pick % contents.length] ?? "");
    },
);
const below = fc.tuple(fc.constantFrom(...PATHS), fc.nat(2)).map(([[path], up]) => {
  const parts = path.split("/");
  return parts.slice(0, Math.max(2, parts.length - up)).join("/");
});
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 6, arbitrary: write },
  {
    weight: 2,
    arbitrary: below.map(
      (path): Edit =>
        ({ root }) =>
          rmSync(join(root, path), { recursive: true, force: true }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(below, below).map(
      ([from, to]): Edit =>
        ({ root }) =>
          renameSync(join(root, from), join(root, to)),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("t", "u", "v").map(
      (tool): Edit =>
        (options) =>
          loaded(options, tool),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Edit>(
      ({ root, env = {}, cwd = "" }) => acceptRoot(root, { env, cwd }),
      ({ root, env = {}, cwd = "" }) => revokeRoot(root, { env, cwd }),
    ),
  },
);
const asked: fc.Arbitrary<HostOptions> = fc.constantFrom<HostOptions>(
  {},
  { trust: true },
  { profile: "p" },
  { project: "J", trust: true },
  { locale: "zh-CN" },
);

/**
 * After any edits, what is kept is what a host says that does not know it. Edits are far enough apart for the file
 * system's clock to tick.
 */
it("what is kept is what would be listed, after any edits", { timeout: 120_000 }, async () => {
  let shown = 0;
  const step = fc.record({ edits: fc.array(edit, { minLength: 1, maxLength: 3 }), asked, isQuiet: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 6 }), async (steps) => {
      const base = place();
      acceptRoot(base.root, { env: base.env ?? {}, cwd: base.root });
      for (const { edits, asked: more, isQuiet } of steps) {
        const options = { ...base, ...more };
        await listed(options, true);
        tick();
        for (const one of isQuiet ? [] : edits) await made(one, options);
        const fresh = await listed(options);
        const kept = keptListing(options);
        if (kept) expect(String(kept)).toBe(fresh);
        if (kept) shown++;
      }
    }),
    { numRuns: 15 },
  );
  expect(shown).toBeGreaterThan(5);
});

/** An edit that cannot be made is none. */
async function made(one: Edit, options: HostOptions & { readonly root: string }): Promise<void> {
  try {
    await one(options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

/** Longer than a tick of the file system's clock. */
function tick(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12);
}
