import { spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Both ends of a pipe, as descriptors of this process that no child inherits. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** What the streams of a process go through. */
export interface StreamPipes {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
}

/**
 * Pipes of the system. Node gives its children sockets, which cannot be opened by a name: a script that writes to
 * `/dev/stderr`, as many do, would fail.
 */
export interface Pipes {
  /** @returns undefined where there are none; whoever takes them closes them */
  take(): Promise<StreamPipes | undefined>;
  close(): void;
}

/** So many are made at a time, because that takes a process. */
const BATCH = 32;
/** From so few on more are made meanwhile. */
const FEW = 8;

/** @param path where programs are looked for */
export function createPipes(path: string): Pipes {
  const ready: Pipe[] = [];
  let making: Promise<void> | undefined;
  let isOver = false;
  const refill = (): Promise<void> => {
    making ??= makePipes(path).then((made) => {
      making = undefined;
      ready.push(...made);
      if (isOver) closeAll(ready);
    });
    return making;
  };
  return {
    async take() {
      if (ready.length < 2) await refill();
      const [stdout, stderr] = [ready.pop(), ready.pop()];
      if (stdout && stderr) {
        if (ready.length < FEW) void refill();
        return { stdout, stderr };
      }
      if (stdout) ready.push(stdout);
      return undefined;
    },
    close() {
      isOver = true;
      closeAll(ready);
    },
  };
}

/** Closes what is left of pipes that nobody used. */
export function closePipes({ stdout, stderr }: StreamPipes): void {
  closeAll([stdout, stderr]);
}

function closeAll(pipes: Pipe[]): void {
  for (const { readEnd, writeEnd } of pipes.splice(0)) {
    closeSync(readEnd);
    closeSync(writeEnd);
  }
}

/** They have names only until they are open. None where the system has no such thing. */
async function makePipes(path: string): Promise<readonly Pipe[]> {
  const directory = mkdtempSync(join(tmpdir(), "toolroom-pipes-"));
  const made: Pipe[] = [];
  try {
    const files = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
    const child = spawn("mkfifo", ["-m", "600", ...files], { env: { PATH: path }, stdio: "ignore" });
    const code = await new Promise<number | null>((resolve) => {
      child.once("exit", resolve).once("error", () => resolve(null));
    });
    if (code !== 0) return [];
    for (const file of files) {
      const readEnd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
      made.push({ readEnd, writeEnd: openSync(file, constants.O_WRONLY) });
    }
    return made;
  } catch {
    // No descriptors are left: sockets do, too.
    closeAll(made);
    return [];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
