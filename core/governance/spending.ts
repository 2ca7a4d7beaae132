import { join } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Usage } from "../sdk/events.ts";
import { type LineFile, openLineFile } from "./line-file.ts";

/** What one question to a model has cost. */
export interface Expense {
  /** `provider/model`. */
  readonly model: string;
  readonly usage: Usage;
  readonly cost: number;
  /** The reply was not read to its end: the tokens are estimated. */
  readonly estimated?: boolean;
}

/** What was spent in the day and the month (UTC) that it is now. */
export interface Spent {
  readonly day: number;
  readonly month: number;
}

/** What all processes of a root have spent on models, kept in its state directory. */
export interface Spending {
  /** @throws the error of the file system where it cannot be known */
  spent(): Spent;
  /** Writes it down. What cannot be written counts for this process. */
  add(expense: Expense): void;
}

/** What {@link createSpending} takes. */
export interface SpendingOptions {
  /** The state directory of the root. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How a file is named in messages. */
  display(file: string): string;
  report(item: Diagnostic): void;
}

/** One file a month, to which every process appends: a line for each question, so two that write at once lose nothing. */
export function createSpending({ state, now, display, report }: SpendingOptions): Spending {
  let book: Book | undefined;
  const current = (): Book => {
    const month = new Date(now()).toISOString().slice(0, 7);
    if (book?.month !== month) {
      const file = join(state, "spending", `${month}.jsonl`);
      book = { month, file, lines: openLineFile(file), days: new Map(), unsaved: new Map(), isTold: false };
    }
    return book;
  };
  const tell = (at: Book, message: string, hint: string): void => {
    if (!at.isTold) report(diagnostic("SPENDING_UNSOUND", { file: display(at.file), message, hint }));
    at.isTold = true;
  };
  return {
    spent() {
      const at = current();
      const damaged = readOn(at);
      if (damaged > 0) {
        const message = `${damaged === 1 ? "a line" : `${damaged} lines`} of what was spent could not be read`;
        tell(at, message, "What they held does not count.");
      }
      const day = dayOf(now());
      const all = [...at.days, ...at.unsaved];
      const sum = (parts: typeof all) => parts.reduce((total, [, cost]) => total + cost, 0);
      return { day: sum(all.filter(([of]) => of === day)), month: sum(all) };
    },
    add({ model, usage, cost, estimated }) {
      const at = current();
      const time = new Date(now()).toISOString();
      const line = { at: time, model, ...usage, cost, ...(estimated ? { estimated } : {}) };
      try {
        at.lines.append(line);
      } catch (error) {
        const day = dayOf(now());
        at.unsaved.set(day, (at.unsaved.get(day) ?? 0) + cost);
        const message = `what was spent cannot be written down: ${error instanceof Error ? error.message : String(error)}`;
        tell(at, message, "It counts for this process only. Make the file writable.");
      }
    },
  };
}

/** One month, as far as it was read. */
interface Book {
  readonly month: string;
  readonly file: string;
  readonly lines: LineFile;
  /** Costs by day. */
  readonly days: Map<string, number>;
  readonly unsaved: Map<string, number>;
  isTold: boolean;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Reads what came since the last time. @returns how many lines could not be read */
function readOn(book: Book): number {
  const { lines, isNew } = book.lines.readOn();
  if (isNew) book.days.clear();
  return lines.filter((line) => !take(line, book)).length;
}

/** @returns false where the line is not one of ours */
function take(line: string, { days }: Book): boolean {
  try {
    const { at, cost } = JSON.parse(line) as { at?: unknown; cost?: unknown };
    if (typeof at !== "string" || typeof cost !== "number" || !(cost >= 0)) return false;
    const day = at.slice(0, 10);
    days.set(day, (days.get(day) ?? 0) + cost);
    return true;
  } catch {
    return false;
  }
}
