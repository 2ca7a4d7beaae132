import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Off } from "./catalog.ts";
import type { FileReader } from "./derived.ts";
import { childOf, type DirNode, hasFile, type Tree } from "./dir-node.ts";
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
}

/** Finds every plugin and reads its manifest. A user's plugin shadows the bundled one of its name whole, as one of the root does that of the home. */
export function findPlugins(sources: PluginSources): Plugins {
  const bases = pluginBases(sources);
  const places: PluginPlace[] = [];
  const refused: RefusedPlugin[] = [];
  const diagnostics: Diagnostic[] = [];
  const owners = new Map<string, PluginPlace>();
  for (const base of bases) {
    const { node } = base;
    if (!node) continue;
    const shadows = owners.size > 0;
    eachChild(node, (id, target) => {
      if ("refused" in target) return void refused.push({ id, base, reason: target.refused });
      const place = readPlace({ base, id, node: target }, sources.reader, diagnostics);
      if (!place) return;
      const owner = shadows ? owners.get(id) : undefined;
      if (owner) {
        const reason = `the plugin ${owner.path} has the same name and replaces this one whole; rename one of the two`;
        places.push({ ...place, out: { state: "shadowed", reason } });
      } else {
        places.push(place);
        if (place.out?.state !== "refused") owners.set(id, place);
      }
    });
  }
  return { bases, places, refused, diagnostics };
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

function eachChild(node: DirNode, visit: (id: string, target: DirNode | { readonly refused: string }) => void): void {
  const { dirs, nodes, links, linked } = node;
  if (links.length === 0) {
    for (let at = 0; at < dirs.length; at++) {
      const child = nodes[at];
      if (child) visit(dirs[at] as string, child);
    }
    return;
  }
  const all = [
    ...dirs.map((name, at) => [name, nodes[at]] as const),
    ...links.map((name, at) => [name, linked[at]] as const),
  ];
  for (const [name, target] of all.sort(([a], [b]) => (a < b ? -1 : 1))) if (target) visit(name, target);
}

function readPlace(
  { base, id, node }: { readonly base: PluginBase; readonly id: string; readonly node: DirNode },
  reader: FileReader,
  diagnostics: Diagnostic[],
): PluginPlace | undefined {
  const directory = `${base.directory}/${id}`;
  const path = `${base.path}/${id}`;
  const place = { id, origin: base.origin, base: base.node as DirNode, node, directory, path };
  if (!hasFile(node, MANIFEST_FILE)) {
    const content = strayContent(node);
    if (content.length === 0) return undefined;
    const reason = `${path} holds ${content.join(", ")} but no ${MANIFEST_FILE}, so it is no plugin`;
    const hint = `Add ${path}/${MANIFEST_FILE} (one line is enough: title: ${id}) to make it one.`;
    diagnostics.push(diagnostic("PLUGIN_NO_MANIFEST", { file: path, message: reason, hint }));
    return { ...place, manifest: {}, out: { state: "refused", reason: `${reason}; add one` } };
  }
  if (base.origin === "home" && !id.startsWith("_")) {
    const message = `expected the directory name of a bundled plugin to begin with _, found ${id}`;
    diagnostics.push(
      diagnostic("PLUGIN_NAME_INVALID", { file: path, message, hint: "Rename it, or move it to usr/plugins/." }),
    );
  }
  const file = { node, name: MANIFEST_FILE, directory, shown: path };
  const { value, diagnostics: found } = reader.derive<ReadManifest>(file, parseManifest, UNREAD);
  if (found.length > 0) diagnostics.push(...found);
  // Written out, not spread: a root may have ten thousand plugins.
  if (value.fault === undefined) {
    return { id, origin: base.origin, base: base.node as DirNode, node, directory, path, manifest: value.manifest };
  }
  return {
    ...place,
    manifest: value.manifest,
    out: { state: "disabled", reason: `its manifest switches it off: ${value.fault}` },
  };
}

function strayContent({ files, dirs, links }: DirNode): readonly string[] {
  const stray = files.filter((name) => !OVERRIDE_FILES.has(name));
  return [...dirs.map((name) => `${name}/`), ...links, ...stray].sort();
}
