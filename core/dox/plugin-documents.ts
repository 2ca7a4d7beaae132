import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { toolModules } from "./companions.ts";
import { type Document, sectionOf } from "./document.ts";
import { codeSpans, headingsOf, type MarkdownLine } from "./markdown.ts";
import { type PluginPlace, pageOf, type ToolPlace } from "./places.ts";
import type { Reader } from "./reader.ts";

/** The documents of a plugin, its page aside: `README.md` in whatever languages, and all of `docs/`. */
export function pluginDocuments({ directory }: PluginPlace, reader: Reader): readonly Document[] {
  const readmes = reader.names(directory).filter((name) => /^README(?:\.[\w-]+)?\.md$/iu.test(name));
  return [...readmes.map((name) => `${directory}/${name}`), ...markdownBelow(`${directory}/docs`, reader)].flatMap(
    (file) => reader.document(file) ?? [],
  );
}

function markdownBelow(directory: string, reader: Reader): readonly string[] {
  const own = reader.names(directory).filter((name) => name.endsWith(".md"));
  return [
    ...own.map((name) => `${directory}/${name}`),
    ...reader.directories(directory).flatMap((name) => markdownBelow(`${directory}/${name}`, reader)),
  ];
}

/**
 * Each tool of a plugin is named, as `id` or in a heading, in the section Ownership of the plugin's page or in another
 * document of the plugin, or has a companion document.
 * @param tools the plugin's directories of tools
 * @param companions modules that have one
 */
export function unnamedTools(
  plugin: PluginPlace,
  {
    tools,
    companions,
    reader,
  }: { readonly tools: readonly ToolPlace[]; readonly companions: ReadonlySet<string>; readonly reader: Reader },
): readonly Diagnostic[] {
  const page = reader.document(pageOf(plugin.directory));
  const texts = [
    ...(page ? (sectionOf(page, "Ownership")?.lines ?? []) : []),
    ...pluginDocuments(plugin, reader).flatMap(({ lines }) => lines),
  ];
  const named = namesIn(texts);
  const place = page?.file ?? `${plugin.directory}/${plugin.bundled ? "AGENTS.md" : "README.md"}`;
  return tools.flatMap(({ directory }) =>
    toolModules(reader.names(directory))
      .map((module) => `${directory}/${module}`)
      .filter((module) => !companions.has(module) && !named.has(posix.basename(module).replace(/\.\w+$/u, "")))
      .map((module) => {
        const id = posix.basename(module).replace(/\.\w+$/u, "");
        const message = `expected a document of the plugin that names ${id} (${module}), found none`;
        const hint = `Name it as \`${id}\` in the section Ownership of AGENTS.md, in README.md or in docs/, or write ${module}.dox.md.`;
        return diagnostic("DOX_TOOL_UNNAMED", { file: place, message, hint });
      }),
  );
}

/** The words in code spans and in headings. */
function namesIn(lines: readonly MarkdownLine[]): ReadonlySet<string> {
  const texts = [...lines.flatMap(({ prose }) => codeSpans(prose)), ...headingsOf(lines).map(({ title }) => title)];
  return new Set(texts.flatMap((text) => text.match(/\w+/gu) ?? []));
}
