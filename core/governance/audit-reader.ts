import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { AuditGap, AuditLine } from "./audit-line.ts";

/** Which lines are asked for; what is left out is not looked at. */
export interface AuditFilter {
  /** A tool's id, with or without `tool.` before it. */
  readonly tool?: string;
  readonly decision?: string;
  readonly code?: string;
  readonly outcome?: string;
  readonly session?: string;
  /** A profile, with or without `agent.` before it. */
  readonly agent?: string;
  readonly face?: string;
  /** ISO 8601: not before this time. */
  readonly since?: string;
  /** Stands somewhere in the line, in whatever case. */
  readonly text?: string;
}

/** What was found. */
export interface AuditLines {
  /** The oldest first. */
  readonly lines: readonly AuditLine[];
  /** Lines that are no JSON, of those that were looked at. */
  readonly broken: number;
  /** Lines that could not be written for too long, as the log itself says. */
  readonly lost: number;
}

/**
 * The last lines that a filter admits, of the log and of what was put aside.
 * @throws the error of the file system
 */
export function readAudit(file: string, filter: AuditFilter, limit: number): AuditLines {
  const admits = admission(filter);
  const found: AuditLine[] = [];
  let broken = 0;
  let lost = 0;
  for (const part of partsOf(file)) {
    const texts = readFileSync(part, "utf8").split("\n");
    for (let at = texts.length - 1; at >= 0 && found.length < limit; at--) {
      const text = texts[at] as string;
      if (text === "") continue;
      const line = parse(text);
      if (!line) broken++;
      else if ("lost" in line) lost += line.lost;
      else if (admits(line, text)) found.push(line);
    }
    if (found.length >= limit) break;
  }
  return { lines: found.reverse(), broken, lost };
}

/** The log, then what was put aside, the newest first. */
function partsOf(file: string): readonly string[] {
  const parts: string[] = [];
  for (let number = 0; ; number++) {
    const part = number === 0 ? file : `${file}.${number}`;
    if (statSync(part, { throwIfNoEntry: false })) parts.push(part);
    else if (number > 0) return parts;
  }
}

/** How often a log that is followed is looked at, in milliseconds. */
const LOOK_MS = 200;

/**
 * Tells lines as they are written, from now on, until the signal fires; goes over to the next file where one is put aside.
 * @throws the error of the file system
 */
export async function followAudit(
  file: string,
  { filter, signal, tell }: { readonly filter: AuditFilter; readonly signal: AbortSignal; tell(line: AuditLine): void },
): Promise<void> {
  const admits = admission(filter);
  let at = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let ino = statSync(file, { throwIfNoEntry: false })?.ino;
  const read = (part: string): void => {
    const { text, end } = readFrom(part, at);
    at = end;
    for (const one of text.split("\n")) {
      const line = parse(one);
      if (line && !("lost" in line) && admits(line, one)) tell(line);
    }
  };
  while (!signal.aborted) {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there && ino !== undefined && there.ino !== ino) {
      // What was still written to the one before.
      if (statSync(`${file}.1`, { throwIfNoEntry: false })?.ino === ino) read(`${file}.1`);
      at = 0;
    }
    ino = there?.ino ?? ino;
    if (there && there.size > at) read(file);
    await setTimeout(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

function readFrom(file: string, at: number): { readonly text: string; readonly end: number } {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - at));
    const read = readSync(descriptor, bytes, 0, bytes.length, at);
    // Half a line is read again.
    const whole = bytes.subarray(0, read).lastIndexOf(10) + 1;
    return { text: bytes.toString("utf8", 0, whole), end: at + whole };
  } finally {
    closeSync(descriptor);
  }
}

function admission({ since, text, tool, agent, ...same }: AuditFilter): (line: AuditLine, text: string) => boolean {
  const wanted = Object.entries(same).filter(([, value]) => value !== undefined);
  const from = since === undefined ? undefined : new Date(since).toISOString();
  const part = text?.toLowerCase();
  return (line, whole) =>
    (from === undefined || line.time >= from) &&
    isNamed(line.tool, "tool", tool) &&
    isNamed(line.agent, "agent", agent) &&
    wanted.every(([name, value]) => line[name as keyof AuditLine] === value) &&
    (part === undefined || whole.toLowerCase().includes(part));
}

function isNamed(found: string | undefined, kind: string, wanted: string | undefined): boolean {
  return wanted === undefined || found === wanted || found === `${kind}.${wanted}`;
}

function parse(text: string): AuditLine | AuditGap | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
