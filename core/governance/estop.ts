import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { join } from "node:path";
import { diagnostic, hostError } from "../diagnostics.ts";
import { ToolError } from "../sdk/errors.ts";

/** An e-stop that is on. */
export interface EstopState {
  /** In the words of whoever turned it on; empty where he gave none. */
  readonly reason: string;
  /** ISO 8601; null where it is not known. */
  readonly since: string | null;
}

/** The e-stop of one root, as one host sees it. */
export interface Estop {
  /** Undefined: it is off. As of a fifth of a second ago at most. */
  current(): EstopState | undefined;
  /** Looks at once. */
  look(): EstopState | undefined;
  close(): void;
}

/** So old may be what a host knows of it. */
const LOOK_MS = 200;

const MAX_REASON = 500;

/** As long as it is there, in one of the state directories of a root, all hosts of the root are stopped. */
const FILE = "estop.json";
/** The one that was ended last: who has not seen it while it was on stops for it afterwards. */
const LAST = "estop-last.json";

/** What {@link createEstop} takes. */
export interface EstopOptions {
  /** The state directories of the root: see `stateDirectories`. */
  readonly directories: readonly string[];
  /** Is told that it was turned on, also where it is off again meanwhile: what runs has to end. */
  stop(reason: ToolError): void;
}

/** Watches the files from the first question on; nothing is looked at before, and the process is not kept alive by it. */
export function createEstop({ directories, stop }: EstopOptions): Estop {
  let state: EstopState | undefined;
  let ended: string | undefined;
  let looked = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = (): EstopState | undefined => {
    const [before, endedBefore] = [state, ended];
    state = readEstop(directories);
    ended = directories.map((directory) => stampOf(join(directory, LAST))).join();
    looked = performance.now();
    const isMissed = endedBefore !== undefined && ended !== endedBefore;
    if (before) return state;
    if (state) stop(stoppedBy(estopText(state)));
    else if (isMissed) stop(stoppedBy("the e-stop was on for a moment"));
    return state;
  };
  return {
    current() {
      if (!isClosed) timer ??= setInterval(look, LOOK_MS).unref();
      return performance.now() - looked < LOOK_MS ? state : look();
    },
    look,
    close() {
      isClosed = true;
      clearInterval(timer);
    },
  };
}

/** Where an e-stop of a root stands while it is on. */
export function estopFiles(directories: readonly string[]): readonly string[] {
  return directories.map((directory) => join(directory, FILE));
}

/** Undefined: it is off. What is there and cannot be read is on: nobody can know what it says. */
export function readEstop(directories: readonly string[]): EstopState | undefined {
  for (const file of estopFiles(directories)) {
    const state = readState(file);
    if (state) return state;
  }
  return undefined;
}

function readState(file: string): EstopState | undefined {
  try {
    if (!lookAt(file)) return undefined;
    const { reason, since } = JSON.parse(readFileSync(file, "utf8")) as { reason?: unknown; since?: unknown };
    return {
      reason: typeof reason === "string" ? oneLine(reason) : "",
      since: typeof since === "string" ? since : null,
    };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Turned off between the two looks.
    if (code === "ENOENT" && !lookAt(file)) return undefined;
    return { reason: code === undefined ? "" : `its file cannot be read (${code})`, since: null };
  }
}

/** Of no two files that lay there one after the other the same; empty where none is. */
function stampOf(file: string): string {
  try {
    const found = lookAt(file);
    return found ? `${found.ino} ${found.mtimeMs}` : "";
  } catch {
    return "";
  }
}

/** @returns undefined where nothing lies there. @throws the error of the file system where that cannot be told */
function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Turns it on for all hosts of the root, in the first of its state directories. @throws HostError ESTOP_UNWRITABLE */
export function turnEstopOn([directory = ""]: readonly string[], reason = ""): EstopState {
  const state = { reason: oneLine(reason), since: new Date().toISOString() };
  const file = join(directory, FILE);
  change(file, () => {
    const temporary = `${file}.${process.pid}.tmp`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  });
  return state;
}

/** Turns it off. Nothing that was stopped goes on by itself. @throws HostError ESTOP_UNWRITABLE */
export function turnEstopOff(directories: readonly string[]): void {
  for (const directory of directories) {
    const file = join(directory, FILE);
    change(file, () => {
      if (lookAt(file)?.isFile()) renameSync(file, join(directory, LAST));
      else if (lookAt(file)) rmSync(file);
    });
  }
}

/** The state in one sentence. */
export function estopText(state: EstopState | undefined): string {
  if (!state) return "the e-stop is off";
  const since = state.since === null ? "" : ` since ${state.since.slice(0, 19).replace("T", " ")} UTC`;
  return `the e-stop is on${since}${state.reason === "" ? "" : `: ${state.reason}`}`;
}

/** What calls end with that ran when it was turned on. */
function stoppedBy(message: string): ToolError {
  return new ToolError("STOPPED", message, { hint: ESTOP_HINT });
}

/** What to do about it. */
export const ESTOP_HINT = "Only a person ends it: `toolroom estop off`.";

/** It stands in the middle of sentences, and is shown on terminals. */
function oneLine(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_REASON);
}

function change(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const message = `the e-stop cannot be changed: ${error instanceof Error ? error.message : String(error)}`;
    throw hostError(diagnostic("ESTOP_UNWRITABLE", { file, message, hint: "Make its directory writable." }));
  }
}
