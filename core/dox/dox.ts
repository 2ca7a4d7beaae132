import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { argumentFindings } from "./argument-table.ts";
import { type Companion, companionsIn } from "./companions.ts";
import { outputFindings } from "./declared-output.ts";
import { riskFindings } from "./declared-risk.ts";
import type { Document } from "./document.ts";
import { exampleFindings } from "./document-examples.ts";
import { linkFindings } from "./links.ts";
import { moduleFacts } from "./module-sources.ts";
import { namedPathFindings } from "./named-paths.ts";
import { ownedFindings } from "./owned.ts";
import { indexFindings, indexLines } from "./page-index.ts";
import { type PagePlace, type Places, type PluginPlace, placesOf, type ToolPlace } from "./places.ts";
import { pluginDocuments, unnamedTools } from "./plugin-documents.ts";
import { createReader, type Reader } from "./reader.ts";
import { DOX_SECTIONS, PAGE_SECTIONS, sectionFindings } from "./required-sections.ts";
import type { CheckSubject } from "./subject.ts";

/**
 * Holds the documents of a root to the code that they are of:
 *
 * - each tool module that lies directly in `tools/` has a companion document `<file>.dox.md`, and no document is left
 *   over; companions beside other tools may exist, and have the same rules
 * - a companion has its sections, the table of arguments is the schema, error codes, `breakLoop` and risk are those of the
 *   code, the calls that it shows fit, and what it names is there
 * - each tool of a plugin is named in a document of the plugin
 * - each folder of a root that keeps pages, and each bundled plugin, has a page `AGENTS.md` that lists what lies below it
 * - links lead somewhere
 *
 * No module is run. Whatever the files hold, it throws nothing.
 */
export async function documentFindings(subject: CheckSubject): Promise<readonly Diagnostic[]> {
  const reader = createReader(subject.files);
  const places = placesOf(reader, subject.usr);
  const found: Diagnostic[] = [];
  const companions = places.tools.map((place) => companionsIn(place, reader, subject.tools));
  for (const { documented, findings } of companions) {
    found.push(...findings);
    for (const companion of documented) found.push(...(await companionFindings(companion, { subject, reader })));
  }
  const documented = new Set(companions.flatMap((item) => item.documented.map(({ module }) => module)));
  for (const [plugin, tools] of ofPlugins(places)) {
    found.push(...unnamedTools(plugin, { tools, companions: documented, reader }));
    found.push(...pluginDocuments(plugin, reader).flatMap((document) => linkFindings(document, reader)));
  }
  for (const place of places.pages) found.push(...pageFindings(place, { places, reader }));
  for (const document of rootDocuments(places, reader)) found.push(...linkFindings(document, reader));
  return [...found, ...noDirectory(reader), ...reader.problems()];
}

/** The directories of tools of each plugin. */
function ofPlugins({ plugins, tools }: Places): ReadonlyMap<PluginPlace, readonly ToolPlace[]> {
  const found = new Map<PluginPlace, ToolPlace[]>(plugins.map((plugin) => [plugin, []]));
  for (const place of tools) if (place.plugin) found.get(place.plugin)?.push(place);
  return found;
}

async function companionFindings(
  { file, module }: Companion,
  { subject, reader }: { readonly subject: CheckSubject; readonly reader: Reader },
): Promise<readonly Diagnostic[]> {
  const document = reader.document(file);
  if (!document) return [];
  const tool = subject.tools.find((item) => item.file === module);
  // What is no tool, or does not load, is told elsewhere, and there is nothing to compare with.
  const contract = tool?.contract;
  return [
    ...sectionFindings(document, DOX_SECTIONS),
    ...(contract ? argumentFindings(document, contract.parameters) : []),
    ...(contract ? outputFindings(document, moduleFacts(reader, module)) : []),
    ...(contract ? riskFindings(document, contract.risk) : []),
    ...(tool && contract ? await exampleFindings(document, { id: tool.id, parameters: contract.parameters }) : []),
    ...(tool && !isInstalled(subject.root) ? namedPathFindings({ document, module, id: tool.id }, reader) : []),
    ...linkFindings(document, reader),
  ];
}

/** An installed package comes without the tests and sources that its documents name. */
function isInstalled(root: string): boolean {
  return root.split(/[\\/]/u).includes("node_modules");
}

function pageFindings(
  place: PagePlace,
  { places, reader }: { readonly places: Places; readonly reader: Reader },
): readonly Diagnostic[] {
  const { file, directory } = place;
  if (reader.kind(file) === undefined) {
    const message = `expected a page for ${directory}, found none`;
    const hint = `Write it with the sections ${PAGE_SECTIONS.join(", ")}; \`check dox --fix\` begins it.`;
    return [diagnostic("AGENTS_MISSING", { file, message, hint, fix: { file, description: "begin the page" } })];
  }
  const document = reader.document(file);
  if (!document) return [];
  return [
    ...sectionFindings(document, PAGE_SECTIONS),
    ...indexFindings(document, place, { places, reader }),
    // What a person keeps in `usr/`, and the host writes there, need not be there.
    ...(directory === "usr" ? [] : ownedFindings(document, directory, reader)),
    ...linkFindings(document, reader, indexLines(document)),
  ];
}

/** What else lies at the top of a root that keeps pages: README.md and its like. */
function rootDocuments({ documented }: Places, reader: Reader): readonly Document[] {
  const names = documented ? reader.names(".").filter((name) => name.endsWith(".md") && name !== "AGENTS.md") : [];
  return names.flatMap((name) => reader.document(name) ?? []);
}

function noDirectory(reader: Reader): readonly Diagnostic[] {
  // A link to a directory is no directory in a listing, but has no text either.
  if (reader.kind("tools") !== "file" || reader.text("tools") === undefined) return [];
  const message = "expected a directory of tools, found a file";
  return [diagnostic("NOT_A_DIRECTORY", { file: "tools", message, hint: "Move the file away." })];
}
