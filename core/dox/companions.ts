import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { CONVENTIONS } from "../discovery/conventions.ts";
import { sourcesOf } from "./module-sources.ts";
import type { ToolPlace } from "./places.ts";
import type { Reader } from "./reader.ts";
import { DOX_SECTIONS } from "./required-sections.ts";
import type { CheckedTool } from "./subject.ts";

/** A companion document and the module that it is of, misnamed ones with the module that they mean. Display paths. */
export interface Companion {
  readonly file: string;
  readonly module: string;
}

/** What lies in a directory of tools. */
export interface Companions {
  readonly documented: readonly Companion[];
  /** The modules that have no document and must have one. */
  readonly missing: readonly string[];
  readonly findings: readonly Diagnostic[];
}

/**
 * Matches each tool module `<file>` that lies directly in a directory with its companion document `<file>.dox.md`.
 * @param tools all tools that are known, to say whose document strayed into the directory
 */
export function companionsIn(place: ToolPlace, reader: Reader, tools: readonly CheckedTool[]): Companions {
  const { directory } = place;
  const at = (name: string) => `${directory}/${name}`;
  const names = reader.names(directory).filter((name) => !name.endsWith("/"));
  const modules = toolModules(names);
  const findings: Diagnostic[] = [...nested(place, reader, modules.map(at))];
  const documented: Companion[] = [];
  for (const name of names.filter((item) => DOCUMENT.test(item))) {
    const owner = modules.find((module) => name === `${module}.dox.md`) ?? nearestModule(name, modules);
    if (owner === undefined) {
      findings.push(stray(at(name), name, place.companions ? tools : []));
      continue;
    }
    documented.push({ file: at(name), module: at(owner) });
    const wanted = `${owner}.dox.md`;
    if (name !== wanted) findings.push(misnamed(at(name), { wanted, taken: names.includes(wanted) }));
  }
  const known = new Set(documented.map(({ module }) => module));
  const missing = place.companions ? modules.map(at).filter((module) => !known.has(module)) : [];
  findings.push(...missing.map(undocumented));
  return { documented, missing, findings };
}

/** Of some names, those of tool modules, as discovery sees it: not helpers (`_x.ts`), tests, declarations, hidden files. */
export function toolModules(names: readonly string[]): readonly string[] {
  return names.filter((name) => CONVENTIONS.tool.id(name, "") !== undefined);
}

const DOCUMENT = /^[^.].*\.dox\.(?:md|markdown)$/i;
const DOCUMENT_END = /\.dox\.(?:md|markdown)$/i;

/** The module that a wrongly named document (`wait.dox.md`, `Wait.ts.dox.md`, `wait.js.dox.md`) was meant for. */
function nearestModule(document: string, modules: readonly string[]): string | undefined {
  const stem = (name: string) => name.toLowerCase().replace(/\.[cm]?[jt]s$/, "");
  const meant = stem(document.replace(DOCUMENT_END, ""));
  return modules.find((module) => stem(module) === meant);
}

function undocumented(module: string): Diagnostic {
  const file = `${module}.dox.md`;
  return diagnostic("DOX_MISSING", {
    file,
    message: `expected a document for ${module}, found none`,
    hint: `Write it with the sections ${DOX_SECTIONS.join(", ")}; \`check dox --fix\` begins it.`,
    fix: { file, description: "begin the document" },
  });
}

function misnamed(file: string, { wanted, taken }: { wanted: string; taken: boolean }): Diagnostic {
  return diagnostic("DOX_MISNAMED", {
    file,
    message: `expected the name ${wanted}, the module's whole file name and .dox.md`,
    hint: taken ? `Merge it into ${wanted} and delete it.` : "Rename it.",
  });
}

/** A document whose tool is gone, or belongs to a plugin. @param tools those that it may be of */
function stray(file: string, name: string, tools: readonly CheckedTool[]): Diagnostic {
  const module = name.replace(DOCUMENT_END, "");
  const stem = module.replace(/\.[^.]+$/, "");
  const owner = tools.find(({ id, candidate }) => id === stem && candidate.plugin !== undefined);
  if (owner) {
    return diagnostic("DOX_FOREIGN", {
      file,
      message: `expected the document of a tool of ${posix.dirname(file)}/, found one for ${owner.id} of the plugin ${owner.candidate.plugin}`,
      hint: owner.own
        ? `Documents of a plugin's tools lie in the plugin: move it to ${owner.file}.dox.md, or into the plugin's README.md.`
        : "Take it away: a plugin documents its tools itself.",
    });
  }
  return diagnostic("DOX_ORPHAN", {
    file,
    message: `expected the tool module ${module} beside it, found none`,
    hint: "Delete the document together with its tool, or rename it with it.",
  });
}

/** Documents and modules further down, which are no tools; what a tool imports is its helper. */
function nested({ directory }: ToolPlace, reader: Reader, modules: readonly string[]): readonly Diagnostic[] {
  const below = reader.directories(directory).flatMap((name) => filesBelow(reader, `${directory}/${name}`));
  if (below.length === 0) return [];
  const helpers = new Set(modules.flatMap((module) => sourcesOf(reader, module)));
  return below.flatMap((file) => {
    const name = posix.basename(file);
    if (DOCUMENT.test(name)) {
      const message = `expected documents directly in ${directory}/ only, found one in a folder of it`;
      const hint = "Move it beside the tool that it is of, or delete it.";
      return [diagnostic("DOX_NESTED", { file, message, hint })];
    }
    if (toolModules([name]).length === 0 || helpers.has(file)) return [];
    const message = `expected tools directly in ${directory}/, found a module in a folder of it that no tool imports`;
    const hint = `A tool belongs directly in ${directory}/; what is none belongs elsewhere.`;
    return [diagnostic("DOX_NESTED", { file, message, hint })];
  });
}

/** Everything below a directory, hidden directories and installed packages left out. */
function filesBelow(reader: Reader, directory: string): readonly string[] {
  const own = reader.names(directory).filter((name) => !name.endsWith("/"));
  const inner = reader.directories(directory).filter((name) => name !== "node_modules");
  return [
    ...own.map((name) => `${directory}/${name}`),
    ...inner.flatMap((name) => filesBelow(reader, `${directory}/${name}`)),
  ];
}
