import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A directory for texts that are too long for a model. */
export interface Spills {
  /**
   * Keeps a text. One name always has one text, because it holds the hash of it.
   * @returns the absolute path of the file
   * @throws the error of the file system
   */
  keep(name: string, text: string): string;
  /**
   * A file for a text that is not whole yet. Where there is one of the name, it gets a number.
   * @param name without `.txt`
   * @throws the error of the file system
   */
  open(name: string): OpenSpill;
  /** The real paths of the directories that tools may read: this one, as soon as there is something in it. */
  readable(): readonly string[];
}

/** A text that is kept as it comes. */
export interface OpenSpill {
  /** Absolute. */
  readonly path: string;
  write(text: string | Uint8Array): void;
  close(): void;
}

/** What {@link createSpills} takes. */
export interface SpillOptions {
  /** Absolute; made with the first text. */
  readonly directory: string;
  /** The directory that tools may read, where it is more than `directory`: one above it. */
  readonly readable?: string;
}

/** What belongs to no session is of use for some days only. */
const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** Makes nothing before there is something to keep. */
export function createSpills({ directory, readable = directory }: SpillOptions): Spills {
  // The real path is taken once: a link that is put there later leads nowhere.
  let real: string | undefined;
  return {
    keep(name, text) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const file = join(directory, name);
      if (!existsSync(file)) writeAtOnce(file, text);
      return file;
    },
    open(name) {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      return openNew(join(directory, name));
    },
    readable() {
      if (real === undefined && existsSync(readable) && lstatSync(readable).isDirectory())
        real = realpathSync(readable);
      return real === undefined ? [] : [real];
    },
  };
}

/** Removes what has been in a directory for longer than a week, whole entry by entry. What cannot be removed stays. */
export function removeOldSpills(directory: string, now = Date.now()): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && now - found.mtimeMs > RETENTION_MS) rmSync(path, { recursive: true, force: true });
  }
}

function openNew(path: string): OpenSpill {
  for (let number = 1; ; number++) {
    const file = number === 1 ? `${path}.txt` : `${path}-${number}.txt`;
    try {
      const descriptor = openSync(file, "wx", 0o600);
      let isOpen = true;
      return {
        path: file,
        write: (text) => void (typeof text === "string" ? writeSync(descriptor, text) : writeSync(descriptor, text)),
        close() {
          if (isOpen) closeSync(descriptor);
          isOpen = false;
        },
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function writeAtOnce(file: string, text: string): void {
  const temporary = join(dirname(file), `.${randomBytes(6).toString("hex")}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx", mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
