import type { Automaton, State } from "./automaton.ts";
import type { BytePath } from "./byte-paths.ts";
import { type DirectoryEntries, readEntries } from "./directory-entries.ts";
import { type IgnoreScope, ignoreScopeOf } from "./ignore-scope.ts";
import type { Pace } from "./pace.ts";

/** What a walk visits. */
export interface Walk {
  /** Where it begins: absolute and real. */
  readonly top: BytePath;
  /** What paths below `top` must match. Default: all do. */
  readonly filter?: Automaton | undefined;
  /** Whether names that begin with a dot are visited. */
  readonly hidden: boolean;
  /** Whether what ignore files leave out, and `.git`, is visited. */
  readonly ignored: boolean;
  /** Whether a directory must not be entered. @param path relative to `top` */
  isClosed(path: BytePath): boolean;
  readonly pace: Pace;
}

/** An entry that a walk came by, and that matches. */
export interface Visited {
  /** Relative to `top`. */
  readonly path: BytePath;
  readonly type: "file" | "directory" | "link";
}

/** How a walk ended. */
export interface WalkEnd {
  /** Whether it saw all there is; false: its time was over. */
  readonly complete: boolean;
  /** So many directories could not be read. */
  readonly unreadable: number;
}

interface Place {
  /** Relative to `top`, with a slash behind; empty for `top` itself. */
  readonly prefix: BytePath;
  readonly state: State | undefined;
  readonly scope: { readonly of: IgnoreScope; readonly name: BytePath } | undefined;
}

/**
 * Visits what lies below a directory, in no order. Links are visited and never followed; directories that cannot match
 * are not read.
 * @throws ToolError the reason of the signal
 */
export async function walk(options: Walk, visit: (found: Visited) => void): Promise<WalkEnd> {
  const { top, filter, hidden, ignored, pace } = options;
  const open: Place[] = [{ prefix: "", state: filter?.start(), scope: undefined }];
  let unreadable = 0;
  for (let place = open.pop(); place; place = open.pop()) {
    if (pace.due()) {
      await pace.turn();
      if (pace.left() <= 0) return { complete: false, unreadable };
    }
    const { prefix, state } = place;
    const path = prefix === "" ? top : `${top === "/" ? "" : top}/${prefix.slice(0, -1)}`;
    let entries: DirectoryEntries;
    try {
      entries = readEntries(path);
    } catch (error) {
      // What vanished, or was put there to deceive, is not there.
      if (isRefused(error)) unreadable++;
      continue;
    }
    const scope = ignored ? undefined : scopeOf(place, { path, ...entries });
    const isVisible = (name: BytePath, isDirectory: boolean): boolean => {
      if (name.charCodeAt(0) === DOT && (!hidden || (!ignored && name === ".git"))) return false;
      return !scope?.leavesOut(name, isDirectory);
    };
    const after = (name: BytePath): State | undefined => state && filter?.advance(state, name);
    const matches = (reached: State | undefined): boolean =>
      !filter || (reached !== undefined && filter.matchesAtEnd(reached));

    for (const type of ["file", "link"] as const) {
      for (const name of type === "file" ? entries.files : entries.links) {
        if (matches(after(name)) && isVisible(name, false)) visit({ path: prefix + name, type });
      }
    }
    for (const name of entries.directories) {
      const reached = after(name);
      const below = reached && filter?.advance(reached, "/");
      const found = matches(reached);
      if ((below?.dead && !found) || !isVisible(name, true)) continue;
      const path = prefix + name;
      if (options.isClosed(path)) continue;
      if (found) visit({ path, type: "directory" });
      if (!below?.dead) open.push({ prefix: `${path}/`, state: below, scope: scope && { of: scope, name } });
    }
  }
  return { complete: true, unreadable };
}

const DOT = 46;

function scopeOf({ scope }: Place, names: DirectoryEntries & { readonly path: BytePath }): IgnoreScope {
  return scope ? scope.of.enter(scope.name, names) : ignoreScopeOf(names);
}

function isRefused(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EACCES" || code === "EPERM";
}
