import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

const MAX_ATTEMPTS = 3;

/** Who has a directory: a process of a machine. */
export interface LockHolder {
  readonly pid: number;
  /** Absolute path of its lock file. */
  readonly file: string;
  /** False where it is another machine, or another container, whose processes cannot be looked at from here. */
  readonly here: boolean;
}

/** A directory that this process has. */
export interface ProcessLock {
  release(): void;
}

/**
 * Takes a directory for this process. Everybody puts up a file of his own first and looks at those of others afterwards,
 * so that of two who come at once at least one sees the other; that both give way is possible, that both go on is not.
 * Files of processes that are gone are removed. Because no two files ever have one name, nobody removes a wrong one.
 *
 * @param directory is made, and removed again when it is empty
 * @returns the lock, or who has it
 * @throws the error of the file system when nothing can be written there
 */
export function takeLock(directory: string): ProcessLock | { readonly holder: LockHolder } {
  const name = `lock-${machine()}-${process.pid}-${processOf(process.pid)?.start ?? 0}-${randomBytes(4).toString("hex")}`;
  const file = join(directory, name);
  putUp(directory, file);
  const holder = holderOf(directory, { but: name, clean: true });
  const release = (): void => {
    rmSync(file, { force: true });
    removeIfEmpty(directory);
  };
  if (!holder) return { release };
  release();
  return { holder };
}

/**
 * Who has a directory now.
 * @param options.but the name of a lock file that does not count; `clean`: files of processes that are gone are removed
 */
export function holderOf(
  directory: string,
  { but, clean = false }: { readonly but?: string; readonly clean?: boolean } = {},
): LockHolder | undefined {
  for (const name of namesIn(directory)) {
    const [, at, pid, start] = /^lock-([0-9a-f]+)-(\d+)-(\d+)-[0-9a-f]+$/u.exec(name) ?? [];
    if (name === but || at === undefined) continue;
    const file = join(directory, name);
    const here = at === machine();
    if (!here || isRunning(Number(pid), Number(start))) return { pid: Number(pid), file, here };
    if (clean) rmSync(file, { force: true });
  }
  return undefined;
}

function putUp(directory: string, file: string): void {
  for (let attempt = 1; ; attempt++) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    try {
      writeFileSync(file, `${JSON.stringify({ pid: process.pid, host: hostname() })}\n`, { flag: "wx", mode: 0o600 });
      return;
    } catch (error) {
      // Whoever has just let go of it may have removed the empty directory.
      if (!isMissing(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** Numbers of processes are used again, so the time of its start counts where the system tells it. */
function isRunning(pid: number, start: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const found = processOf(pid);
  if (found && (found.state === "Z" || found.state === "X")) return false;
  return found === undefined || start === 0 || found.start === start;
}

/** The state of a process, and the clock ticks from the start of the machine to its own; Linux only. */
function processOf(pid: number): { readonly state: string; readonly start: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets and may hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", start: Number(fields[19]) };
  } catch {
    // Another system, or the process is gone; the signal has told which.
    return undefined;
  }
}

function machine(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It holds other files, or somebody else's lock.
  }
}
