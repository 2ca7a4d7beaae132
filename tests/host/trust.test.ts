import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HostOptions } from "../../core/host/options.ts";
import { acceptRoot, listTrust, revokeRoot } from "../../core/host/trust.ts";
import { addToShard, readShard } from "../../core/loading/cache-shard.ts";
import { makeTree, type Tree, toolSource, writeTree } from "../helpers/tree.ts";
import { type House, openHouse, pluginFiles } from "./house.ts";

/** A root, with places of its own for what is trusted and what is kept outside of it. */
async function untrustedHouse(files: Tree, options: HostOptions = {}) {
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  const house = await openHouse(files, { env, trust: false, ...options });
  const place = { env, cwd: house.root };
  return {
    ...house,
    place,
    store: join(env.XDG_CONFIG_HOME, "toolroom/trust.json"),
    trust: () => acceptRoot(undefined, place),
  };
}

/** A tool that leaves a file in the root when its module is loaded. */
const evil = `import { writeFileSync } from "node:fs";\nwriteFileSync(process.env.MARK ?? new URL("../../ran", import.meta.url), "");\n${toolSource("ran")}`;
const settings = (values: object): Tree => ({ "usr/settings.yaml": JSON.stringify(values) });
const FREE = { risk_profiles: { default: { level: "full", denied_tools: ["file_read"] } } };

async function codesOf({ host }: Pick<House, "host">): Promise<readonly string[]> {
  return (await host.list()).diagnostics.map(({ code }) => code);
}

it("runs no module of a root that nobody trusts, whatever is asked of the host", async () => {
  const { host, root, again, trust } = await untrustedHouse({ "usr/tools/evil.ts": evil });
  await host.list();
  await host.prompt();
  await host.toolDefinitions();
  await host.run("/tool evil");
  await host.loadAll();
  const { diagnostics, summary } = await host.check();
  expect(diagnostics.filter(({ code }) => code === "UNTRUSTED").every(({ severity }) => severity === "error")).toBe(
    true,
  );
  expect(diagnostics.map(({ code }) => code)).toContain("UNTRUSTED");
  expect(summary.errors).toBeGreaterThan(0);
  expect((await host.call("evil", {})).error?.code).toBe("TOOL_LOAD_FAILED");
  expect(host.trusted).toBe(false);
  expect(existsSync(join(root, "ran"))).toBe(false);

  trust();
  const trusted = await again();
  expect(trusted.trusted).toBe(true);
  expect((await trusted.call("evil", {})).message).toBe("ran");
  expect(existsSync(join(root, "ran"))).toBe(true);
});

it("uses no settings, secrets, toggles, profiles, locales and caches of such a root", async () => {
  const { host, root, again } = await untrustedHouse({
    ...settings({ profile: "pirate", model: "nobody/none", log: { file: "usr/told.log" }, ...FREE }),
    "usr/secrets.env": "STOLEN_KEY=abcdefghijkl\n",
    "usr/plugins/_files/.toggle-0": "",
    "usr/agents/pirate/agent.yaml": "title: Pirate\n",
    "usr/.cache/contracts.json": "{}",
  });
  const { profile, tools } = await host.list();
  expect(profile).toBe("default");
  expect(tools.find(({ name }) => name === "file_read")).toMatchObject({ diagnostics: [] });
  expect(tools.find(({ name }) => name === "file_read")).not.toHaveProperty("refused");
  expect((await host.call("file_read", { path: "§§secret(STOLEN_KEY)" })).error?.code).toBe("SECRET_UNKNOWN");
  expect((await host.run("hello")).answer).not.toBe("");
  expect(host.items("profile").filter(({ id }) => id === "pirate")).toEqual([
    expect.objectContaining({ file: "usr/agents/pirate/agent.yaml", status: "unloaded", diagnostics: ["UNTRUSTED"] }),
  ]);
  await expect(host.list({ profile: "pirate" })).rejects.toThrow(/toolroom trust/);
  await host.close();
  expect(existsSync(join(root, "usr/told.log"))).toBe(false);
  expect(existsSync(join(root, "usr/.cache/discovery.index"))).toBe(false);

  const accepted = await again({ trust: true });
  expect((await accepted.list()).profile).toBe("pirate");
});

it("lets a bundled plugin run that a plugin of such a root would replace, but not the tools of the same name", async () => {
  const { host } = await untrustedHouse(
    {
      "usr/plugins/_files/plugin.yaml": "name: _files\ntitle: Files\ndescription: Ours now.\nversion: 1.0.0\n",
      "usr/plugins/_files/tools/word_count.ts": toolSource("counted"),
    },
    { workspace: makeTree({ "a.txt": "one two\n" }) },
  );
  expect((await host.call("file_read", { path: "a.txt" })).status).toBe("success");
  const { error } = await host.call("word_count", { path: "a.txt" });
  expect(error).toMatchObject({ code: "TOOL_LOAD_FAILED", cause: { code: "UNTRUSTED" } });
});

it("writes through no link of such a root", async () => {
  const diary = makeTree({ "diary.txt": "mine\n" });
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  const root = makeTree({ "usr/tools/evil.ts": evil, "usr/audit/README": "", "usr/logs/README": "" });
  const link = (name: string) => symlinkSync(join(diary, "diary.txt"), join(root, name));
  link("usr/audit/audit.jsonl");
  link("usr/logs/toolroom.log");
  const house = await openHouse({}, { root, env, trust: false });
  await house.host.call("nothing", {});
  expect((await house.host.audit.search()).lines).toHaveLength(1);
  expect(house.host.audit.file.startsWith(env.XDG_STATE_HOME)).toBe(true);
  await house.host.close();
  const all = join(makeTree({}), "usr");
  mkdirSync(join(all, ".."), { recursive: true });
  symlinkSync(diary, all);
  const linked = await openHouse({}, { root: join(all, ".."), env, trust: false });
  await linked.host.call("nothing", {});
  await linked.host.close();
  expect(readFileSync(join(diary, "diary.txt"), "utf8")).toBe("mine\n");
  expect(readdirSync(diary)).toEqual(["diary.txt"]);
});

it("runs what a person has looked at, and not what somebody left for it in the cache", async () => {
  const house = await untrustedHouse({ "usr/tools/greet.ts": toolSource("a greeting") });
  const first = await house.again({ trust: true });
  await first.call("greet", {});
  await first.close();
  const cache = join(house.root, "usr/.cache/modules");
  for (const name of readdirSync(cache).filter((file) => file.endsWith(".code"))) {
    const base = join(cache, name.slice(0, -".code".length));
    const poisoned = [...readShard(base).entries].map(
      ([key, { form, code }]) => [key, { form, code: code.replace("a greeting", "stolen"), mappings: [] }] as const,
    );
    addToShard(base, new Map(poisoned));
  }
  expect((await (await house.again({ trust: true })).call("greet", {})).message).toBe("stolen");
  house.trust();
  const host = await house.again();
  expect((await host.call("greet", {})).message).toBe("a greeting");
});

it("finds nothing to trust where a root holds nothing", async () => {
  const empty = await untrustedHouse({});
  expect(await codesOf(empty)).toEqual([]);
  expect(await codesOf(await untrustedHouse({ "README.md": "# ours\n", "src/tool.ts": evil }))).toEqual([]);
  expect(await codesOf(await untrustedHouse(settings({})))).toEqual(["UNTRUSTED"]);
  expect((await empty.host.check()).diagnostics.filter(({ code }) => code === "UNTRUSTED")).toEqual([]);
});

it("trusts the home as its own root, and no other root because of it", async () => {
  const home = makeTree({ "tools/greet.ts": toolSource("hi"), "usr/tools/mine.ts": toolSource("mine") });
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  const clone = await openHouse({}, { root: home, home, env, trust: false });
  expect(clone.host.trusted).toBe(true);
  for (const name of ["greet", "mine"]) expect((await clone.host.call(name, {})).status).toBe("success");
  const inside = makeTree({ "usr/tools/greet.ts": toolSource("hi") });
  const other = await openHouse({}, { root: inside, home, env, trust: false });
  expect(other.host.trusted).toBe(false);
  expect((await other.host.call("greet", {})).error?.code).toBe("TOOL_LOAD_FAILED");
});

it("never asks again inside a trusted root", async () => {
  const house = await untrustedHouse(settings(FREE));
  house.trust();
  const host = await house.again();
  house.write(pluginFiles("late", "late", "came later"));
  await host.reload();
  expect((await host.call("late", {})).message).toBe("came later");
  house.write({
    "usr/plugins/late/tools/late.ts": toolSource("edited"),
    ...settings({ ...FREE, agent: { maxDepth: 1 } }),
  });
  const next = await house.again();
  expect((await next.call("late", {})).message).toBe("edited");
  expect(next.trusted).toBe(true);
});

const PROJECT = "usr/projects/ours/settings.yaml";
it.each([
  ["risk_profiles", settings({ risk_profiles: { default: { level: "full" } } })],
  ["linkRoots", settings({ ...FREE, linkRoots: ["/tmp"] })],
  ["the settings gone", settings({})],
  ["risk_profiles of a project", { [PROJECT]: JSON.stringify(FREE) }],
])("asks anew where what was accepted changed: %s", async (_, change) => {
  const house = await untrustedHouse({ ...settings(FREE), "usr/tools/greet.ts": toolSource("hi") });
  house.trust();
  expect((await house.again()).trusted).toBe(true);
  house.write(change);
  const host = await house.again();
  expect(host.trusted).toBe(false);
  const { diagnostics } = await host.list();
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: "UNTRUSTED",
      message: expect.stringMatching(/changed since this root was trusted/),
    }),
  ]);
  expect((await host.call("greet", {})).error?.code).toBe("TOOL_LOAD_FAILED");
  expect((await (await house.again({ trust: true })).call("greet", {})).message).toBe("hi");
  house.trust();
  expect((await house.again()).trusted).toBe(true);
});

it("does not mind in which order, or with which comments, accepted settings are written", async () => {
  const house = await untrustedHouse({
    "usr/settings.yaml": "risk_profiles:\n  default: {level: full, auto_approve: []}\n",
  });
  house.trust();
  house.write({
    "usr/settings.yaml": "# ours\nmodel: offline\nrisk_profiles: {default: {auto_approve: [], level: full}}\n",
  });
  expect((await house.again()).trusted).toBe(true);
});

it.each([false, true])("keeps the accepted values in a host that runs, and says so (watch: %s)", async (watch) => {
  const house = await untrustedHouse({ ...settings(FREE), "usr/tools/greet.ts": toolSource("hi") });
  house.trust();
  const host = await house.again({ watch });
  expect((await host.call("greet", {})).message).toBe("hi");
  house.write(settings({ agent: { maxDepth: 1 }, risk_profiles: { default: { level: "full" } } }));
  const receipt = await host.reload();
  expect(receipt.diagnostics.map(({ code }) => code)).toContain("TRUST_OUTDATED");
  expect(await codesOf({ host })).toContain("TRUST_OUTDATED");
  const refused = async () => (await host.list()).tools.find(({ name }) => name === "file_read")?.refused;
  expect(await refused()).toContain("denied_tools");
  expect((await host.policy.show()).settings.find(({ key }) => key === "denied_tools")?.value).toEqual(["file_read"]);

  rmSync(join(house.root, "usr/settings.yaml"));
  await host.reload();
  expect(await refused()).toContain("denied_tools");

  house.trust();
  await host.reload();
  expect(await codesOf({ host })).not.toContain("TRUST_OUTDATED");
  expect(await refused()).toBeUndefined();
});

it("permits nothing more by a mistake that came after", async () => {
  const house = await untrustedHouse({
    "usr/settings.yaml": "model: offline\n",
    "usr/tools/greet.ts": toolSource("hi", 'static readonly risk = "medium";'),
  });
  house.trust();
  const host = await house.again({ profile: "default" });
  house.write({ "usr/settings.yaml": "risk_profile: {default: {denied_tools: [greet]}}\n" });
  await host.reload();
  expect((await host.policy.why("greet")).decision).toBe("block");
  expect((await (await house.again()).policy.why("greet")).decision).toBe("block");
});

it("takes changed values at once where the caller accepts them", async () => {
  const house = await untrustedHouse(settings(FREE), { trust: true });
  house.write(settings({}));
  await house.host.reload();
  expect(await codesOf(house)).toEqual([]);
  expect((await house.host.list()).tools.find(({ name }) => name === "file_read")).not.toHaveProperty("refused");
});

it("keeps trust by real path, in a file of the person's that nobody else reads", async () => {
  const house = await untrustedHouse({ "usr/tools/greet.ts": toolSource("hi") });
  const link = join(makeTree({}), "link");
  symlinkSync(house.root, link);
  const { root, settings: accepted } = acceptRoot(link, house.place);
  expect([root, accepted]).toEqual([realpathSync(house.root), {}]);
  expect(statSync(house.store).mode & 0o777).toBe(0o600);
  expect((await house.again({ root: link })).trusted).toBe(true);
  expect(listTrust(house.place)).toEqual([{ root, since: expect.any(String), state: "ok" }]);
  house.write(settings(FREE));
  expect(listTrust(house.place)[0]?.state).toBe("changed");
  expect(revokeRoot(link, house.place)).toBe(root);
  expect((await house.again()).trusted).toBe(false);
  expect(() => revokeRoot(undefined, house.place)).toThrow(/not/);
});

it("forgets a root that is gone", () => {
  const env = { XDG_CONFIG_HOME: makeTree({}) };
  const root = makeTree({ "usr/settings.yaml": "" });
  acceptRoot(root, { env, cwd: root });
  rmSync(root, { recursive: true });
  expect(listTrust({ env })).toEqual([expect.objectContaining({ root, state: "gone" })]);
  expect(revokeRoot(root, { env, cwd: env.XDG_CONFIG_HOME })).toBe(root);
  expect(listTrust({ env })).toEqual([]);
});

it.each([
  ["not JSON", "{", 0o600],
  ["of another version", '{"version":2,"roots":{}}', 0o600],
  ["without roots", '{"version":1}', 0o600],
  ["writable by others", '{"version":1,"roots":{}}', 0o622],
])("trusts nothing by a file that is %s, and does not overwrite it", async (_, text, mode) => {
  const house = await untrustedHouse({ "usr/tools/greet.ts": toolSource("hi") });
  mkdirSync(join(house.store, ".."), { recursive: true });
  writeFileSync(house.store, text);
  await import("node:fs").then(({ chmodSync }) => chmodSync(house.store, mode));
  const host = await house.again();
  expect(host.trusted).toBe(false);
  expect(host.diagnostics().map(({ code }) => code)).toContain("TRUST_STORE_INVALID");
  expect(() => house.trust()).toThrow(/TRUST_STORE_INVALID/);
  expect(readFileSync(house.store, "utf8")).toBe(text);
});

it("judges a link of an untrusted root by nothing that the root says", async () => {
  const elsewhere = makeTree({
    "plugin.yaml": "name: x\ntitle: x\ndescription: x\nversion: 1.0.0\n",
    "tools/x.ts": toolSource("x"),
  });
  const house = await untrustedHouse(settings({ linkRoots: [elsewhere] }));
  symlinkSync(elsewhere, join(house.root, "usr/plugins/x"));
  expect((await (await house.again()).list()).tools.map(({ name }) => name)).not.toContain("x");
  house.trust();
  expect((await (await house.again()).call("x", {})).message).toBe("x");
  writeTree(house.root, settings({ linkRoots: [elsewhere], model: "offline" }));
  expect((await house.again()).trusted).toBe(true);
});
