import { type ChildProcess, spawn } from "node:child_process";
import { throwIfAborted } from "../governance/file-errors.ts";
import { openDirectory } from "../governance/open-directory.ts";
import { atExit } from "../governance/process-exit.ts";
import type { BytePath } from "./byte-paths.ts";
import type { GlobToken } from "./glob-segments.ts";

/** What ripgrep is asked. */
export interface RipgrepQuestion {
  /** The program. */
  readonly program: string;
  /** The directory to search: absolute and real. */
  readonly directory: string;
  /** As messages name it. */
  readonly shown: string;
  /** A regular expression as ripgrep reads it. */
  readonly rust: string;
  readonly spansLines: boolean;
  readonly hidden: boolean;
  readonly ignored: boolean;
  /** What the names of files may look like, so that others are not read; more are handed out than match. Empty: like anything. */
  readonly names: readonly (readonly GlobToken[])[];
  readonly timeLimitMs: number;
  readonly signal: AbortSignal | undefined;
}

/** A file in which something was found. */
export interface Candidate {
  /** Relative to the directory. */
  readonly path: BytePath;
  /** So many lines match, or where the expression spans lines, so many matches there are. */
  readonly matches: number;
}

/** What came of it. */
export type RipgrepAnswer =
  | { readonly found: readonly Candidate[]; readonly complete: boolean; readonly unreadable: number }
  /** Why it is no answer. */
  | { readonly failed: string };

/** More output than this is not read. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Counts with ripgrep what matches in each file. Nothing of the environment or of a person's configuration reaches it,
 * and no shell is between. The directory is held open and entered by its descriptor; what lies below is reached by
 * names, so whoever shows a text opens the file anew, where no link can lead it astray.
 *
 * @throws ToolError the signal's reason; CONFLICT (the directory was swapped)
 */
export async function askRipgrep(question: RipgrepQuestion): Promise<RipgrepAnswer> {
  const { program, directory, shown, signal, timeLimitMs } = question;
  throwIfAborted(signal);
  const held = await openDirectory(directory, shown);
  let end: End;
  try {
    const child = spawn(program, [...argumentsOf(question)], {
      cwd: held.at("."),
      env: {},
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, which is ended as a whole.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    end = await finished(child, { signal, timeLimitMs });
  } finally {
    await held.close();
  }
  throwIfAborted(signal);
  if (end.error) return { failed: `it could not be started: ${end.error.message}` };
  const { code, late } = end;
  const found = candidatesIn(end.output);
  if (late || end.full) return { found, complete: false, unreadable: refusedIn(end.errors) };
  if (code === 0 || code === 1) return { found, complete: true, unreadable: refusedIn(end.errors) };
  if (code === 2 && onlyFiles(end.errors)) return { found, complete: true, unreadable: refusedIn(end.errors) };
  const words = end.errors.split("\n").findLast((line) => line.trim() !== "") ?? "";
  return { failed: code === null ? "it was killed" : `it ended with ${code}: ${words.slice(0, 300)}` };
}

function argumentsOf({ rust, spansLines, hidden, ignored, names }: RipgrepQuestion): readonly string[] {
  return [
    "--no-config",
    "--color=never",
    "--count",
    "--with-filename",
    "--null",
    "--crlf",
    "--no-mmap",
    // Hidden names are left out by a glob, because a line of an ignore file must not take them in again.
    "--hidden",
    ...(hidden ? (ignored ? [] : ["--glob=!.git"]) : ["--glob=!.*"]),
    ...(ignored ? ["--no-ignore"] : ["--no-ignore-dot", "--no-ignore-global", "--no-ignore-messages"]),
    ...(spansLines ? ["--multiline"] : []),
    ...names.map((tokens) => `--type-add=wanted:${nameGlob(tokens)}`),
    ...(names.length > 0 ? ["--type=wanted"] : []),
    // What can never match, and has ripgrep search across lines also where it would see no need to.
    `--regexp=${spansLines ? `(?:${rust})|\\z\\n` : rust}`,
    "--",
    "./",
  ];
}

/** A glob for names that matches at least what the tokens do. */
function nameGlob(tokens: readonly GlobToken[]): string {
  return tokens
    .map((token) => {
      if (token.kind === "star") return "*";
      if (token.kind !== "char") return "*";
      const character = String.fromCodePoint(token.codePoint);
      return /[\p{L}\p{N}._-]/u.test(character) && character !== "i" ? character : character === "i" ? "[i]" : "*";
    })
    .join("");
}

interface End {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly late: boolean;
  readonly full: boolean;
  readonly error?: Error;
}

/** Waits for the process, and kills its group where the signal fires, the time is over or the output is too much. */
async function finished(
  child: ChildProcess,
  { signal, timeLimitMs }: Pick<RipgrepQuestion, "signal" | "timeLimitMs">,
): Promise<End> {
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  const state = { late: false, full: false, bytes: 0, errorBytes: 0 };
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  const timer = setTimeout(() => {
    state.late = true;
    kill();
  }, timeLimitMs);
  signal?.addEventListener("abort", kill, { once: true });
  // It would go on without its host.
  const release = atExit(kill);
  // It may have fired while the process was started.
  if (signal?.aborted) kill();
  child.stdout?.on("data", (chunk: Buffer) => {
    state.bytes += chunk.length;
    if (state.bytes <= MAX_OUTPUT_BYTES) output.push(chunk);
    else if (!state.full) {
      state.full = true;
      kill();
    }
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    state.errorBytes += chunk.length;
    if (state.errorBytes <= MAX_ERROR_BYTES) errors.push(chunk);
  });
  const end = await new Promise<{ readonly code: number | null; readonly error?: Error }>((resolve) => {
    child.once("error", (error) => resolve({ code: null, error }));
    child.once("close", (code) => resolve({ code }));
  });
  clearTimeout(timer);
  signal?.removeEventListener("abort", kill);
  release();
  const text = { output: Buffer.concat(output).toString("latin1"), errors: Buffer.concat(errors).toString("utf8") };
  return { ...end, ...text, late: state.late, full: state.full };
}

/** Each is a path, a NUL and a number on a line. */
function candidatesIn(output: string): readonly Candidate[] {
  const found: Candidate[] = [];
  for (let at = 0; ; ) {
    const nul = output.indexOf("\0", at);
    const end = nul < 0 ? -1 : output.indexOf("\n", nul);
    if (end < 0) return found;
    const path = output.slice(output.startsWith("./", at) ? at + 2 : at, nul);
    found.push({ path, matches: Number(output.slice(nul + 1, end)) });
    at = end + 1;
  }
}

/** Whether all that went wrong is that files could not be read. */
function onlyFiles(errors: string): boolean {
  return errors.includes("(os error ") && !/regex|pattern|unrecognized|invalid value/u.test(errors);
}

function refusedIn(errors: string): number {
  return errors.split("\n").filter((line) => /\(os error (?:1|13)\)/u.test(line)).length;
}
