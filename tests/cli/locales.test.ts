import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const root = () =>
  makeTree({
    "usr/plugins/p/plugin.yaml": manifest("p"),
    "usr/plugins/p/tools/one.ts": toolSource("1", 'static readonly description = "Gives one.";'),
    "usr/plugins/p/locales/de/tools.ftl": "tool-one = Gibt eins.\n",
  });

it("speaks the language of --locale, else that of the system", async () => {
  const at = ["--root", root()];
  expect((await runMain(["list", ...at, "--locale", "de"])).stdout).toContain("Gibt eins.");
  expect((await runMain(["list", ...at], { env: { LC_ALL: "de_DE.UTF-8" } })).stdout).toContain("Gibt eins.");
  const english = await runMain(["list", ...at, "--locale", "en"], { env: { LC_ALL: "de_DE.UTF-8" } });
  expect(english.stdout).not.toContain("Gibt eins.");
  const told = await runMain(["explain", "one", ...at, "--locale", "de-AT"]);
  expect(told.stdout).toContain("Gibt eins. (usr/plugins/p/locales/de/tools.ftl)");
  expect(await runMain(["list", ...at, "--locale", "??"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("LOCALE_INVALID"),
  });
});

it("shows coverage as a table and as JSON, and fills", async () => {
  const directory = root();
  const at = ["--root", directory];
  const shown = await runMain(["locales", ...at]);
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toMatch(/where +locale +keys +translated +untranslated +missing +covered/u);
  expect(shown.stdout).toMatch(/usr\/plugins\/p +de +1 +1 +0 +0 +100 %/u);
  const { stdout } = await runMain(["locales", ...at, "--locale", "fr", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject([{ path: "usr/plugins/p", locale: "fr", keys: 1, missing: 1, percent: 0 }]);
  const filled = await runMain(["locales", "fill", ...at, "--locale", "fr", "--plugin", "p"]);
  expect(filled).toEqual({ code: 0, stdout: "usr/plugins/p/locales/fr/tools.ftl: 1 added (tool-one)\n", stderr: "" });
  const text = readFileSync(join(directory, "usr/plugins/p/locales/fr/tools.ftl"), "utf8");
  expect(text).toBe("# untranslated\ntool-one = Gives one.\n");
  const again = await runMain(["locales", "fill", ...at, "--locale", "fr", "--json"]);
  expect(JSON.parse(again.stdout)).toEqual({ files: [], diagnostics: [] });
});

it.each([
  [["locales", "full"], /takes the word fill or none, found "full"/u],
  [["locales", "fill"], /needs a language: locales fill --locale zh-CN/u],
  [
    ["locales", "fill", "--locale", "fr", "--plugin", "pp"],
    /expected a plugin of the root with tools \(p\), found pp/u,
  ],
])("%j is wrong usage", async (argv, words) => {
  const { code, stderr } = await runMain([...argv, "--root", root()]);
  expect(code).toBe(2);
  expect(stderr).toMatch(words);
});
