import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../helpers/scripted-model.ts";
import { manifest } from "../helpers/tree.ts";
import { openHouse } from "./house.ts";

const WHERE = "usr/plugins/p";
const CHINESE = `${WHERE}/locales/zh/tools.ftl`;
const TOOL = `import { Tool, z } from "toolroom";
const parameters = z.object({
  path: z.string().describe("in the module"),
  parts: z.array(z.object({ name: z.string().describe("name, in the module") })).optional(),
});
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "In the module.";
  static readonly risk = "low";
  async execute() {
    return this.success((await this.agent.tools()).map(({ id, description }) => id + ": " + description).join("\\n"));
  }
}
`;
const PLUGIN = {
  [`${WHERE}/plugin.yaml`]: manifest("p"),
  [`${WHERE}/tools/make_it.ts`]: TOOL,
  [CHINESE]: [
    "tool-make-it = 制作。",
    "tool-make-it-param-path = 路径",
    "tool-make-it-param-parts-name = 名称",
    "",
  ].join("\n"),
};

describe("every surface speaks the language of the host", () => {
  it("list, explain, definitions, the prompt, what tools are told, and unknown names", async () => {
    const { host } = await openHouse(PLUGIN, { locale: "zh-CN" });
    const own = (await host.list()).tools.find(({ name }) => name === "make_it");
    expect(own?.description).toBe("制作。");
    expect(await host.explain("make_it")).toMatchObject({ description: "制作。", describedIn: CHINESE });
    const definitions = await host.toolDefinitions({ provider: "openai" });
    expect(definitions.find(({ name }) => name === "make_it")).toMatchObject({
      description: "制作。",
      parameters: {
        properties: {
          path: { description: "路径" },
          parts: { items: { properties: { name: { description: "名称" } } } },
        },
      },
    });
    const { text } = await host.prompt();
    expect(text).toContain("## make_it\n\n制作。");
    expect(text).toContain("| `path` | string | yes | 路径 |");
    expect(text).toContain("| `parts[].name` | string | yes | 名称 |");
    expect(text).toContain("统计文本文件的行数、单词数、字符数和字节数。 It may be");
    expect((await host.call("make_it", { path: "x" })).message).toContain("make_it: 制作。");
    expect((await host.call("make_at", {})).message).toContain("make_it: 制作。");
  });

  it("what a model is sent, natively and as text", async () => {
    const model = scriptedModel([[{ type: "text", text: "ok" }]]);
    const { host } = await openHouse(PLUGIN, { locale: "zh", model });
    await host.run("go");
    const [request] = model.requests;
    expect(request?.tools.find(({ name }) => name === "make_it")).toMatchObject({ description: "制作。" });
    expect(await request?.system()).toContain("制作。");
  });

  it("falls back key by key: to the base language, to English, to the fragment, to the module", async () => {
    const traditional = { [`${WHERE}/locales/zh-TW/tools.ftl`]: "tool-make-it-param-path = 路徑\n" };
    const { host, again } = await openHouse({ ...PLUGIN, ...traditional }, { locale: "zh-TW" });
    const wordsOf = async (one: typeof host, tool = "make_it") => {
      const [found] = (await one.toolDefinitions()).filter(({ name }) => name === tool);
      const { properties } = (found?.parameters ?? {}) as { properties?: { path: { description: string } } };
      return [found?.description, properties?.path.description];
    };
    expect(await wordsOf(host)).toEqual(["制作。", "路徑"]);
    const french = await again({ locale: "fr-CA" });
    expect(await wordsOf(french)).toEqual(["In the module.", "in the module"]);
    expect((await wordsOf(french, "word_count"))[0]).toBe(
      "Counts the lines, words, characters and bytes of a text file.",
    );
  });

  it("the option before the profile, the profile before the settings, these before the system", async () => {
    const { again } = await openHouse({
      ...PLUGIN,
      "agents/zh/agent.yaml": "locale: zh-CN\n",
      "usr/settings.yaml": "locale: en\n",
      "usr/projects/j/settings.yaml": "locale: zh\n",
    });
    const described = async (options: Parameters<typeof again>[0], profile = "default") =>
      (await (await again(options)).list({ profile })).tools.find(({ name }) => name === "word_count")?.description;
    const [chinese, english] = [/\p{sc=Han}/u, /^Counts/u];
    expect(await described({ env: { LANG: "zh_CN.UTF-8" } })).toMatch(english);
    expect(await described({}, "zh")).toMatch(chinese);
    expect(await described({ locale: "fr" }, "zh")).toMatch(english);
    expect(await described({ locale: "zh-CN" })).toMatch(chinese);
  });

  it("tells a tag that is none to whoever asked for it", async () => {
    const { again } = await openHouse();
    await expect(again({ locale: "not a tag" })).rejects.toMatchObject({ code: "LOCALE_INVALID", kind: "usage" });
  });
});

describe("locales of a host", () => {
  it("tells coverage and fills what is missing, in English, once", async () => {
    const { host, root } = await openHouse(PLUGIN);
    const p = { path: WHERE, plugin: "p", bundled: false, keys: 4, untranslated: 0 };
    expect(await host.locales()).toEqual([
      { ...p, locale: "en", translated: 0, missing: 4, percent: 0 },
      { ...p, locale: "zh", translated: 3, missing: 1, percent: 75 },
    ]);
    expect(await host.fillLocale({ locale: "zh" })).toEqual({
      files: [{ file: CHINESE, added: ["tool-make-it-param-parts"] }],
      diagnostics: [],
    });
    expect(readFileSync(join(root, CHINESE), "utf8")).toBe(
      [
        "tool-make-it = 制作。",
        "# untranslated",
        "tool-make-it-param-parts = parts",
        "tool-make-it-param-path = 路径",
        "tool-make-it-param-parts-name = 名称",
        "",
      ].join("\n"),
    );
    const [now] = await host.locales({ locale: "zh" });
    expect(now).toMatchObject({ translated: 3, untranslated: 1, missing: 0, percent: 75 });
    expect(await host.fillLocale({ locale: "zh", plugin: "p" })).toEqual({ files: [], diagnostics: [] });
    await expect(host.fillLocale({ locale: "zh", plugin: "q" })).rejects.toMatchObject({
      code: "USAGE",
      kind: "usage",
    });
  });

  it("fills the root's own tools in the root", async () => {
    const { host, root } = await openHouse({ "tools/own.ts": TOOL });
    await host.fillLocale({ locale: "en" });
    expect(readFileSync(join(root, "locales/en/tools.ftl"), "utf8")).toBe(
      [
        "tool-own = In the module.",
        "tool-own-param-parts = parts",
        "tool-own-param-parts-name = name, in the module",
        "tool-own-param-path = in the module",
        "",
      ].join("\n"),
    );
    expect((await host.check({ areas: ["locales"] })).diagnostics).toEqual([]);
  });

  it("leaves a file alone that does not parse, or is not text", async () => {
    const { host, root, again } = await openHouse({ ...PLUGIN, [CHINESE]: "tool-make-it = {\n" });
    const broken = { code: "LOCALE_SYNTAX", file: CHINESE, line: 1 };
    expect(await host.fillLocale({ locale: "zh" })).toMatchObject({ files: [], diagnostics: [broken] });
    const bytes = Buffer.from([0x61, 0x20, 0x3d, 0x20, 0xff, 0x0a]);
    writeFileSync(join(root, CHINESE), bytes);
    const filled = await (await again()).fillLocale({ locale: "zh" });
    expect(filled).toMatchObject({ files: [], diagnostics: [{ code: "FILE_UNREADABLE", file: CHINESE }] });
    expect(readFileSync(join(root, CHINESE))).toEqual(bytes);
  });
});
