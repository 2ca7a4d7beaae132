import { readdirSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { contains } from "../discovery/paths.ts";

/** What tools must keep off, wherever their workspace is. */
export interface HostState {
  /** Whether a file is the host's own, or says what the host permits: no tool writes it. @param real a real path */
  isKept(real: string): boolean;
  /** Whether a file holds secrets or keys: no tool reads it, by whatever name. @param real a real path */
  isSecret(real: string): boolean;
  /** Whether an open file is one of those under another name. */
  isSecretFile(found: Stats): boolean;
  /** Whether the host would run or obey what a file says: content, or a part of the host itself. @param real a real path */
  isContent(real: string): boolean;
}

/** Where the host keeps what is its own. Absolute. */
export interface HostPlaces {
  readonly root: string;
  /** The installed package. */
  readonly home: string;
  /** Directories that links of the root lead to, as far as they are known now. */
  readonly linked: () => readonly string[];
  /** Where it keeps what must not lie in the root; beside it lies what belongs to other roots. */
  readonly outside: string;
  /** Of the person: which roots are trusted. */
  readonly configuration: string;
  /** The audit log, wherever settings say that it lies; what is put aside of it stands beside it. */
  readonly audit: string;
}

/** What of a `usr/` is content. Everything else in it is the host's, whatever will be added. */
const CONTENT = new Set([
  "AGENTS.md",
  "agents",
  "extensions",
  "locales",
  "plugins",
  "projects",
  "prompts",
  "skills",
  "tests",
  "tools",
]);

/** What of a root is content, beside its `usr/`. */
const ROOT_CONTENT = new Set(["agents", "extensions", "locales", "plugins", "prompts", "skills", "tools"]);

/** Whether what bears this name in a `usr/` is content, and no state of the host. */
export function isContentName(name: string): boolean {
  return CONTENT.has(name);
}

/** What the host is made of. In a clone there is more beside it, which nothing runs by itself. */
const HOME_PARTS = new Set([...ROOT_CONTENT, "core", "dist", "scripts"]);

const SECRETS = "secrets.env";
const SETTINGS = "settings.yaml";
/** Holds the key that entries are signed with. */
const LEDGER = "ledger";

/** @param places need not exist */
export function createHostState({ root, home, linked, outside, configuration, audit }: HostPlaces): HostState {
  const usr = join(root, "usr");
  const whole = both(root);
  const homes = both(home);
  const roots = both(usr);
  const others = [dirname(outside), configuration].flatMap(both);
  const logs = both(dirname(audit)).map((directory) => join(directory, basename(audit)));

  /** The steps below `usr/`; undefined outside of it. */
  const inUsr = (real: string): readonly string[] | undefined => {
    const base = roots.find((directory) => contains(directory, real));
    return base === undefined ? undefined : relative(base, real).split(sep);
  };
  const isSecret = (real: string): boolean => {
    const steps = inUsr(real);
    if (steps) return steps[0] === LEDGER || (isOwn(steps) && basename(real) === SECRETS);
    return others.some((base) => contains(base, real) && relative(base, real).split(sep).includes(LEDGER));
  };
  return {
    isKept(real) {
      if (logs.some((log) => real === log || real.startsWith(`${log}.`))) return true;
      const [first, project, ...rest] = inUsr(real) ?? [];
      if (first === undefined) return others.some((base) => contains(base, real));
      if (first === "") return true;
      if (first !== "projects" || project === undefined) return !isContentName(first);
      return rest[0] === SETTINGS || rest[0] === SECRETS;
    },
    isSecret,
    isContent(real) {
      const [first] = inUsr(real) ?? [];
      if (first !== undefined) return isContentName(first);
      const begins = (bases: readonly string[], names: ReadonlySet<string>): boolean =>
        bases.some((base) => contains(base, real) && names.has(relative(base, real).split(sep)[0] ?? ""));
      return begins(whole, ROOT_CONTENT) || begins(homes, HOME_PARTS) || linked().some((base) => contains(base, real));
    },
    isSecretFile(found) {
      if (found.nlink < 2) return false;
      const places = [usr, ...namesIn(join(usr, "projects")).map((name) => join(usr, "projects", name))];
      const ledger = [join(usr, LEDGER), join(outside, LEDGER)].flatMap((at) =>
        namesIn(at).map((name) => join(at, name)),
      );
      return [...places.map((place) => join(place, SECRETS)), ...ledger].some((file) => {
        const known = statSync(file, { throwIfNoEntry: false });
        return known?.ino === found.ino && known.dev === found.dev;
      });
    },
  };
}

/** In `usr/` itself, or in a project. */
function isOwn(steps: readonly string[]): boolean {
  return steps.length === 1 || (steps.length === 3 && steps[0] === "projects");
}

/** A directory as it is named, and where it really lies. */
function both(directory: string): readonly string[] {
  try {
    const real = realpathSync(directory);
    return real === directory ? [real] : [directory, real];
  } catch {
    return [directory];
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
