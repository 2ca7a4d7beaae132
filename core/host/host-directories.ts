import { join, resolve } from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import { findHome, findRoot, outsideDirectory, requireDirectory } from "../locations.ts";
import type { HostOptions } from "./options.ts";
import { type RootTrust, rootTrust, writableState } from "./root-trust.ts";

/** Where a host works. Absolute. */
export interface HostDirectories {
  readonly home: string;
  readonly root: string;
  readonly workspace: string;
  /** Where it keeps what is its own. */
  readonly state: string;
  readonly trust: RootTrust;
  readonly cacheDir: string;
}

/**
 * Finds them, and whether what lies in the root may be used: what a cache holds is run and shown, too.
 * @throws HostError ROOT_MISSING (usage)
 */
export function hostDirectories(
  { env = process.env, cwd = process.cwd(), ...options }: HostOptions,
  report: (item: Diagnostic) => void,
): HostDirectories {
  const home = options.home ?? findHome();
  const root = findRoot(options.root, cwd);
  const workspace = requireDirectory(resolve(cwd, options.workspace ?? "."), "workspace");
  const trust = rootTrust({ root, home, env, accept: options.trust ?? false, report });
  const state = writableState(root, env, trust.never);
  return {
    home,
    root,
    workspace,
    state,
    trust,
    cacheDir: join(trust.never ? outsideDirectory(root, env) : state, ".cache"),
  };
}
