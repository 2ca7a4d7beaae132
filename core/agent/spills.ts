import { randomBytes } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
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
  /** The real paths of the directories that tools may read: this one, as soon as there is something in it. */
  readable(): readonly string[];
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
