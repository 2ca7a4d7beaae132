import { randomInt } from "node:crypto";
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { compareText, type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { type ProcessLock, takeLock } from "./process-lock.ts";

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

/** So long one process waits for others that change it, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Changes which roots are trusted, in one step: a reader sees the file of before or the new one, and of two processes
 * that change it at once neither undoes what the other did.
 * @throws HostError TRUST_STORE_INVALID where the file cannot be used, or cannot be written
 */
export function changeTrust(file: string, change: (roots: readonly TrustedRoot[]) => readonly TrustedRoot[]): void {
  const lock = lockFor(file);
  try {
    changeAlone(file, change);
  } finally {
    lock.release();
  }
}

/** Waits without a promise: a command that does nothing else is all that comes here. */
function lockFor(file: string): ProcessLock {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  for (const deadline = performance.now() + PATIENCE_MS; ; Atomics.wait(asleep, 0, 0, randomInt(2, 12))) {
    let taken: ReturnType<typeof takeLock>;
    try {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      taken = takeLock(`${file}.lock`);
    } catch (error) {
      throw hostError(problemOf(file, (error as NodeJS.ErrnoException).code ?? String(error)));
    }
    if ("release" in taken) return taken;
    const { pid, file: held } = taken.holder;
    if (performance.now() > deadline) throw hostError(problemOf(file, `process ${pid} changes it (${held})`));
  }
}

function changeAlone(file: string, change: (roots: readonly TrustedRoot[]) => readonly TrustedRoot[]): void {
  const { roots, problem } = readTrust(file);
  if (problem) throw hostError(problem);
  const next = Object.fromEntries(change(roots).map(({ root, digest, since }) => [root, { digest, since }]));
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const content: StoreFile = { version: VERSION, roots: next };
    writeFileSync(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw hostError(problemOf(file, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
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

function problemOf(file: string, why: string): Diagnostic {
  const message = `expected a file that says which roots are trusted, and that you alone can write; found one that is not: ${why}`;
  const hint = "Mend it, or remove it and trust your roots again; until then none is trusted.";
  return diagnostic("TRUST_STORE_INVALID", { file, message, hint });
}
