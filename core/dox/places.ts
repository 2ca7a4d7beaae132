import { posix } from "node:path";
import { compareText } from "../diagnostics.ts";
import type { Reader } from "./reader.ts";

/** A plugin whose documents are looked at. */
export interface PluginPlace {
  readonly name: string;
  /** Display path of its directory. */
  readonly directory: string;
  /** It lies in `plugins/`, so it has its own page. */
  readonly bundled: boolean;
}

/** A directory of tools. */
export interface ToolPlace {
  readonly directory: string;
  readonly plugin?: PluginPlace;
  /** Each module in it has a companion document; elsewhere it may have one. */
  readonly companions: boolean;
}

/** A page `AGENTS.md`, which may be missing. */
export interface PagePlace {
  /** What it is the page of; `.` is the root. */
  readonly directory: string;
  readonly file: string;
  /** It is asked for, not just found. */
  readonly required: boolean;
}

/** Where documents are looked for. All lists are sorted by path. */
export interface Places {
  /** The root keeps pages: its own, and one for each folder. */
  readonly documented: boolean;
  readonly plugins: readonly PluginPlace[];
  readonly tools: readonly ToolPlace[];
  readonly pages: readonly PagePlace[];
}

/** The folders of a root that may hold code or content; see core/AGENTS.md. */
const FOLDERS = [
  "agents",
  "core",
  "extensions",
  "locales",
  "plugins",
  "prompts",
  "scripts",
  "skills",
  "tests",
  "tools",
  "usr",
] as const;

/** Sections that tell our pages from what other people call AGENTS.md. */
const OUR_SECTIONS: ReadonlySet<string> = new Set(["Ownership", "Local contracts", "Children"]);

/** Where documents are looked for. @param usr in the person's own directories, too */
export function placesOf(reader: Reader, usr: boolean): Places {
  const documented = reader.document("AGENTS.md")?.sections.some(({ title }) => OUR_SECTIONS.has(title)) ?? false;
  const plugins = [...pluginsIn(reader, "plugins", true), ...(usr ? pluginsIn(reader, "usr/plugins", false) : [])];
  return {
    documented,
    plugins,
    tools: [
      { directory: "tools", companions: true },
      ...toolPlaces(reader, ".").slice(1),
      ...plugins.flatMap((plugin) => toolPlaces(reader, plugin.directory).map((place) => ({ ...place, plugin }))),
      ...(usr ? usrTools(reader) : []),
    ].sort((a, b) => compareText(a.directory, b.directory)),
    pages: pagesOf(reader, { documented, plugins }),
  };
}

function pluginsIn(reader: Reader, directory: string, bundled: boolean): readonly PluginPlace[] {
  return reader.names(directory).flatMap((entry) => {
    const name = entry.replace(/\/$/u, "");
    const place = { name, directory: `${directory}/${name}`, bundled };
    return !name.startsWith(".") && reader.kind(`${place.directory}/plugin.yaml`) === "file" ? [place] : [];
  });
}

/** Of a directory that is laid out like a layer: its own tools first, then those of its profiles. */
function toolPlaces(reader: Reader, directory: string): readonly ToolPlace[] {
  const profiles = reader.directories(posix.join(directory, "agents"));
  return ["", ...profiles.map((profile) => `agents/${profile}`)].map((way) => ({
    directory: posix.join(directory, way, "tools"),
    companions: false,
  }));
}

function usrTools(reader: Reader): readonly ToolPlace[] {
  const projects = reader.directories("usr/projects").map((project) => `usr/projects/${project}`);
  return ["usr", ...projects].flatMap((directory) => toolPlaces(reader, directory));
}

function pagesOf(
  reader: Reader,
  { documented, plugins }: Pick<Places, "documented" | "plugins">,
): readonly PagePlace[] {
  const pages = new Map<string, PagePlace>();
  const add = (directory: string, required: boolean) => {
    const file = pageOf(directory);
    if (!required && (pages.has(directory) || reader.kind(file) !== "file")) return;
    pages.set(directory, { directory, file, required });
    // The person's own is not the root's to list, and what lies in a root without pages is its own matter.
    if (directory === "." || directory === "usr" || directory.startsWith("usr/")) return;
    for (const name of reader.directories(directory)) {
      const below = posix.join(directory, name);
      if (name !== "node_modules") add(below, false);
    }
  };
  for (const { directory, bundled } of plugins) add(directory, bundled);
  if (documented) {
    add(".", true);
    for (const folder of FOLDERS) if (reader.kind(folder) === "directory") add(folder, true);
  }
  return [...pages.values()].sort((a, b) => compareText(a.file, b.file));
}

/** The page of a directory. */
export function pageOf(directory: string): string {
  return posix.join(directory, "AGENTS.md");
}
