import { realpathSync, statSync } from "node:fs";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { changesBetween, type Look, stampsOf } from "./changes.ts";
import { contentIn, contentOf, directoriesOf, isContentOf, movedBetween, pluginOf, slotOf } from "./content-files.ts";
import { MAX_FILE_BYTES } from "./derived.ts";
import { type DirNode, sameNames, type Tree } from "./dir-node.ts";
import { createEdition, type Edition } from "./edition.ts";
import { type ReadEntries, signature } from "./listing.ts";
import { look as lookAt } from "./look.ts";
import { contains, displayPath, toPosix } from "./paths.ts";
import type { Environment } from "./plugin-environment.ts";
import { SETTINGS_FILE } from "./settings.ts";
import { type Places, rereading, type Snapshot, type SnapshotOptions, takeSnapshot } from "./snapshot.ts";
import { createTexts, type Texts } from "./texts.ts";
import { untouchedBy } from "./touched.ts";
import { readIndex, writeIndex } from "./tree-index.ts";
import { createTrust, type TrustQuestion } from "./trust.ts";

export type { Edition } from "./edition.ts";
export type { View } from "./view.ts";

/** What {@link openDiscovery} takes. */
export interface DiscoveryOptions {
  /** The person's directory. */
  readonly root: string;
  /** The directory of the bundled content; the same as `root` in a clone. */
  readonly home: string;
  /** Where the index is kept; absent: none is read or written. */
  readonly cacheDir?: string;
  /** Whether the text of each file that is read stays in use, so that it is known whether it changed. Default false. */
  readonly keepsTexts?: boolean;
  /** Whether somebody trusts the root. Absent: it is trusted. */
  readonly trust?: TrustQuestion | undefined;
  /** For the settings of plugins and the language of the system; default: no variables. */
  readonly env?: Environment;
  /** The language of descriptions; it goes before what profiles, settings and the system say. */
  readonly locale?: string | undefined;
  /** The clock, in ms since the epoch; default: the system's. */
  readonly now?: () => number;
  /** Stands in for `readdirSync` (with types). */
  readonly readEntries?: ReadEntries;
}

/** What lies in the directories of a root and a home. Runs no module. All of it is synchronous. */
export interface Discovery extends Edition {
  /** Absolute real path, POSIX. */
  readonly root: string;
  readonly home: string;
  /** Whether what lies in the root may be used; what it said at first holds. */
  readonly trusted: boolean;
  /** What the last look found; what `settings`, `view` and the like say is said by it. */
  readonly edition: Edition;
  /** Looks at the disk again: directories whose time has changed are read. Editions made before stay as they are. */
  refresh(options?: RefreshOptions): void;
  /** Paths (absolute) with their real ones below a link that was followed, and those by which other links reach these. */
  everyWay(paths: Iterable<string>): readonly string[];
  /**
   * Notes the texts of files, as far as they can be read, so that it is known whether they change.
   * @returns the files of which something else is known than they hold now
   */
  note(files: Iterable<string>, texts: Texts): readonly string[];
  /** The content files of the last look in a directory itself: absolute. */
  contentIn(directory: string): readonly string[];
  /** The directory of the plugin (absolute) that a file lies in, as a directory of plugins holds it. */
  pluginOf(file: string): string | undefined;
  /** The directories of the last look, absolute; below a directory of plugins those of the plugins that are wanted. */
  directories(isWanted: (plugin: string) => boolean): readonly string[];
  /**
   * The directories and content files of the last look, absolute: nothing but these decides what it found. Undefined where
   * there are links, because what they lead to is looked up anew each time.
   */
  sources(): readonly string[] | undefined;
  /**
   * The content files that the last look found and the one before did not, or the other way round: absolute, sorted.
   * Then links that lead elsewhere now, each with the directory that it led to.
   */
  readonly moved: readonly string[];
  /** Whether a file is content of the last look: of a kind that something in the tree is made of. */
  isContent(file: string): boolean;
  /** Notes the times of a tree that is not large, so that {@link Discovery.changes} need not guess after the first look. */
  mark(): void;
  /**
   * The content files that appeared, vanished or were written between the last two looks at everything: display paths,
   * sorted. Looks at every file.
   */
  changes(): readonly string[];
  /** Writes the index if anything has changed since it was read. Gives what went wrong, if anything. */
  save(): Diagnostic | undefined;
  /** Display path of a file: POSIX, relative to the root, absolute outside. */
  display(file: string): string;
}

/** How {@link Discovery.refresh} looks. */
export interface RefreshOptions {
  /** Looks there only: absolute paths of files and directories that appeared, vanished or were written, every way to them. */
  readonly only?: readonly string[];
  /** The texts that are in use then. Default: those of the last look, without what is outdated. */
  readonly texts?: Texts;
}

/** More files than this take a start too long to look at. */
const MAX_MARKED = 1_000;

/**
 * Looks at a root and a home, by the index where there is one.
 * @throws HostError ROOT_MISSING (usage) when one of the two is not a directory
 */
export function openDiscovery(options: DiscoveryOptions): Discovery {
  const { cacheDir, keepsTexts = false, env = {}, now = Date.now, readEntries } = options;
  const root = realDirectory(options.root, "root");
  const home = realDirectory(options.home, "home");
  const places: Places = { root, home, homePath: displayPath(root, home), env, locale: options.locale };
  const trust = createTrust(options.trust);
  const indexPlace = cacheDir === undefined ? undefined : { cacheDir, root, home };

  let lookedAt = 0;
  const look = (known: Tree | undefined, { texts, kept }: Looking): Snapshot => {
    lookedAt = now();
    return takeSnapshot(places, {
      startedAt: lookedAt,
      trust,
      texts,
      keepsTexts,
      ...(known ? { known } : {}),
      ...(kept ? { kept } : {}),
      ...(readEntries ? { readEntries } : {}),
    });
  };

  let saved = indexPlace && readIndex(indexPlace);
  let snapshot = look(saved, { texts: createTexts(now) });
  let edition = createEdition(snapshot);
  let moved: readonly string[] = [];
  let before: Look | undefined;
  let latest: Look = { tree: snapshot.tree, startedAt: lookedAt };
  /** Whether files were read that the index does not know, by readers of earlier snapshots. */
  let unsaved = false;

  return {
    root,
    home,
    get trusted() {
      return !snapshot.untrusted;
    },
    get edition() {
      return edition;
    },
    get settings() {
      return edition.settings;
    },
    get texts() {
      return edition.texts;
    },
    get lay() {
      return edition.lay;
    },
    again: () => edition.again(),
    get linkedDirectories() {
      return edition.linkedDirectories;
    },
    view: (profile, project) => edition.view(profile, project),
    profiles: (project) => edition.profiles(project),
    refresh({ only, texts } = {}) {
      unsaved ||= snapshot.reader.dirty;
      const { tree, links } = snapshot;
      const next = texts ?? snapshot.texts.fork(snapshot.texts.outdated());
      // Where only known files were written there is nothing to look for.
      const written = only?.every((path) => isSoft(path) && isContentOf(tree, places, path) && lookAt(path)?.isFile());
      if (only && written) {
        moved = [];
        snapshot = rereading(snapshot, { startedAt: now(), texts: next, keepsTexts });
        edition = createEdition(snapshot, edition.frameAfter(only));
        return;
      }
      // Settings say which links are followed: then each has to be asked again.
      const kept = !only || only.some(isSettings) ? undefined : { untouched: untouchedBy(only), links };
      snapshot = look(tree, { texts: next, kept });
      moved = [...movedBetween(tree, snapshot.tree, places), ...relinked(links, snapshot.links)];
      const alike = only?.every(isSoft) && sameTree(tree, snapshot.tree) ? only : undefined;
      edition = createEdition(snapshot, alike && edition.frameAfter(alike));
      if (only) return;
      before = latest;
      latest = { tree: snapshot.tree, startedAt: lookedAt };
    },
    everyWay: (paths) => throughLinks(paths, snapshot.links),
    note: (files, texts) => [...files].filter((file) => !noteText(file, { texts, tree: snapshot.tree, places })),
    contentIn: (directory) => contentIn(snapshot.tree, places, directory),
    pluginOf: (file) => pluginOf(places, file),
    directories: (isWanted) => directoriesOf(snapshot.tree, places, isWanted),
    sources: () => (hasLinks(snapshot.tree) ? undefined : sourcesOf(snapshot.tree, places)),
    get moved() {
      return moved;
    },
    isContent: (file) => isContentOf(snapshot.tree, places, file),
    mark() {
      latest = { ...latest, stamps: stampsOf(latest.tree, places, MAX_MARKED) };
    },
    changes() {
      if (!before) return [];
      const { files, stamps } = changesBetween(before, latest, places);
      latest = { ...latest, stamps };
      return files;
    },
    save() {
      const { tree, reader } = snapshot;
      if (!indexPlace || (saved && saved.root === tree.root && saved.home === tree.home && !unsaved && !reader.dirty))
        return undefined;
      const problem = writeIndex(indexPlace, tree);
      saved = tree;
      unsaved = false;
      reader.markSaved();
      return problem;
    },
    display: (file) => displayPath(root, file),
  };
}

/** What such a file says counts for itself only: it does not switch other files on or off. */
function isSoft(path: string): boolean {
  return /\.(?:md|ftl|[cm]?[jt]sx?)$/u.test(path);
}

function isSettings(path: string): boolean {
  return path.endsWith(`/${SETTINGS_FILE}`);
}

function sourcesOf(tree: Tree, places: Places): readonly string[] {
  const files = contentOf(tree, places).map(({ file }) => file);
  return [...directoriesOf(tree, places, () => true), ...files];
}

function hasLinks({ root, home }: Tree): boolean {
  const within = (node: DirNode | undefined): boolean =>
    node !== undefined && (node.links.length > 0 || node.nodes.some(within));
  return [root, home].some(within);
}

function sameTree(a: Tree, b: Tree): boolean {
  return sameNames(a.root, b.root) && sameNames(a.home, b.home);
}

/** Notes the text of a file. @returns false where something else of it is known than it holds now */
function noteText(
  file: string,
  { texts, tree, places }: { readonly texts: Texts; readonly tree: Tree; readonly places: Places },
): boolean {
  if (texts.get(file)) return true;
  // What could not be used stays known as that: what is there instead is no text in use before it was tried.
  if (texts.knows(file)) return texts.outdated([file]).length === 0;
  const found = lookAt(file);
  const slot = slotOf(tree, places, file);
  if (!found?.isFile() || found.size > MAX_FILE_BYTES) return slot === undefined;
  try {
    texts.readAs(file, found);
  } catch {
    return slot === undefined;
  }
  return slot === undefined || (slot.time === signature(found) && slot.size === found.size);
}

/** Paths, with their real ones below a link that was followed, and those by which other links reach these. */
function throughLinks(paths: Iterable<string>, links: Snapshot["links"]): readonly string[] {
  const given = [...paths];
  const below = [...links].flatMap(([link, target]) => moved(given, link, target));
  const others = [...links].flatMap(([link, target]) => moved([...given, ...below], target, link));
  return [...new Set([...given, ...below, ...others])];
}

function relinked(before: Snapshot["links"], after: Snapshot["links"]): readonly string[] {
  return [...before].flatMap(([link, target]) => ([undefined, target].includes(after.get(link)) ? [] : [link, target]));
}

/** The paths that lie below a directory, as if they lay below another. */
function moved(paths: readonly string[], from: string, to: string): readonly string[] {
  return paths.filter((path) => contains(from, path)).map((path) => `${to}${path.slice(from.length)}`);
}

interface Looking {
  readonly texts: Texts;
  readonly kept?: SnapshotOptions["kept"] | undefined;
}

function realDirectory(path: string, role: "root" | "home"): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return toPosix(realpathSync(path));
  const message = `the ${role} must be a directory, found ${found ? "a file" : "nothing"} at ${path}`;
  throw hostError(diagnostic("ROOT_MISSING", { message, hint: `Name an existing directory as ${role}.` }), "usage");
}
