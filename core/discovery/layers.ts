import type { LayerRef, Off } from "./catalog.ts";
import { type DirNode, nodeAt, type Tree } from "./dir-node.ts";
import { joinDisplay } from "./paths.ts";
import type { PluginOrigin } from "./plugins.ts";

/** One row of the precedence table, as the documents show it. */
export interface PrecedenceRow {
  /** 1 is the highest. */
  readonly rank: number;
  /** `<P>` is the profile, `<J>` the project, `*` each plugin. */
  readonly location: string;
}

/** The precedence table as data: what the documents print and {@link layersOf} follows. */
export const PRECEDENCE: readonly PrecedenceRow[] = [
  { rank: 1, location: "`usr/projects/<J>/agents/<P>/`" },
  { rank: 2, location: "`usr/projects/<J>/`" },
  { rank: 3, location: "`usr/agents/<P>/`" },
  { rank: 4, location: "`usr/plugins/*/agents/<P>/`, then `plugins/*/agents/<P>/`" },
  { rank: 5, location: "`agents/<P>/`" },
  { rank: 6, location: "`usr/`" },
  { rank: 7, location: "`usr/plugins/*/`, then `plugins/*/`" },
  {
    rank: 8,
    location: "the root itself: `tools/`, `prompts/`, and, in a person's root, `extensions/`, `skills/`, `locales/`",
  },
];

/** Where the files of a sub-row lie. Files of one id in one sub-row collide; a higher sub-row shadows a lower one. */
interface SubRow {
  readonly rank: number;
  readonly base: "root" | "home";
  /** Below the base; of a plugin's sub-row, below each plugin. */
  readonly names: readonly string[];
  readonly plugins?: PluginOrigin;
}

const SUB_ROWS: readonly SubRow[] = [
  { rank: 1, base: "root", names: ["usr", "projects", "<J>", "agents", "<P>"] },
  { rank: 2, base: "root", names: ["usr", "projects", "<J>"] },
  { rank: 3, base: "root", names: ["usr", "agents", "<P>"] },
  { rank: 4, base: "root", names: ["agents", "<P>"], plugins: "usr" },
  { rank: 4, base: "root", names: ["agents", "<P>"], plugins: "root" },
  { rank: 4, base: "home", names: ["agents", "<P>"], plugins: "home" },
  { rank: 5, base: "root", names: ["agents", "<P>"] },
  { rank: 5, base: "home", names: ["agents", "<P>"] },
  { rank: 6, base: "root", names: ["usr"] },
  { rank: 7, base: "root", names: [], plugins: "usr" },
  { rank: 7, base: "root", names: [], plugins: "root" },
  { rank: 7, base: "home", names: [], plugins: "home" },
  { rank: 8, base: "root", names: [] },
  { rank: 8, base: "home", names: [] },
];

/** One search location. */
export interface Layer {
  /** What outputs show of it. */
  readonly ref: LayerRef;
  /** Its sub-row: layers of one order stand beside each other, a lower order wins over a higher one. */
  readonly order: number;
  readonly node: DirNode;
  /** Absolute. */
  readonly directory: string;
  /** The plugin that it belongs to. */
  readonly plugin?: string;
  readonly off?: Off;
}

/** A plugin as the layers see it. */
export interface LayerPlugin {
  readonly id: string;
  readonly origin: PluginOrigin;
  readonly node: DirNode;
  readonly directory: string;
  readonly path: string;
  readonly off?: Off;
}

/** Whose places are looked for, and in which trees. */
export interface ScopePlaces {
  readonly tree: Tree;
  /** Absolute real paths; equal in a clone, and then every row has one place for both. */
  readonly root: string;
  readonly home: string;
  /** Display path of the home, `.` when it is the root. */
  readonly homePath: string;
  readonly profile: string;
  /** Without one rows 1 and 2 are empty. */
  readonly project: string | undefined;
  /** Set where nothing that lies in the root may be used. */
  readonly untrusted?: Off | undefined;
}

/** What {@link layersOf} looks at. */
export interface LayerScope extends ScopePlaces {
  /** In the order of precedence: by origin, then by code-point order of the directory name. */
  readonly plugins: readonly LayerPlugin[];
}

/**
 * The search locations for a profile `P` and a project `J`, highest first. This is the whole rule of
 * precedence; a file in a higher row replaces the file of the same id in a lower one.
 *
 * | rank | location |
 * |---|---|
 * | 1 | `usr/projects/<J>/agents/<P>/` |
 * | 2 | `usr/projects/<J>/` |
 * | 3 | `usr/agents/<P>/` |
 * | 4 | `usr/plugins/<each>/agents/<P>/`, then `plugins/<each>/agents/<P>/` |
 * | 5 | `agents/<P>/` |
 * | 6 | `usr/` |
 * | 7 | `usr/plugins/<each>/`, then `plugins/<each>/` |
 * | 8 | the root itself: `tools/`, `prompts/`, and, in a person's root, `extensions/`, `skills/`, `locales/` |
 *
 * - Each row stands for `<location>/tools/`, `<location>/prompts/`, `<location>/extensions/<point>/` and so on.
 * - Sub-rows: user plugins before bundled ones; where the home is not the root, rows 4, 5, 7 and 8 look into the
 *   root first and then into the home. Row 8 of the home has `tools/` and `prompts/` only.
 * - Inside a sub-row plugins go by code-point order of their directory name.
 * - A plugin that is off, or shadowed whole by another of its name, keeps its places in the list, marked: what
 *   lies there cannot win, and `explain` can say why.
 * - So do all places of a root that is not trusted.
 * - A location that does not exist is not in the list.
 */
export function layersOf(scope: LayerScope): readonly Layer[] {
  return layersOfRows(scope, () => true);
}

/** Of {@link layersOf}, the rows that are the profile's own: 1, 3, 4 and 5. */
export function profileLayersOf(scope: LayerScope): readonly Layer[] {
  return layersOfRows(scope, ({ names }) => names.includes("<P>"));
}

function layersOfRows(scope: LayerScope, wanted: (row: SubRow) => boolean): readonly Layer[] {
  const layers: Layer[] = [];
  for (const [order, row] of SUB_ROWS.entries()) {
    if (!wanted(row)) continue;
    const names = placed(row.names, scope);
    if (!names) continue;
    if (row.plugins !== undefined) addPluginLayers(layers, { order, row, names, scope });
    else if (row.base === "root" || scope.home !== scope.root) addLayer(layers, { order, row, names, scope });
  }
  return layers;
}

/** Row 7 of a plugin's own directory, for plugins themselves: its rank and its sub-row. */
export function pluginRow(origin: PluginOrigin): { readonly rank: number; readonly order: number } {
  const order = SUB_ROWS.findIndex(({ rank, plugins }) => rank === 7 && plugins === origin);
  return { rank: 7, order };
}

/**
 * The sub-row of the texts that describe a file: the keys of a core tool (row 8) lie in a plugin of the same tree, since the
 * home has no other place for them. Those of all others lie beside them.
 */
export function keysOrder({ layer, order }: { readonly layer: LayerRef; readonly order: number }): number {
  if (layer.rank !== 8) return order;
  const base = SUB_ROWS[order]?.base;
  return SUB_ROWS.findIndex(({ rank, plugins }) => rank === 7 && plugins === base);
}

interface Adding {
  readonly order: number;
  readonly row: SubRow;
  readonly names: readonly string[];
  readonly scope: LayerScope;
}

function addLayer(layers: Layer[], { order, row, names, scope }: Adding): void {
  const node = nodeAt(scope.tree[row.base], names);
  if (!node) return;
  const way = names.join("/");
  const directory = join(row.base === "home" ? scope.home : scope.root, way);
  const shown = row.base === "home" ? (way === "" ? scope.homePath : joinDisplay(scope.homePath, way)) : way || ".";
  const off = row.base === "root" ? scope.untrusted : undefined;
  layers.push({ ref: { rank: row.rank, path: shown }, order, node, directory, ...(off ? { off } : {}) });
}

function addPluginLayers(layers: Layer[], { order, row, names, scope }: Adding): void {
  const way = names.join("/");
  for (const { id, origin, node: top, directory, path, off } of scope.plugins) {
    if (origin !== row.plugins) continue;
    const node = nodeAt(top, names);
    if (!node) continue;
    const ref = { rank: row.rank, path: join(path, way) };
    layers.push({ ref, order, node, directory: join(directory, way), plugin: id, ...(off ? { off } : {}) });
  }
}

/** The names with profile and project in their places, or undefined when the row asks for a project and there is none. */
function placed(names: readonly string[], { profile, project }: LayerScope): readonly string[] | undefined {
  if (project === undefined && names.includes("<J>")) return undefined;
  return names.map((name) => (name === "<P>" ? profile : name === "<J>" ? (project ?? "") : name));
}

function join(directory: string, way: string): string {
  return way === "" ? directory : `${directory}/${way}`;
}
