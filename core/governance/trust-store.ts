import { randomInt } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hostError } from "../diagnostics.ts";
import { type ProcessLock, takeLock } from "./process-lock.ts";
import { problemOf, readTrust, storeText, type TrustedRoot } from "./trust-file.ts";

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
  const next = change(roots);
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(draft, storeText(next), { mode: 0o600, flag: "wx" });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw hostError(problemOf(file, (error as NodeJS.ErrnoException).code ?? String(error)));
  }
}
