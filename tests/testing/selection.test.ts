import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost, type Host } from "../../core/host.ts";
import { selectTests } from "../../core/testing/runner/selection.ts";
import { runTests } from "../../core/testing/runner/vitest.ts";
import { PROJECT } from "../helpers/cli.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const hosts: Host[] = [];

const open = async (root: string): Promise<Host> => {
  const host = await createHost({ root, workspace: root, env: {}, trust: true });
  hosts.push(host);
  return host;
};

afterAll(async () => {
  for (const host of hosts) await host.close();
});

describe("of the product", () => {
  let host: Host;
  beforeAll(async () => {
    host = await open(PROJECT);
  });

  test.each([
    [
      "a plugin",
      "_agents",
      ["tests/plugins/agents/call-subordinate.test.ts", "tests/plugins/agents/parallel.test.ts"],
      ["plugins/_agents"],
    ],
    ["a plugin whose tests are one file", "_base", ["tests/plugins/base.test.ts"], ["plugins/_base"]],
    ["a tool of a plugin", "word_count", ["tests/plugins/files/word-count.test.ts"], ["plugins/_files"]],
    ["a tool of the core", "wait", ["tests/tools/wait.test.ts"], []],
    ["all tools of a name", "response", ["tests/agents/example.test.ts", "tests/tools/response.test.ts"], []],
  ])("%s", async (_, word, files, plugins) => {
    expect(await selectTests(host, word)).toEqual({ files, untested: [], plugins });
  });

  test("a word that is neither a plugin nor a tool is told what is near", async () => {
    await expect(selectTests(host, "word_cuont")).rejects.toThrow(
      'expected a plugin or a tool, found "word_cuont"; did you mean word_count?',
    );
  });
});

test("of a person: all plugins without a word, and tools that no test runs", async () => {
  const plugin = (name: string) => ({
    [`usr/plugins/${name}/plugin.yaml`]: manifest(name),
    [`usr/plugins/${name}/tools/${name}_one.ts`]: toolSource("1"),
    [`usr/plugins/${name}/tools/${name}_two.ts`]: toolSource("2"),
  });
  const host = await open(
    makeTree({
      ...plugin("a"),
      ...plugin("b"),
      "usr/plugins/a/tests/a-one.test.ts": "",
      "usr/plugins/a/tools/a_two.test.ts": 'testTool("./../tools/a_two.ts")',
      "usr/plugins/b/tests/other.test.ts": "",
      "usr/plugins/_files/tests/off.test.ts": "",
    }),
  );
  expect(await selectTests(host, undefined)).toEqual({
    files: [
      "usr/plugins/a/tests/a-one.test.ts",
      "usr/plugins/a/tools/a_two.test.ts",
      "usr/plugins/b/tests/other.test.ts",
    ],
    untested: ["usr/plugins/a/tools/a_one.ts", "usr/plugins/b/tools/b_one.ts", "usr/plugins/b/tools/b_two.ts"],
    plugins: ["usr/plugins/a", "usr/plugins/b"],
  });
  // Its name says what the file tests, though nobody can see that it does.
  expect(await selectTests(host, "a_one")).toMatchObject({
    files: ["usr/plugins/a/tests/a-one.test.ts"],
    untested: [],
  });
  expect(await selectTests(host, "b_one")).toMatchObject({ files: [], untested: ["usr/plugins/b/tools/b_one.ts"] });
  // A bundled tool of an installed package comes without tests, and its commands are for that package's own tree.
  expect(await selectTests(host, "word_count")).toMatchObject({
    files: [],
    untested: [expect.stringMatching(/word_count\.ts$/u)],
    plugins: [],
  });
});

test("without Vitest it is said how to install it", async () => {
  const root = makeTree({});
  const run = {
    root,
    home: root,
    scratch: root,
    files: ["x.test.ts"],
    suites: [],
    env: {},
    write: () => {},
    colors: false,
  };
  await expect(runTests(run)).rejects.toThrow(/expected Vitest 4 in .*, found none; install it with: npm install/u);
  const old = makeTree({ "node_modules/vitest/package.json": '{ "name": "vitest", "version": "3.2.1" }' });
  await expect(runTests({ ...run, root: old })).rejects.toThrow(/found 3\.2\.1 in /u);
});
