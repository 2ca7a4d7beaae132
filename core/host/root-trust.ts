import { lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import type { TrustQuestion } from "../discovery/trust.ts";
import { isContentName } from "../governance/host-state.ts";
import { readTrust } from "../governance/trust-file.ts";
import { outsideDirectory, stateDirectory, trustFile } from "../locations.ts";

/** How a host stands to its root. */
export interface RootTrust {
  /** Undefined where the root needs no trust: it is the home, or the caller accepts it. */
  readonly question: TrustQuestion | undefined;
  /** Nobody has accepted the root, so not even what a host left in it is used. */
  readonly never: boolean;
}

/** What {@link rootTrust} asks about. */
export interface RootTrustOptions {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The caller accepts the root, and all its settings, for this process. */
  readonly accept: boolean;
  report(item: Diagnostic): void;
}

/** Whether the root of a host is trusted, by the person's store. */
export function rootTrust({ root, home, env, accept, report }: RootTrustOptions): RootTrust {
  if (accept || root === realPath(home)) return { question: undefined, never: false };
  const file = trustFile(env);
  const accepted = (): string | undefined => {
    const { roots, problem } = readTrust(file);
    if (problem) report(problem);
    return roots.find((known) => known.root === root)?.digest;
  };
  return { question: { accepted }, never: accepted() === undefined };
}

/**
 * Where a host writes: as {@link stateDirectory} says, but through no link that lies in a root which nobody has accepted.
 * @param never nobody has accepted the root
 */
export function writableState(root: string, env: RootTrustOptions["env"], never: boolean): string {
  const state = stateDirectory(root, env);
  return never && state === join(root, "usr") && leadsElsewhere(state) ? outsideDirectory(root, env) : state;
}

function leadsElsewhere(usr: string): boolean {
  try {
    if (lstatSync(usr).isSymbolicLink()) return true;
    return readdirSync(usr, { withFileTypes: true }).some((entry) => {
      if (entry.isSymbolicLink()) return true;
      if (!entry.isDirectory() || isContentName(entry.name)) return false;
      return readdirSync(join(usr, entry.name), { withFileTypes: true }).some((inner) => inner.isSymbolicLink());
    });
  } catch {
    // Whoever may not look does not know.
    return true;
  }
}

/** Undefined where nothing is, or nobody lets us look. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
