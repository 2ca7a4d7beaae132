import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import type { Off } from "./catalog.ts";
import { createFileReader, type FilePlace, type FileReader } from "./derived.ts";
import { type DirNode, hasFile, nodeAt, type Tree } from "./dir-node.ts";
import { createLinkRule } from "./links.ts";
import type { ReadEntries } from "./listing.ts";
import { look } from "./look.ts";
import { contains } from "./paths.ts";
import type { Environment } from "./plugin-environment.ts";
import { findPlugins, type Plugins } from "./plugins.ts";
import { treeProblems } from "./problems.ts";
import { scanTree } from "./scan.ts";
import { loadSettings, SETTINGS_FILE, type Settings, type SettingsSource } from "./settings.ts";
import type { Texts } from "./texts.ts";
import { type GuardedSettings, type Trust, trustProblems } from "./trust.ts";

/** The places that a discovery works with. Absolute real paths, POSIX. */
export interface Places {
  readonly root: string;
  readonly home: string;
  /** Display path of the home, `.` when it is the root. */
  readonly homePath: string;
  readonly env: Environment;
  /** The language of descriptions that the host was asked for. */
  readonly locale?: string | undefined;
}

/** Everything that one look at the disk found, whatever the profile. Views are made of it. */
export interface Snapshot extends Places {
  readonly tree: Tree;
  readonly texts: Texts;
  readonly reader: FileReader;
  /** Of `usr/settings.yaml` over the defaults. */
  readonly settings: Settings;
  readonly plugins: Plugins;
  /** Set where nothing that lies in the root may be used. */
  readonly untrusted: Off | undefined;
  /** What was accepted, and goes in place of the guarded settings on the disk. */
  readonly held: GuardedSettings | undefined;
  /** The links that were followed, with the real paths of the directories that they lead to. */
  readonly links: ReadonlyMap<string, string>;
  readonly diagnostics: readonly Diagnostic[];
}

/** How {@link takeSnapshot} looks. */
export interface SnapshotOptions {
  readonly startedAt: number;
  readonly trust: Trust;
  readonly texts: Texts;
  /** Whether the text of a file that is read stays in use. */
  readonly keepsTexts: boolean;
  /** The tree of an earlier snapshot, or of the index. */
  readonly known?: Tree;
  /** What of an earlier snapshot is taken without a look; absent: nothing is. */
  readonly kept?: {
    /** Whether a directory or file of `known` need not be looked at. */
    untouched(path: string): boolean;
    readonly links: Snapshot["links"];
  };
  readonly readEntries?: ReadEntries;
}

/** Looks at the disk: scan, settings, plugins. */
export function takeSnapshot(places: Places, options: SnapshotOptions): Snapshot {
  const { root, home } = places;
  const { startedAt, trust, texts, keepsTexts, known, kept, readEntries } = options;
  const untouched = kept ? { untouched: kept.untouched } : {};
  const reader = createFileReader({ startedAt, texts, keepsTexts, ...untouched });
  const verdict = trust.weigh(places, { reader, known });
  const { untrusted, held } = verdict;
  // A link is followed when the directory that holds it is looked at.
  const links = new Map([...(kept?.links ?? [])].filter(([link]) => kept?.untouched(dirname(link))));
  const rule = createLinkRule({
    root,
    home,
    linkRoots: () => (untrusted ? [] : earlyLinkRoots(places, { known, reader, held })),
  });
  const follow = (link: string) => {
    const refused = rule(link);
    if (refused === undefined) links.set(link, realpathSync(link));
    return refused;
  };
  const tree = scanTree({
    root,
    home,
    follow,
    startedAt,
    ...(known ? { known } : {}),
    ...untouched,
    ...(readEntries ? { readEntries } : {}),
  });
  const usr = untrusted ? undefined : nodeAt(tree.root, ["usr"]);
  const place = settingsPlace(usr, { directory: `${root}/usr`, path: "usr" });
  const loaded = loadSettings(place, { reader, root, held: heldIn(held, "usr") });
  const plugins = findPlugins({ ...places, tree, reader, untrusted });
  return {
    ...places,
    tree,
    texts,
    reader,
    settings: loaded.settings,
    plugins,
    links,
    untrusted,
    held,
    diagnostics: [
      ...trustProblems(verdict, { root, tree }),
      ...treeProblems({ ...places, tree, untrusted }),
      ...loaded.diagnostics,
      ...plugins.diagnostics,
    ],
  };
}

/** The same look with other texts: nothing has changed but what files say for themselves. */
export function rereading(
  snapshot: Snapshot,
  { startedAt, texts, keepsTexts }: Pick<SnapshotOptions, "startedAt" | "texts" | "keepsTexts">,
): Snapshot {
  return { ...snapshot, texts, reader: createFileReader({ startedAt, texts, keepsTexts }) };
}

/**
 * What was accepted in place of the guarded settings of a `usr/` or a project; undefined: what its file says holds.
 * @param path display path of the directory
 */
export function heldIn(held: Snapshot["held"], path: string): SettingsSource | undefined {
  const file = `${path}/${SETTINGS_FILE}`;
  return held && { file, ...(held.get(file) ?? { values: {}, faults: [] }) };
}

/** The settings file of a `usr/` or a project, if it has one. */
export function settingsPlace(
  node: DirNode | undefined,
  { directory, path }: { readonly directory: string; readonly path: string },
): FilePlace | undefined {
  if (!hasFile(node, SETTINGS_FILE)) return undefined;
  return { node, name: SETTINGS_FILE, file: `${directory}/${SETTINGS_FILE}`, shown: path };
}

/**
 * The setting `linkRoots` in the middle of a scan, when a link asks for it. A `usr/` that is itself a link to
 * somewhere outside must not vouch for itself.
 */
function earlyLinkRoots(
  { root, home }: Places,
  {
    known,
    reader,
    held,
  }: { readonly known: Tree | undefined; readonly reader: FileReader; readonly held: Snapshot["held"] },
): readonly string[] {
  const directory = `${root}/usr`;
  const file = `${directory}/${SETTINGS_FILE}`;
  if (!look(file)?.isFile()) return [];
  const real = realpathSync(directory);
  if (!contains(root, real) && !contains(home, real)) return [];
  const place = { node: nodeAt(known?.root, ["usr"]), name: SETTINGS_FILE, file, shown: "usr" };
  return loadSettings(place, { reader, root, held: heldIn(held, "usr") }).settings.linkRoots;
}
