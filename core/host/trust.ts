import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { diagnostic, hostError } from "../diagnostics.ts";
import { readGuarded } from "../discovery/trust.ts";
import { openStandingApprovals } from "../governance/standing-approvals.ts";
import { readTrust, type TrustedRoot } from "../governance/trust-file.ts";
import { changeTrust } from "../governance/trust-store.ts";
import { findHome, findRoot, stateDirectory, trustFile } from "../locations.ts";
import type { StandingApproval } from "../sdk/approval.ts";
import type { JsonObject } from "../sdk/result.ts";
import { realPath } from "./root-trust.ts";

/** What was accepted with a root. */
export interface AcceptedRoot extends TrustedRoot {
  /** What was approved there for more than one call, and holds from now on. */
  readonly approvals: readonly StandingApproval[];
  /** The settings that a change of asks again, by the display path of their file. */
  readonly settings: JsonObject;
}

/** A root that is trusted, as `trust --list` shows it. */
export interface ListedTrust extends Omit<TrustedRoot, "digest"> {
  /** `changed`: the settings that were accepted with it are others now. `gone`: there is no such directory. */
  readonly state: "ok" | "changed" | "gone";
}

/** Where trust is kept, and what roots are looked for from. */
export interface TrustPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * Trusts a root, with its settings as they are now.
 * @param directory default: the root that a host would open
 * @throws HostError ROOT_MISSING (usage), TRUST_STORE_INVALID
 */
export function acceptRoot(directory: string | undefined, { env, cwd }: TrustPlace): AcceptedRoot {
  const root = findRoot(directory, cwd);
  const { settings, digest } = readGuarded({ root, home: findHome() });
  const entry: TrustedRoot = { root, digest, since: new Date().toISOString() };
  changeTrust(trustFile(env), (roots) => {
    if (!roots.some((known) => known.root === root)) removeCache(root);
    return [...roots.filter((known) => known.root !== root), entry];
  });
  return {
    ...entry,
    approvals: approvalsOf(stateDirectory(root, env)),
    settings: Object.fromEntries([...settings].map(([file, { values }]) => [file, values])),
  };
}

/** What is cached is run in place of what a person has looked at: what somebody else left there is made anew. */
function removeCache(root: string): void {
  const usr = join(root, "usr");
  if (realPath(usr) !== usr) return;
  try {
    rmSync(join(usr, ".cache"), { recursive: true, force: true });
  } catch (error) {
    const message = `the cache of the root cannot be removed: ${error instanceof Error ? error.message : String(error)}`;
    throw hostError(diagnostic("CACHE_UNWRITABLE", { file: join(usr, ".cache"), message }));
  }
}

/** What cannot be read approves nothing, which whoever opens the root is told. */
function approvalsOf(state: string): readonly StandingApproval[] {
  const file = join(state, "approvals.jsonl");
  return openStandingApprovals({ file, shown: file, now: () => new Date(), report() {} }).list();
}

/**
 * Trusts a root no longer; hosts that run go on.
 * @param directory default: the root that a host would open; it need not be there any more
 * @returns its path
 * @throws HostError UNTRUSTED where it was not trusted, TRUST_STORE_INVALID
 */
export function revokeRoot(directory: string | undefined, { env, cwd }: TrustPlace): string {
  const named = directory === undefined ? findRoot(undefined, cwd) : resolve(cwd, directory);
  const wanted = new Set([named, realPath(named)]);
  const file = trustFile(env);
  const found = readTrust(file).roots.find(({ root }) => wanted.has(root));
  if (!found) {
    const message = `expected a root that is trusted, found ${named}, which is not`;
    throw hostError(diagnostic("UNTRUSTED", { message, hint: "`toolroom trust --list` shows those that are." }));
  }
  changeTrust(file, (roots) => roots.filter(({ root }) => root !== found.root));
  return found.root;
}

/** The roots that are trusted, sorted. @throws HostError TRUST_STORE_INVALID */
export function listTrust({ env }: Pick<TrustPlace, "env">): readonly ListedTrust[] {
  const { roots, problem } = readTrust(trustFile(env));
  if (problem) throw hostError(problem);
  const home = findHome();
  return roots.map(({ root, digest, since }) => {
    const there = realPath(root) === root;
    const state = !there ? "gone" : readGuarded({ root, home }).digest === digest ? "ok" : "changed";
    return { root, since, state };
  });
}
