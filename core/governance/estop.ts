import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

/** The file whose being there stops all hosts of a root. @param state the root's state directory */
export function estopFile(state: string): string {
  return join(state, "estop.json");
}

/**
 * Watches the file from the first question on; nothing is looked at before, and the process is not kept alive by it.
 * @param options.stop is told when it was turned on: what runs has to end
 */
export function createEstop({ file, stop }: { readonly file: string; stop(reason: ToolError): void }): Estop {
  let state: EstopState | undefined;
  let looked = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const look = (): EstopState | undefined => {
    const before = state;
    state = readEstop(file);
    looked = performance.now();
    if (state && !before) stop(stoppedBy(state));
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

/** What is there and cannot be read is on: nobody can know what it says. */
export function readEstop(file: string): EstopState | undefined {
  try {
    if (!lstatSync(file, { throwIfNoEntry: false })) return undefined;
    const { reason, since } = JSON.parse(readFileSync(file, "utf8")) as { reason?: unknown; since?: unknown };
    return {
      reason: typeof reason === "string" ? oneLine(reason) : "",
      since: typeof since === "string" ? since : null,
    };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // Turned off between the two looks.
    if (code === "ENOENT" && !lstatSync(file, { throwIfNoEntry: false })) return undefined;
    return { reason: code === undefined ? "" : `its file cannot be read (${code})`, since: null };
  }
}

/** Turns it on for all hosts of the root. @throws HostError ESTOP_UNWRITABLE */
export function turnEstopOn(file: string, reason = ""): EstopState {
  const state = { reason: oneLine(reason), since: new Date().toISOString() };
  change(file, () => {
    const temporary = `${file}.${process.pid}.tmp`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    renameSync(temporary, file);
  });
  return state;
}

/** Turns it off. Nothing that was stopped goes on by itself. @throws HostError ESTOP_UNWRITABLE */
export function turnEstopOff(file: string): void {
  change(file, () => rmSync(file, { force: true }));
}

/** The state in one sentence. */
export function estopText(state: EstopState | undefined): string {
  if (!state) return "the e-stop is off";
  const since = state.since === null ? "" : ` since ${state.since.slice(0, 19).replace("T", " ")} UTC`;
  return `the e-stop is on${since}${state.reason === "" ? "" : `: ${state.reason}`}`;
}

/** What calls end with while it is on. */
function stoppedBy(state: EstopState): ToolError {
  return new ToolError("STOPPED", estopText(state), { hint: ESTOP_HINT });
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
