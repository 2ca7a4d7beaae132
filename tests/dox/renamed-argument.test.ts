import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROJECT } from "../helpers/cli.ts";
import { makeTree } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const MODULE = "plugins/_files/tools/word_count.ts";
const FRAGMENT = "plugins/_files/prompts/agent.system.tool.word_count.md";
const DOCUMENT = `${MODULE}.dox.md`;
const LOCALES = ["plugins/_files/locales/en/tools.ftl", "plugins/_files/locales/zh-CN/tools.ftl"];
const AREAS = ["dox", "fragments", "contracts", "locales"] as const;

/** The product's own content, in which an argument of one tool got another name in the code alone. */
function renamed(): string {
  const root = makeTree({ "usr/plugins/.gitkeep": "" });
  for (const directory of ["tools", "plugins", "agents", "prompts", "core/host", "tests"]) {
    cpSync(join(PROJECT, directory), join(root, directory), {
      recursive: true,
      filter: (file) => !file.includes("/tests/cases"),
    });
  }
  const file = join(root, MODULE);
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace("  path: z", "  file: z").replace("execute({ path }", "execute({ file: path }"));
  return root;
}

it("names each face of the tool with its line, and mends what can be derived", async () => {
  const root = renamed();
  const { host } = await openHouse({}, { root, home: root });
  const before = await host.check({ areas: [...AREAS] });
  const errors = before.diagnostics.filter(({ severity }) => severity === "error");
  const lines = (file: string) => errors.filter((item) => item.file === file).map(({ code, line }) => [code, line]);
  const lineOf = (file: string, text: string): number => {
    const at = readFileSync(join(root, file), "utf8")
      .split("\n")
      .findIndex((line) => line.includes(text));
    return at + 1;
  };
  expect(lines(FRAGMENT)).toContainEqual(["FRAGMENT_PARAMETER_UNKNOWN", lineOf(FRAGMENT, 'param "path"')]);
  expect(lines(FRAGMENT)).toContainEqual(["FRAGMENT_EXAMPLE_INVALID", lineOf(FRAGMENT, '"tool_args": {"path"')]);
  expect(lines(DOCUMENT)).toContainEqual(["DOX_ARGUMENT_UNKNOWN", lineOf(DOCUMENT, "| `path`")]);
  for (const locale of LOCALES) {
    expect(lines(locale)).toContainEqual(["LOCALE_UNUSED", lineOf(locale, "tool-word-count-param-path")]);
  }
  expect(new Set(errors.map(({ file }) => file))).toEqual(new Set([FRAGMENT, DOCUMENT, ...LOCALES]));

  const after = await host.check({ areas: [...AREAS], fix: true });
  expect(after.fixed.map(({ file }) => file)).toContain(DOCUMENT);
  const left = after.diagnostics.filter(({ severity }) => severity === "error");
  expect(left.filter(({ file }) => file === DOCUMENT)).toEqual([]);
  // A sentence and its translation are prose, and so are the calls that an author shows.
  expect(new Set(left.map(({ file }) => file))).toEqual(new Set([FRAGMENT, ...LOCALES]));
});
