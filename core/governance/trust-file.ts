import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";

/** A root that a person trusts. */
export interface TrustedRoot {
  /** Absolute real path. */
  readonly root: string;
  /** Of the settings that were accepted with it: see `readGuarded`. */
  readonly digest: string;
  /** When, ISO 8601. */
  readonly since: string;
}

/** What {@link readTrust} found. */
export interface ReadTrust {
  /** Sorted by root. */
  readonly roots: readonly TrustedRoot[];
  /** Why the file says nothing although it is there. */
  readonly problem?: Diagnostic;
}

interface StoreFile {
  readonly version: typeof VERSION;
  readonly roots: Readonly<Record<string, Omit<TrustedRoot, "root">>>;
}

const VERSION = 1;

/** Reads which roots are trusted. What is wrong with the file trusts nothing. */
export function readTrust(file: string): ReadTrust {
  let text: string;
  try {
    const descriptor = openSync(file, "r");
    try {
      const { mode, uid } = fstatSync(descriptor);
      const own = process.getuid?.() ?? uid;
      if (uid !== own || (mode & 0o022) !== 0) return unusable(file, "others than you can write it");
      text = readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? { roots: [] } : unusable(file, code ?? String(error));
  }
  const stored = parse(text);
  if (typeof stored === "string") return unusable(file, stored);
  const roots = Object.entries(stored.roots).map(([root, { digest, since }]) => ({ root, digest, since }));
  return { roots: roots.sort((a, b) => compareText(a.root, b.root)) };
}

/** What the file says of these roots. */
export function storeText(trusted: readonly TrustedRoot[]): string {
  const roots = Object.fromEntries(trusted.map(({ root, digest, since }) => [root, { digest, since }]));
  const content: StoreFile = { version: VERSION, roots };
  return `${JSON.stringify(content, null, 2)}\n`;
}

function parse(text: string): StoreFile | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  const { version, roots } = (value ?? {}) as Partial<StoreFile>;
  if (version !== VERSION) return `it is not of version ${VERSION}`;
  const isSound =
    typeof roots === "object" &&
    roots !== null &&
    Object.values(roots).every((entry) => typeof entry?.digest === "string" && typeof entry.since === "string");
  return isSound ? (value as StoreFile) : "it does not say which roots are trusted";
}

function unusable(file: string, why: string): ReadTrust {
  return { roots: [], problem: problemOf(file, why) };
}

/** A file that cannot be used. */
export function problemOf(file: string, why: string): Diagnostic {
  const message = `expected a file that says which roots are trusted, and that you alone can write; found one that is not: ${why}`;
  const hint = "Mend it, or remove it and trust your roots again; until then none is trusted.";
  return diagnostic("TRUST_STORE_INVALID", { file, message, hint });
}
