import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { contains } from "../discovery/paths.ts";
import type { RiskProfileValues } from "../discovery/risk-profile-keys.ts";
import { readRootEntry } from "../discovery/root-entry.ts";
import { ToolError } from "../sdk/errors.ts";
import { isInsideAny } from "./containment.ts";
import { outsideError, readOnlyError, secretError } from "./file-errors.ts";
import type { HostState } from "./host-state.ts";
import { type RiskProfile, settingOf } from "./risk-profile.ts";

/** What somebody wants with a file. `look`: only that it may be named. */
export type FileUse = "read" | "write" | "look";

/** Which files the calls of one agent may touch. */
export interface FileRules {
  /**
   * Why a file may not be used so; undefined: it may.
   * @param real its real path, all links resolved
   * @param shown as messages name it
   */
  refusal(real: string, use: FileUse, shown: string): ToolError | undefined;
  /** The rules of what the host keeps for itself. */
  readonly state: HostState | undefined;
  /** Real paths of the directories outside of the workspace that risk profiles name; what may be done there is asked as above. */
  readonly roots: readonly string[];
  /** Paths that risk profiles forbid, as they are written and real. */
  readonly forbidden: readonly string[];
  /** Whether nothing but what is forbidden is closed. */
  readonly isOpen: boolean;
}

/** What {@link createFileRules} is made of. */
export interface FileRulesOptions {
  /** The workspace's real path. */
  readonly workspace: string;
  /** The directory that relative paths of settings are taken from. */
  readonly base: string;
  /** Of the agent and of its superiors: what one of them refuses is refused. */
  readonly profiles: readonly RiskProfile[];
  readonly state: HostState;
}

/** The rules where nothing but the workspace counts. */
export function workspaceRules(workspace: string): FileRules {
  return {
    refusal: (real, _, shown) => (contains(workspace, real) ? undefined : outsideError(shown)),
    state: undefined,
    roots: [],
    forbidden: [],
    isOpen: false,
  };
}

/** Risk profiles as rules; their directories are looked up once, here. */
export function createFileRules({ workspace, base, profiles, state }: FileRulesOptions): FileRules {
  const prepared = profiles.map((profile) => prepare(profile, base));
  return {
    state,
    roots: [...new Set(prepared.flatMap(({ roots }) => roots.flatMap(({ paths }) => paths)))],
    forbidden: [...new Set(prepared.flatMap(({ forbidden }) => forbidden))],
    isOpen: prepared.every(({ open }) => open),
    refusal(real, use, shown) {
      for (const one of prepared) {
        const refused = containment(one, { workspace, real, use, shown });
        if (refused) return refused;
      }
      for (const { profile, forbidden } of prepared) {
        if (isInsideAny(forbidden, real)) return forbiddenError(shown, profile);
      }
      if (use !== "write" && state.isSecret(real)) return secretError(shown);
      if (use === "write" && state.isKept(real)) return readOnlyError(shown);
      return undefined;
    },
  };
}

interface Prepared {
  readonly profile: RiskProfile;
  readonly roots: readonly { readonly paths: readonly string[]; readonly access: FileAccess }[];
  readonly forbidden: readonly string[];
  /** Nothing but what is forbidden is closed. */
  readonly open: boolean;
}

type FileAccess = ReturnType<typeof readRootEntry>["access"];

interface Asked {
  readonly workspace: string;
  readonly real: string;
  readonly use: FileUse;
  readonly shown: string;
}

const ADMITS: Readonly<Record<FileAccess, readonly FileUse[]>> = {
  read_only: ["read", "look"],
  write_only: ["write", "look"],
  read_write: ["read", "write", "look"],
};

function prepare(profile: RiskProfile, base: string): Prepared {
  const { level, workspace_only, allowed_roots, forbidden_paths } = profile.values as RiskProfileValues;
  const roots = allowed_roots.map((entry) => {
    const { path, access } = readRootEntry(entry);
    return { paths: [realOf(expand(path, base))], access };
  });
  const forbidden = forbidden_paths.flatMap((entry) => {
    const path = expand(String(entry), base);
    return [path, realOf(path)];
  });
  return { profile, roots, forbidden: [...new Set(forbidden)], open: level === "full" && !workspace_only };
}

function containment(
  { profile, roots, open }: Prepared,
  { workspace, real, use, shown }: Asked,
): ToolError | undefined {
  if (open || contains(workspace, real)) return undefined;
  const around = roots.filter(({ paths }) => isInsideAny(paths, real));
  if (around.some(({ access }) => ADMITS[access].includes(use))) return undefined;
  if (around.length === 0) return outsideError(shown, settingOf(profile, "allowed_roots"));
  const message = `${shown} may not be ${use === "write" ? "written" : "read"}: ${settingOf(profile, "allowed_roots")}`;
  return new ToolError("ACCESS_DENIED", message, { hint: "Use another path; a person can change that setting." });
}

function forbiddenError(shown: string, profile: RiskProfile): ToolError {
  const message = `${shown} is forbidden by ${settingOf(profile, "forbidden_paths")}`;
  return new ToolError("ACCESS_DENIED", message, { hint: "Use another path; a person can change that setting." });
}

function expand(path: string, base: string): string {
  if (path === "~") return homedir();
  return resolve(base, path.startsWith("~/") ? join(homedir(), path.slice(2)) : path);
}

/** The real path; of what does not exist, that of the nearest directory above with the rest. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realOf(parent), basename(path));
  }
}
