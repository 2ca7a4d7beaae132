import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { Candidate } from "../../core/discovery/catalog.ts";
import type { CheckFiles, CheckSubject } from "../../core/dox/subject.ts";
import { checkTestsOfTools, testsOfTools } from "../../core/dox/tests-of-tools.ts";
import { filesOf as diskFiles } from "../../core/host/check-files.ts";
import { PROJECT } from "../helpers/cli.ts";

/** A reader of files that are only written down here. */
function filesOf(texts: Readonly<Record<string, string>>): CheckFiles {
  return {
    list(directory) {
      const below = Object.keys(texts).filter((path) => path.startsWith(`${directory}/`));
      const names = below.map((path) => path.slice(directory.length + 1).replace(/\/.*$/u, "/"));
      return [...new Set(names)].sort();
    },
    read: (file) => texts[file],
  };
}

const tool = (file: string) => ({ id: file.replace(/^.*\/|\.ts$/gu, ""), file });

/** Which of some test files run a tool. */
const testsOf = (file: string, texts: Readonly<Record<string, string>>) =>
  testsOfTools([tool(file)], filesOf(texts)).get(file);

function findings(
  files: readonly string[],
  texts: Readonly<Record<string, string>>,
  more: Partial<Pick<CheckSubject, "home" | "usr">> = {},
) {
  const tools = files.map((file) => ({ ...tool(file), own: true, contract: undefined, candidate: {} as Candidate }));
  const subject = { root: "/r", home: "/r", usr: false, ...more, files: filesOf(texts), tools };
  return checkTestsOfTools(subject as unknown as CheckSubject);
}

const CASES = join(PROJECT, "tests/cases");

/** What is found in a root on the disk, its home elsewhere. */
function findingsOnDisk(root: string, home: string) {
  const modules = ["agents", "plugins", "tools", "usr"]
    .filter((name) => existsSync(join(root, name)))
    .flatMap((name) =>
      readdirSync(join(root, name), { recursive: true, encoding: "utf8" }).map((path) => `${name}/${path}`),
    )
    .filter((path) => /(?:^|\/)tools\/[a-z][a-z0-9_]*\.ts$/u.test(path));
  expect(modules.length).toBeGreaterThan(1);
  const tools = modules.sort().map((file) => ({ ...tool(file), own: true }));
  return checkTestsOfTools({ root, home, usr: true, files: diskFiles(root), tools } as unknown as CheckSubject);
}

const GREET = "usr/plugins/greetings/tools/greet.ts";

describe("a test runs a tool", () => {
  test.each([
    ["testTool with a path", 'testTool("../tools/greet.ts", {});'],
    ["testTool with a URL", "testTool(new URL('../tools/greet.ts', import.meta.url));"],
    ["an import, also of what it is compiled to", 'import Greet from "../tools/greet.js";'],
    ["a call by its id", 'await host.call("greet", { name: "Ada" });'],
    ["a call of a method", "await host.call('greet:twice', {});"],
  ])("by %s", (_, text) => {
    const file = "usr/plugins/greetings/tests/any.test.ts";
    expect(testsOf(GREET, { [file]: text })).toEqual([file]);
  });

  test.each([
    ["the module of another plugin", 'testTool("../../other/tools/greet.ts");'],
    ["another module beside it", 'testTool("../tools/greet_all.ts");'],
    ["a word in a sentence", "// greet is tested elsewhere"],
    ["a call of another tool", 'host.call("greeting", {});'],
  ])("but not by %s", (_, text) => {
    expect(testsOf(GREET, { "usr/plugins/greetings/tests/any.test.ts": text })).toEqual([]);
  });

  test("wherever it lies in the plugin, and not in what is installed there", () => {
    const text = 'host.call("greet")';
    const files = {
      "usr/plugins/greetings/greet.spec.mts": text,
      "usr/plugins/greetings/lib/deep/x.test.js": text,
      "usr/plugins/greetings/node_modules/p/x.test.js": text,
      "usr/plugins/greetings/tests/helper.ts": text,
      "usr/plugins/other/tests/x.test.ts": text,
    };
    expect(testsOf(GREET, files)).toEqual(Object.keys(files).slice(0, 2));
  });

  test("of the product from tests/, by the module that it means and by no other of its name", () => {
    const files = {
      "tests/tools/response.test.ts": 'testTool("../../tools/response.ts");',
      "tests/agents/example.test.ts": 'testTool("../../agents/_example/tools/response.ts");',
      "tests/plugins/files/x.test.ts": 'import x from "../../../plugins/_files/tools/word_count.ts";',
      "tests/plugins/files.test.ts": 'host.call("word_count")',
      "tests/host/calls.test.ts": 'host.call("word_count")',
    };
    expect(testsOf("tools/response.ts", files)).toEqual(["tests/tools/response.test.ts"]);
    expect(testsOf("agents/_example/tools/response.ts", files)).toEqual(["tests/agents/example.test.ts"]);
    expect(testsOf("plugins/_files/tools/word_count.ts", files)).toEqual([
      "tests/plugins/files.test.ts",
      "tests/plugins/files/x.test.ts",
    ]);
  });
});

describe("TOOL_UNTESTED", () => {
  test("is an error for what comes with the product, with the test to write", () => {
    const tools = ["agents/_example/tools/example_tool.ts", "plugins/_files/tools/word_count.ts", "tools/wait.ts"];
    const found = findings(tools, {});
    expect(found.map(({ severity, code, file, message }) => [severity, code, file, message])).toEqual(
      tools.map((file) => ["error", "TOOL_UNTESTED", file, `expected a test that runs ${tool(file).id}, found none`]),
    );
    expect(found.map(({ hint }) => hint)).toEqual([
      'Write tests/agents/example-tool.test.ts with testTool("../../agents/_example/tools/example_tool.ts") of toolroom/testing.',
      'Write tests/plugins/files/word-count.test.ts with testTool("../../../plugins/_files/tools/word_count.ts") of toolroom/testing.',
      'Write tests/tools/wait.test.ts with testTool("../../tools/wait.ts") of toolroom/testing.',
    ]);
  });

  test("is a warning for the person's own, where those are looked at", () => {
    expect(findings([GREET], {})).toEqual([]);
    expect(findings([GREET], {}, { usr: true })).toMatchObject([
      {
        severity: "warning",
        file: GREET,
        hint: expect.stringMatching(
          /^Write usr\/plugins\/greetings\/tests\/greet\.test\.ts with testTool\("\.\.\/tools\/greet\.ts"\)/,
        ),
      },
    ]);
    expect(findings(["tools/mine.ts"], {}, { home: "/elsewhere" })).toMatchObject([{ severity: "warning" }]);
  });

  test("is not told where a test runs the tool", () => {
    expect(findings(["tools/wait.ts"], { "tests/tools/wait.test.ts": 'testTool("../../tools/wait.ts")' })).toEqual([]);
  });
});

describe("on the disk", () => {
  test.each(
    readdirSync(CASES)
      .filter((name) => name.startsWith("tests-of-tools-"))
      .sort(),
  )("%s", (name) => {
    const { title, untested } = parse(readFileSync(join(CASES, name, "case.yaml"), "utf8"));
    const found = findingsOnDisk(join(CASES, name, "tree"), PROJECT);
    expect(
      found.map(({ severity, code, file }) => ({ severity, code, file })),
      title,
    ).toEqual(untested);
  });

  test("each tool that comes with the product has a test", () => {
    expect(findingsOnDisk(PROJECT, PROJECT).filter(({ file }) => !file?.startsWith("usr/"))).toEqual([]);
  });
});
