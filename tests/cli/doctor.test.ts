import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { OLDEST_NODE } from "../../core/host/doctor-checks.ts";
import { PROJECT } from "../helpers/cli.ts";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const root = makeTree({ "usr/plugins/p/plugin.yaml": manifest("p"), "usr/plugins/p/tools/one.ts": toolSource("one") });

async function doctor(argv: readonly string[] = [], { cwd = root, env = {} }: Parameters<typeof runMain>[1] = {}) {
  const { code, stdout } = await runMain(["doctor", "--json", ...argv], { cwd, env });
  const value = JSON.parse(stdout);
  const check = (name: string) => value.checks.find((item: { name: string }) => item.name === name);
  return { code, value, check };
}

describe("doctor", () => {
  test("--json is one value with what was looked at", async () => {
    const { code, value } = await doctor();
    expect(code).toBe(0);
    expect(value).toMatchObject({
      health: "ok",
      node: process.versions.node,
      root,
      home: PROJECT.replace(/\/$/u, ""),
      cache: { directory: join(root, "usr/.cache"), writable: true },
      model: { id: null },
      content: { pluginsOff: 0, failedPlugins: 0, failedTools: 0, errors: 0 },
      watcher: { mode: "events", watching: true },
      generation: { current: 1, pinned: null },
      leakedTimers: [],
    });
    expect(value.watcher.directories).toContain(join(root, "usr/plugins"));
    expect(value.checks.map(({ name }: { name: string }) => name)).toEqual([
      "node",
      "cache",
      "watcher",
      "limits",
      "model",
      "estop",
      "sandbox",
      "content",
      "generation",
      "timers",
    ]);
  });

  test("for people: a line for each check, and the directories", async () => {
    const { code, stdout, stderr } = await runMain(["doctor"], { cwd: root });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^root \/.*\n/);
    expect(stdout).toMatch(/\nok +watcher +events of files come; \d+ directories are watched\n/);
    expect(stdout).toMatch(/\nok +model +no model is configured: the offline model/);
    expect(stdout).toMatch(/\nWatched directories:\n(?: {2}.+\n)+/);
  });

  test("polling, and a cache that cannot be written, are warnings", async () => {
    const before = process.env.CHOKIDAR_USEPOLLING;
    process.env.CHOKIDAR_USEPOLLING = "1";
    try {
      const { code, value, check } = await doctor();
      expect({ code, health: value.health, mode: value.watcher.mode }).toEqual({
        code: 0,
        health: "warning",
        mode: "polling",
      });
      expect(check("watcher")).toMatchObject({
        status: "warning",
        hint: expect.stringContaining("CHOKIDAR_USEPOLLING"),
      });
      expect(check("watcher").message).toMatch(/asks for polling; changes are looked for every 500 ms/);
    } finally {
      if (before === undefined) delete process.env.CHOKIDAR_USEPOLLING;
      else process.env.CHOKIDAR_USEPOLLING = before;
    }
    const file = makeTree({ "usr/plugins/.gitkeep": "", "usr/.cache": "a file" });
    const { code, value, check } = await doctor([], { cwd: file });
    expect({ code, writable: value.cache.writable }).toEqual({ code: 0, writable: false });
    expect(check("cache")).toMatchObject({ status: "warning", message: expect.stringContaining("ENOTDIR") });
  });

  test("what is broken is an error, and exit code 1", async () => {
    const broken = makeTree({ "usr/plugins/b/plugin.yaml": "name: [\n" });
    const content = await doctor([], { cwd: broken });
    expect(content).toMatchObject({ code: 1, value: { health: "error", content: { failedPlugins: 1 } } });
    expect(content.check("content")).toMatchObject({ status: "error" });
    const model = await doctor(["--model", "openai/gpt"]);
    expect(model).toMatchObject({ code: 1, value: { health: "error", model: { id: "openai/gpt" } } });
    expect(model.check("model").message).toContain("OPENAI_API_KEY");
  });

  test("a model is looked at without being asked", async () => {
    const env = { TOOLROOM_BASE_URL: "http://127.0.0.1:9/v1" };
    const { code, value, check } = await doctor(["--model", "openai-compatible/local"], { env });
    expect({ code, baseURL: value.model.baseURL }).toEqual({ code: 0, baseURL: "http://127.0.0.1:9/v1" });
    expect(check("model").message).toMatch(/at http:\/\/127\.0\.0\.1:9\/v1, which was not asked/);
  });

  test("the oldest Node is that of the package", () => {
    const { engines } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
    expect(engines.node).toBe(`>=${OLDEST_NODE}`);
  });
});
