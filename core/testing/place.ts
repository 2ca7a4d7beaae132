import { existsSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { CONVENTIONS } from "../discovery/conventions.ts";
import { breach } from "./failure.ts";

/** Where a tool's module belongs, and what has to lie in a root so that the tool is what it is for a person. */
export interface Place {
  /** The module, absolute. */
  readonly file: string;
  readonly id: string;
  /** Directories of the author's tree (absolute), and where in a root they belong. */
  readonly mounts: readonly { readonly from: string; readonly to: string }[];
  /** The directory that holds the module's `tools/`: from where (absolute), and where in a root. */
  readonly home: { readonly from: string; readonly to: string };
  /** Set for a tool of one profile. */
  readonly profile?: string;
  /** Set for a tool of one project. */
  readonly project?: string;
  /** Set for a tool of a plugin. */
  readonly plugin?: string;
}

/** What a layer that is no plugin and no profile of its own may hold for a tool. */
const CONTENT = ["tools", "prompts", "extensions", "skills", "locales", "lib"] as const;

/**
 * Finds out to which plugin, profile, project or root a module belongs, by its path alone.
 * @param file absolute
 * @throws Error where it is not the module of a tool: `<somewhere>/tools/<name>.ts`
 */
export function placeOf(file: string): Place {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) {
    throw breach({
      expected: `the module of a tool at ${file}`,
      found: found ? "something that is no file" : "nothing",
      todo: "Mend the path; it is taken from the directory of the test file.",
    });
  }
  const id = CONVENTIONS.tool.id(basename(file), "");
  if (id === undefined || basename(dirname(file)) !== "tools") {
    throw breach({
      expected: "the module of a tool, tools/<name>.ts",
      found: file,
      todo: "Test a helper with Vitest alone.",
    });
  }
  return { file, id, ...placeOfLayer(dirname(dirname(file))) };
}

type LayerPlace = Omit<Place, "file" | "id">;

/** @param directory the one that holds `tools/` */
function placeOfLayer(directory: string): LayerPlace {
  const name = basename(directory);
  if (isPlugin(directory)) return pluginPlace(directory);
  const above = dirname(directory);
  if (basename(above) === "agents") return profilePlace(dirname(above), name);
  if (name === "usr") return layerPlace(directory, "usr");
  if (isProject(directory)) return { ...layerPlace(directory, `usr/projects/${name}`), project: name };
  return layerPlace(directory, "");
}

/** @param owner the directory that holds `agents/` */
function profilePlace(owner: string, profile: string): LayerPlace {
  const below = `agents/${profile}`;
  const from = join(owner, below);
  const name = basename(owner);
  if (isPlugin(owner)) {
    return { ...pluginPlace(owner), home: { from, to: `usr/plugins/${name}/${below}` }, profile };
  }
  if (isProject(owner)) {
    const { mounts } = layerPlace(owner, `usr/projects/${name}`);
    const home = { from, to: `usr/projects/${name}/${below}` };
    return { mounts: [...mounts, home], home, profile, project: name };
  }
  const home = { from, to: name === "usr" ? `usr/${below}` : below };
  return { mounts: [home], home, profile };
}

/** A bundled one, too: it shadows itself whole. */
function pluginPlace(from: string): LayerPlace {
  const plugin = basename(from);
  const home = { from, to: `usr/plugins/${plugin}` };
  return { mounts: [home], home, plugin };
}

function layerPlace(from: string, to: string): LayerPlace {
  const mounts = CONTENT.map((part) => ({ from: join(from, part), to: join(to, part) }));
  return { mounts: mounts.filter((mount) => existsSync(mount.from)), home: { from, to } };
}

function isPlugin(directory: string): boolean {
  return existsSync(join(directory, "plugin.yaml"));
}

/** `usr/projects/<J>` */
function isProject(directory: string): boolean {
  const projects = dirname(directory);
  return basename(projects) === "projects" && basename(dirname(projects)) === "usr";
}
