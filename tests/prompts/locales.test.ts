import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHost, type Host } from "../../core/host.ts";
import { PROJECT } from "../helpers/cli.ts";

/** The product's own tree. No test may own it: whoever opens a house removes it. */
async function open(locale: string): Promise<Host> {
  const host = await createHost({ root: PROJECT, home: PROJECT, locale, env: {} });
  onTestFinished(async () => await host.close());
  return host;
}

test("what is bundled is described in every language, and so is the README: the check finds nothing", async () => {
  const host = await open("en");
  const { diagnostics } = await host.check({ areas: ["locales"] });
  expect(diagnostics.filter(({ file }) => !file?.startsWith("usr/"))).toEqual([]);
  const coverage = (await host.locales()).filter(({ bundled }) => bundled);
  expect(coverage.filter(({ percent }) => percent < 100)).toEqual([]);
  const shelves = ["agents/_example", "plugins/_agents", "plugins/_base", "plugins/_files"];
  for (const locale of ["en", "zh-CN"]) {
    const there = coverage.filter((one) => one.locale === locale).map(({ path }) => path);
    expect(there).toEqual(expect.arrayContaining(shelves));
  }
});

test.each(["default", "_example"])(
  "English says of the tools of %s what modules and fragments say",
  async (profile) => {
    const host = await open("en");
    const fragments = new Map(host.items("fragment", { profile }).map(({ id, file }) => [id, resolve(PROJECT, file)]));
    for (const { name, description, parameters } of await host.toolDefinitions({ profile })) {
      expect(JSON.stringify(parameters), name).toBe(JSON.stringify(await host.parameters(name, { profile })));
      // The example describes the answering tool anew, under the fragment of the one below.
      if (profile === "_example" && name === "response") continue;
      const fragment = readFileSync(fragments.get(name) as string, "utf8");
      expect(/^description: (.*)$/mu.exec(fragment)?.[1], name).toBe(description);
    }
  },
);

test.each(["default", "_example"])(
  "the Chinese prompt of %s has Chinese words of every tool, and room",
  async (profile) => {
    const [chinese, english] = [await open("zh-CN"), await open("en")];
    const { text, tokens, diagnostics } = await chinese.prompt({ profile });
    expect(diagnostics).toEqual([]);
    // The example has a tool of its own besides.
    if (profile === "default") expect(tokens).toBeLessThanOrEqual(3_000);
    const plain = (await english.prompt({ profile })).text;
    for (const { description } of await chinese.toolDefinitions({ profile })) {
      expect(description).toMatch(/\p{sc=Han}/u);
      expect(text).toContain(description);
    }
    for (const { description } of await english.toolDefinitions({ profile })) {
      expect(plain).toContain(description);
      expect(text).not.toContain(description);
    }
  },
);
