import { closeSync, fstatSync, mkdirSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { AuditEntry } from "./audit-line.ts";
import { createLineWriter } from "./log.ts";
import { atExit } from "./process-exit.ts";

/** The audit log of one host. */
export interface AuditLog {
  /** Takes a line, which is on the disk a moment later. Never throws. */
  note(entry: AuditEntry): void;
  /** Writes what is still in memory. */
  flush(): void;
  close(): void;
}

/** What {@link createAuditLog} takes. */
export interface AuditLogOptions {
  /** Absolute; appended to. Older files stand beside it, with `.1` (the newest) and so on behind the name. */
  readonly file: string;
  /** A file that would grow beyond this is put aside, in bytes. */
  readonly maxBytes: number;
  /** So many older files are kept. */
  readonly keep: number;
  /** Is told once while nothing can be written; calls go on. */
  report(item: Diagnostic): void;
}

/** So many characters are written at once. */
const FLUSH_LENGTH = 16 * 1024;
const FLUSH_AFTER_MS = 1_000;
/** What cannot be written is kept, up to so many characters; what came first goes first. */
const MOST_KEPT = 1024 * 1024;

/** Opens nothing yet: the file, and what makes lines, come with the first entry. */
export function createAuditLog({ file, maxBytes, keep, report }: AuditLogOptions): AuditLog {
  let text = "";
  let lost = 0;
  let failing = false;
  let descriptor: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let release: (() => void) | undefined;
  let write: ((line: object) => void) | undefined;

  const take = (line: string): void => {
    text += line;
    if (text.length > MOST_KEPT) letGo();
  };
  /** Half of it at once: little by little would cost every call. */
  const letGo = (): void => {
    const at = text.indexOf("\n", MOST_KEPT / 2) + 1;
    lost += text.slice(0, at).split("\n").length - 1;
    text = text.slice(at);
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (text === "") return;
    try {
      const open = openFor(text.length);
      descriptor = open;
      const gap = lost;
      lost = 0;
      if (gap > 0) write?.({ lost: gap });
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(open, bytes, at);
      text = "";
      failing = false;
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error: unknown): void => {
    shut();
    if (!failing) {
      const message = `the audit log cannot be written: ${error instanceof Error ? error.message : String(error)}`;
      const hint = "Make room, or set audit.file in usr/settings.yaml. What was decided meanwhile is kept for a while.";
      report(diagnostic("AUDIT_UNWRITABLE", { file, message, hint }));
    }
    failing = true;
  };
  const shut = (): void => {
    const open = descriptor;
    descriptor = undefined;
    try {
      if (open !== undefined) closeSync(open);
    } catch {
      // It is of no use any more, closed or not.
    }
  };
  /** The file that so many bytes go to; another process may have put it aside, or somebody taken it away. */
  const openFor = (more: number): number => {
    if (descriptor !== undefined && !isStill(file, descriptor)) shut();
    const open = descriptor ?? openLog(file);
    const { size } = fstatSync(open);
    if (size === 0 || size + more <= maxBytes) return open;
    descriptor = open;
    shut();
    putAside(file, keep);
    return openLog(file);
  };

  return {
    note(entry) {
      try {
        if (!write) {
          write = createLineWriter(take);
          release = atExit(flush);
        }
        write(entry);
        if (text.length >= FLUSH_LENGTH && !failing) flush();
        timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
      } catch (error) {
        fail(error);
      }
    },
    flush,
    close() {
      flush();
      release?.();
      shut();
    },
  };
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  return openSync(file, "a", 0o600);
}

function isStill(file: string, descriptor: number): boolean {
  const there = statSync(file, { throwIfNoEntry: false });
  return there !== undefined && there.ino === fstatSync(descriptor).ino;
}

/** The oldest one goes. */
function putAside(file: string, keep: number): void {
  for (let number = keep; number > 0; number--) {
    const from = number === 1 ? file : `${file}.${number - 1}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${number}`);
  }
}
