import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Off } from "./catalog.ts";
import type { FileReader } from "./derived.ts";
import { childOf, type DirNode, hasFile, type LinkNode, NOTHING, type Tree } from "./dir-node.ts";
import { MANIFEST_FILE, type Manifest, parseManifest, type ReadManifest } from "./manifest.ts";
import { joinDisplay } from "./paths.ts";

/** Whose plugin it is: of `usr/plugins/`, of `plugins/` of a root that is not the home, or bundled with the host. */
export type PluginOrigin = "usr" | "root" | "home";

/** A directory of plugins. */
interface PluginBase {
  readonly origin: PluginOrigin;
  readonly node: DirNode | undefined;
  /** Absolute. */
  readonly directory: string;
  /** Display path. */
  readonly path: string;
}

/** A directory that holds a `plugin.yaml`, or content without one. */
export interface PluginPlace {
  readonly id: string;
  readonly origin: PluginOrigin;
  /** The directory of plugins that it lies in. */
  readonly base: DirNode;
  readonly node: DirNode;
  readonly directory: string;
  readonly path: string;
  readonly manifest: Manifest;
  /** Why the directory contributes nothing, whatever the toggles say. */
  readonly out?: Off;
}

/** A link in place of a plugin that may not be followed. */
interface RefusedPlugin {
  readonly id: string;
  readonly base: PluginBase;
  readonly reason: string;
}

/** The plugins of a tree, whatever the profile: in the order of precedence. */
export interface Plugins {
  readonly bases: readonly PluginBase[];
  readonly places: readonly PluginPlace[];
  readonly refused: readonly RefusedPlugin[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Settings and toggles: what a directory without a manifest may hold. */
const OVERRIDE_FILES: ReadonlySet<string> = new Set([".toggle-0", ".toggle-1", "config.yaml", "config.json"]);

const UNREAD: ReadManifest = { manifest: {}, fault: "it could not be read" };

/** What {@link findPlugins} reads. */
export interface PluginSources {
  readonly tree: Tree;
  readonly root: string;
  readonly home: string;
  /** Display path of the home, `.` when it is the root. */
  readonly homePath: string;
  readonly reader: FileReader;
  /** Set where nothing that lies in the root may be used. */
  readonly untrusted?: Off | undefined;
}

/**
 * Finds every plugin and reads its manifest. A user's plugin shadows the bundled one of its name whole, as one of
 * the root does that of the home; those of a root that is not trusted are there, and do neither.
 */
export function findPlugins(sources: PluginSources): Plugins {
  const bases = pluginBases(sources);
  const found: Found = { places: [], refused: [], diagnostics: [] };
  for (let at = 0; at < bases.length; at++) {
    const base = bases[at] as PluginBase;
    const { untrusted } = sources;
    const out = base.origin === "home" ? undefined : untrusted;
    const higher = bases.slice(0, at).filter(({ origin }) => !untrusted || origin === "home");
    for (const [id, target] of targetsOf(base.node)) {
      if ("refused" in target) {
        found.refused.push({ id, base, reason: target.refused });
        continue;
      }
      const place = readPlace({ base, id, node: target }, sources.reader, found.diagnostics);
      const owner = place && higher.find(({ node }) => hasFile(childOf(node, id), MANIFEST_FILE));
      if (place && out) found.places.push({ ...place, out });
      else if (owner) found.places.push({ ...place, out: replacedBy(`${owner.path}/${id}`) });
      else if (place) found.places.push(place);
    }
  }
  return { bases, ...found };
}

interface Found {
  readonly places: PluginPlace[];
  readonly refused: RefusedPlugin[];
  readonly diagnostics: Diagnostic[];
}

function replacedBy(path: string): Off {
  const reason = `the plugin ${path} has the same name and replaces this one whole; rename one of the two`;
  return { state: "shadowed", reason };
}

function pluginBases({ tree, root, home, homePath }: PluginSources): readonly PluginBase[] {
  const bundled = { origin: "home", node: childOf(tree.home, "plugins"), directory: `${home}/plugins` } as const;
  const usr = {
    origin: "usr",
    node: childOf(childOf(tree.root, "usr"), "plugins"),
    directory: `${root}/usr/plugins`,
  } as const;
  const own = {
    origin: "root",
    node: childOf(tree.root, "plugins"),
    directory: `${root}/plugins`,
    path: "plugins",
  } as const;
  return [
    { ...usr, path: "usr/plugins" },
    ...(home === root ? [] : [own]),
    { ...bundled, path: joinDisplay(homePath, "plugins") },
  ];
}

/** The directories and links of a directory of plugins, by name; a link that may be followed is what it leads to. */
function targetsOf(node: DirNode | undefined): readonly (readonly [id: string, target: LinkNode])[] {
  if (!node) return NOTHING;
  const found: [string, LinkNode][] = [];
  for (let at = 0; at < node.dirs.length; at++) {
    const child = node.nodes[at];
    if (child) found.push([node.dirs[at] as string, child]);
  }
  if (node.links.length === 0) return found;
  for (const [at, name] of node.links.entries()) {
    const target = node.linked[at];
    if (target) found.push([name, target]);
  }
  return found.sort(([a], [b]) => compareText(a, b));
}

function readPlace(
  { base, id, node }: { readonly base: PluginBase; readonly id: string; readonly node: DirNode },
  reader: FileReader,
  diagnostics: Diagnostic[],
): PluginPlace | undefined {
  const directory = `${base.directory}/${id}`;
  const path = `${base.path}/${id}`;
  if (!hasFile(node, MANIFEST_FILE)) {
    const content = strayContent(node);
    if (content.length === 0) return undefined;
    const reason = `${path} holds ${content.join(", ")} but no ${MANIFEST_FILE}, so it is no plugin`;
    const hint = `Add ${path}/${MANIFEST_FILE} (one line is enough: title: ${id}) to make it one.`;
    diagnostics.push(diagnostic("PLUGIN_NO_MANIFEST", { file: path, message: reason, hint }));
    const out: Off = { state: "refused", reason: `${reason}; add one` };
    return { id, origin: base.origin, base: base.node as DirNode, node, directory, path, manifest: {}, out };
  }
  if (base.origin === "home" && !id.startsWith("_")) {
    const message = `expected the directory name of a bundled plugin to begin with _, found ${id}`;
    diagnostics.push(
      diagnostic("PLUGIN_NAME_INVALID", { file: path, message, hint: "Rename it, or move it to usr/plugins/." }),
    );
  }
  const file = { node, name: MANIFEST_FILE, file: `${directory}/${MANIFEST_FILE}`, shown: path };
  const { value, diagnostics: found } = reader.derive<ReadManifest>(file, parseManifest, UNREAD);
  if (found.length > 0) diagnostics.push(...found);
  const { manifest, fault } = value;
  const place = { id, origin: base.origin, base: base.node as DirNode, node, directory, path, manifest };
  if (fault === undefined) return place;
  const why = value === UNREAD ? `${path}/${MANIFEST_FILE}: ${fault}` : fault;
  return { ...place, out: { state: "disabled", reason: `its manifest switches it off: ${why}` } };
}

function strayContent({ files, dirs, links }: DirNode): readonly string[] {
  const stray = files.filter((name) => !OVERRIDE_FILES.has(name));
  return [...dirs.map((name) => `${name}/`), ...links, ...stray].sort();
}
