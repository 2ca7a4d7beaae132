import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { StandingApproval } from "../sdk/approval.ts";
import { approvalLine, readApprovalLine, revokedLine } from "./approval-lines.ts";

/** The approvals of one root that hold for more than one call, in a file that all processes of the root share. */
export interface StandingApprovals {
  /** Those that hold now, the oldest first. What cannot be read approves nothing. */
  list(): readonly StandingApproval[];
  /** @returns whether it is written, and so holds */
  add(approval: StandingApproval): boolean;
  /** @returns the ids of those that held and hold no longer; undefined where that could not be written */
  revoke(ids: readonly string[] | "all"): readonly string[] | undefined;
}

/** What {@link openStandingApprovals} takes. */
export interface StandingApprovalsOptions {
  /** Absolute; it is made with the first approval. */
  readonly file: string;
  /** As messages name it. */
  readonly shown: string;
  now(): Date;
  report(item: Diagnostic): void;
}

/**
 * Each change is one line that is appended, so two processes never write over each other: an approval, or the id of one
 * that is revoked. A damaged line may have revoked anything before it: nothing before it counts.
 */
export function openStandingApprovals({ file, shown, now, report }: StandingApprovalsOptions): StandingApprovals {
  let told: string | undefined;
  const tell = (item: Diagnostic | undefined): void => {
    if (item && told !== item.message) report(item);
    told = item?.message;
  };
  const all = (): readonly StandingApproval[] => {
    const read = readApprovals(file, shown);
    tell(read.fault);
    return read.approvals;
  };
  const list = (): readonly StandingApproval[] => {
    const at = now().toISOString();
    return all().filter(({ expires }) => expires === undefined || expires > at);
  };
  const write = (work: () => void): boolean => {
    try {
      mkdirSync(dirname(file), { recursive: true });
      work();
      return true;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      const message = `expected a file for approvals that can be written, found ${code}`;
      report(diagnostic("APPROVALS_UNWRITABLE", { file: shown, message, hint: "What was approved counts once." }));
      return false;
    }
  };
  return {
    list,
    add: (approval) => write(() => append(file, approvalLine(approval))),
    revoke(ids) {
      const held = list().map(({ id }) => id);
      if (ids === "all") return write(() => replace(file, "")) ? held : undefined;
      const revoked = ids.filter((id) => held.includes(id));
      const done = revoked.every((id) => write(() => append(file, revokedLine(id))));
      return done ? revoked : undefined;
    },
  };
}

function append(file: string, line: string): void {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(file, flags, MODE);
  try {
    fchmodSync(descriptor, MODE);
    // Whoever was cut short while he wrote left half a line, which must not take this one along.
    appendFileSync(descriptor, `\n${line}\n`);
  } finally {
    closeSync(descriptor);
  }
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: MODE });
  renameSync(temporary, file);
}

const MODE = 0o600;
/** Others may write. */
const FOREIGN = 0o022;

interface ReadApprovals {
  readonly approvals: readonly StandingApproval[];
  readonly fault?: Diagnostic;
}

function readApprovals(file: string, shown: string): ReadApprovals {
  const invalid = (message: string, line?: number): Diagnostic =>
    diagnostic("APPROVALS_INVALID", {
      file: shown,
      ...(line === undefined ? {} : { line }),
      message,
      hint: "`toolroom approvals revoke --all` begins a new one.",
    });
  let text: string;
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const { mode } = fstatSync(descriptor);
      if (process.platform !== "win32" && (mode & FOREIGN) !== 0) {
        const found = (mode & 0o777).toString(8);
        return { approvals: [], fault: invalid(`expected a file that only its owner can write (600), found ${found}`) };
      }
      text = readFileSync(descriptor, "utf8");
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return { approvals: [] };
    return { approvals: [], fault: invalid(`expected a file of approvals, found ${code ?? String(error)}`) };
  }
  const held = new Map<string, StandingApproval>();
  let fault: Diagnostic | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const read = readApprovalLine(line);
    if ("fault" in read) {
      held.clear();
      fault = invalid(`${read.fault}; nothing up to this line counts`, index + 1);
    } else if ("revoked" in read) held.delete(read.revoked);
    else held.set(read.approval.id, read.approval);
  }
  return { approvals: [...held.values()], ...(fault ? { fault } : {}) };
}
