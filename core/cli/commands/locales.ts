import type { LocaleCoverage } from "../../dox/locale-coverage.ts";
import type { Host } from "../../host.ts";
import type { Command } from "../command.ts";
import { type CommandLine, textOption } from "../options.ts";
import { table } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage.ts";

/** `locales`: which languages describe how much; `locales fill` adds what one lacks. */
export const command: Command = {
  usage: "locales [fill --locale L] [--plugin P]",
  summary:
    "how many tools and parameters are described in which languages; fill adds what L lacks, in English, marked as untranslated",
  options: { plugin: { type: "string" } },
  optionHelp: { plugin: "only this plugin (default: all of the root, and the root itself)" },
  async run({ line, terminal, host: open }) {
    const [word, ...rest] = line.words;
    if (rest.length > 0 || (word !== undefined && word !== "fill"))
      throw usageError(`locales takes the word fill or none, found "${line.words.join(" ")}"`);
    const locale = textOption(line, "locale");
    if (word === "fill" && locale === undefined)
      throw usageError("locales fill needs a language: locales fill --locale zh-CN");
    const host = await open();
    return word === "fill"
      ? await fill(host, { line, terminal, locale: locale as string })
      : await show(host, { line, terminal, locale });
  },
};

interface Asked {
  readonly line: CommandLine;
  readonly terminal: Terminal;
  readonly locale: string | undefined;
}

async function show(host: Host, { line, terminal, locale }: Asked): Promise<number> {
  const coverage = await host.locales({ ...(locale === undefined ? {} : { locale }), ...pluginOf(line) });
  if (terminal.json) terminal.value(coverage);
  else terminal.say(coverageTable(coverage));
  return 0;
}

async function fill(host: Host, { line, terminal, locale }: Asked & { readonly locale: string }): Promise<number> {
  const filled = await host.fillLocale({ locale, ...pluginOf(line) });
  if (terminal.json) terminal.value(filled);
  else if (filled.files.length === 0) terminal.say("Nothing was added.");
  else for (const { file, added } of filled.files) terminal.say(`${file}: ${added.length} added (${added.join(", ")})`);
  terminal.report(filled.diagnostics);
  return filled.diagnostics.length > 0 ? 1 : 0;
}

function pluginOf(line: CommandLine): { readonly plugin?: string } {
  const plugin = textOption(line, "plugin");
  return plugin === undefined ? {} : { plugin };
}

function coverageTable(coverage: readonly LocaleCoverage[]): string {
  const rows = coverage.map(({ path, locale, keys, translated, untranslated, missing, percent }) => [
    path === "." ? "the root" : path,
    locale,
    String(keys),
    String(translated),
    String(untranslated),
    String(missing),
    `${percent} %`,
  ]);
  return table([["where", "locale", "keys", "translated", "untranslated", "missing", "covered"], ...rows]);
}
