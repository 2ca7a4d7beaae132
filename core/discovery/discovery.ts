import { realpathSync, statSync } from "node:fs";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { changesBetween, type Look, stampsOf } from "./changes.ts";
import type { Tree } from "./dir-node.ts";
import type { ReadEntries } from "./listing.ts";
import { displayPath, toPosix } from "./paths.ts";
import type { Environment } from "./plugin-environment.ts";
import type { Profile } from "./profile.ts";
import type { Settings } from "./settings.ts";
import { type Places, type Snapshot, takeSnapshot } from "./snapshot.ts";
import { readIndex, writeIndex } from "./tree-index.ts";
import { createView, openScope, type Scope, type View } from "./view.ts";

export type { View } from "./view.ts";

/** What {@link openDiscovery} takes. */
export interface DiscoveryOptions {
  /** The person's directory. */
  readonly root: string;
  /** The directory of the bundled content; the same as `root` in a clone. */
  readonly home: string;
  /** Where the index is kept; absent: none is read or written. */
  readonly cacheDir?: string;
  /** For the settings of plugins; default: no variables. */
  readonly env?: Environment;
  /** The clock, in ms since the epoch; default: the system's. */
  readonly now?: () => number;
  /** Stands in for `readdirSync` (with types). */
  readonly readEntries?: ReadEntries;
}

/** What lies in the directories of a root and a home. Runs no module. All of it is synchronous. */
export interface Discovery {
  /** Absolute real path, POSIX. */
  readonly root: string;
  readonly home: string;
  /** Of `usr/settings.yaml` over the defaults. */
  readonly settings: Settings;
  /**
   * What a profile sees; the same object until the next `refresh`.
   * @throws HostError PROFILE_UNKNOWN, PROFILE_DISABLED, PROJECT_UNKNOWN (usage)
   */
  view(profile: string, project?: string): View;
  /** The profiles that are not hidden, switched-off ones included, sorted by id. @throws HostError PROJECT_UNKNOWN (usage) */
  profiles(project?: string): readonly Profile[];
  /** Looks at the disk again: directories whose time has changed are read. Views made before stay as they are. */
  refresh(): void;
  /** Notes the times of a tree that is not large, so that {@link Discovery.changes} need not guess after the first look. */
  mark(): void;
  /**
   * The content files that appeared, vanished or were written between the last two looks: display paths, sorted.
   * Looks at every file.
   */
  changes(): readonly string[];
  /** Writes the index if anything has changed since it was read. Gives what went wrong, if anything. */
  save(): Diagnostic | undefined;
  /** Display path of a file: POSIX, relative to the root, absolute outside. */
  display(file: string): string;
  /** Absolute real paths of the directories outside the layers that followed links lead to, sorted. */
  linkedDirectories(): readonly string[];
}

/** More files than this take a start too long to look at. */
const MAX_MARKED = 1_000;

/**
 * Looks at a root and a home, by the index where there is one.
 * @throws HostError ROOT_MISSING (usage) when one of the two is not a directory
 */
export function openDiscovery(options: DiscoveryOptions): Discovery {
  const { cacheDir, env = {}, now = Date.now, readEntries } = options;
  const root = realDirectory(options.root, "root");
  const home = realDirectory(options.home, "home");
  const places: Places = { root, home, homePath: displayPath(root, home), env };
  const indexPlace = cacheDir === undefined ? undefined : { cacheDir, root, home };

  let lookedAt = 0;
  const look = (known: Tree | undefined): Snapshot => {
    lookedAt = now();
    return takeSnapshot(places, {
      startedAt: lookedAt,
      ...(known ? { known } : {}),
      ...(readEntries ? { readEntries } : {}),
    });
  };

  let saved = indexPlace && readIndex(indexPlace);
  let snapshot = look(saved);
  let before: Look | undefined;
  let latest: Look = { tree: snapshot.tree, startedAt: lookedAt };
  /** Whether files were read that the index does not know, by readers of earlier snapshots. */
  let unsaved = false;
  let scopes = new Map<string | undefined, Scope>();
  let views = new Map<string, View>();

  const scopeOf = (project: string | undefined): Scope => {
    const scope = scopes.get(project) ?? openScope(snapshot, project);
    scopes.set(project, scope);
    return scope;
  };

  return {
    root,
    home,
    get settings() {
      return snapshot.settings;
    },
    view(profile, project) {
      const key = JSON.stringify([profile, project]);
      const view = views.get(key) ?? createView(snapshot, scopeOf(project), { profile, project });
      views.set(key, view);
      return view;
    },
    profiles(project) {
      const found = scopeOf(project).profiles.all();
      return found.map(({ profile }) => profile).filter(({ hidden }) => !hidden);
    },
    refresh() {
      unsaved ||= snapshot.reader.dirty;
      snapshot = look(snapshot.tree);
      before = latest;
      latest = { tree: snapshot.tree, startedAt: lookedAt };
      scopes = new Map();
      views = new Map();
    },
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
    linkedDirectories: () => snapshot.linkedDirectories,
  };
}

function realDirectory(path: string, role: "root" | "home"): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return toPosix(realpathSync(path));
  const message = `the ${role} must be a directory, found ${found ? "a file" : "nothing"} at ${path}`;
  throw hostError(diagnostic("ROOT_MISSING", { message, hint: `Name an existing directory as ${role}.` }), "usage");
}
