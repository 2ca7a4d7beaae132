import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { checkDox } from "../../core/dox/dox.ts";

const CASES = fileURLToPath(new URL("../cases", import.meta.url));

interface Case {
  readonly title: string;
  readonly checked: number;
  readonly diagnostics: readonly Readonly<Record<string, unknown>>[];
}

const names = readdirSync(CASES)
  .filter((name) => name.startsWith("dox-"))
  .sort();

test.each(names)("%s", (name) => {
  const directory = join(CASES, name);
  const expected: Case = parse(readFileSync(join(directory, "case.yaml"), "utf8"));
  const root = join(directory, "tree");
  const report = checkDox({ toolsDir: join(root, "tools"), display: (file) => relative(root, file) });
  expect(report.checked, expected.title).toBe(expected.checked);
  expect(
    report.diagnostics.map(({ code, file }) => ({ code, file })),
    expected.title,
  ).toEqual(expected.diagnostics.map(({ code, file }) => ({ code, file })));
  expect(report.diagnostics, expected.title).toMatchObject(expected.diagnostics);
});
