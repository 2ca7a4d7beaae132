import { randomUUID } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type LineFile, openLineFile } from "./line-file.ts";

/** How far back calls count. */
export const WINDOW_MS = 3_600_000;

/** So many calls of one kind are allowed in any {@link WINDOW_MS}. */
export interface ActionLimit {
  /** Whose calls count together. */
  readonly key: string;
  /** 0: none at all. */
  readonly max: number;
}

/** A call that was counted beforehand. */
export interface Reservation {
  /** It did not run: it does not count. */
  release(): void;
}

/** A limit that leaves no room for one more call. */
export interface UsedUp<Limit extends ActionLimit> {
  readonly limit: Limit;
  /** Calls of the window. */
  readonly used: number;
  /** When the next one is possible, in milliseconds since 1970; undefined: never. */
  readonly nextAt: number | undefined;
}

/** Counts calls over the last hour, those of all processes of a root. A call counts until it is an hour old, or released. */
export interface ActionWindow {
  /** Counts a call against all limits, or against none of them: then the one that keeps it waiting longest is told. */
  reserve<Limit extends ActionLimit>(limits: readonly Limit[]): Reservation | UsedUp<Limit>;
  /** How many calls count now. */
  used(key: string): number;
}

/** What {@link createActionWindow} takes. */
export interface ActionWindowOptions {
  /** The state directory of the root. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told that calls of other processes do not count, because the files cannot be read or written. */
  unsound(file: string, error: unknown): void;
}

/** A call that was counted, as a line of its file; one that is released has a second line. */
type Line =
  | { readonly id: string; readonly at: number; readonly keys: readonly string[] }
  | { readonly released: string };

/**
 * Every process writes down a call first and looks at the calls before it afterwards, so of two that come at once for the
 * last place the one whose line stands first has it. A file holds one hour, so two of them are the window.
 */
export function createActionWindow({ state, now, unsound }: ActionWindowOptions): ActionWindow {
  const directory = join(state, "actions");
  const hours = new Map<number, Hour>();
  let isSound = true;
  const fail = (error: unknown): void => {
    if (isSound) unsound(directory, error);
    isSound = false;
  };
  const hourAt = (number: number): Hour => {
    const known = hours.get(number);
    if (known) return known;
    const name = `${new Date(number * WINDOW_MS).toISOString().slice(0, 13)}.jsonl`;
    const hour = { lines: openLineFile(join(directory, name)), calls: new Map() };
    hours.set(number, hour);
    for (const old of hours.keys()) if (old < number - 1) hours.delete(old);
    return hour;
  };
  const current = (): readonly [before: Hour, now: Hour] => {
    const number = Math.floor(now() / WINDOW_MS);
    const both = [hourAt(number - 1), hourAt(number)] as const;
    try {
      if (isSound) for (const hour of both) readOn(hour);
    } catch (error) {
      fail(error);
    }
    return both;
  };
  const write = ({ lines }: Hour, line: Line): void => {
    try {
      if (isSound) lines.append(line);
    } catch (error) {
      fail(error);
    }
  };
  /** The times of the calls that count, oldest first. @param before only those that stand before this one */
  const times = (key: string, both: readonly Hour[], before?: string): readonly number[] => {
    const from = now() - WINDOW_MS;
    const found: number[] = [];
    for (const { calls } of both) {
      for (const [id, { at, keys }] of calls) {
        if (id === before) return found;
        if (at > from && keys.includes(key)) found.push(at);
      }
    }
    return found;
  };
  const fullest = <Limit extends ActionLimit>(limits: readonly Limit[], both: readonly Hour[], before?: string) => {
    const full = limits
      .map((limit) => ({ limit, found: times(limit.key, both, before) }))
      .filter(({ limit, found }) => found.length >= limit.max)
      .map(({ limit, found }) => ({ limit, used: found.length, nextAt: nextAt(found, limit.max) }));
    return full.length === 0 ? undefined : full.reduce((a, b) => (isLater(b.nextAt, a.nextAt) ? b : a));
  };
  return {
    reserve(limits) {
      const known = current();
      const full = fullest(limits, known);
      if (full) return full;
      const hour = known[1];
      if (hour.calls.size === 0) removeOld(directory, Math.floor(now() / WINDOW_MS) - 1);
      const line = { id: randomUUID(), at: now(), keys: limits.map(({ key }) => key) };
      const release = (): void => {
        write(hour, { released: line.id });
        hour.calls.delete(line.id);
      };
      write(hour, line);
      const both = current();
      // Where it could not be written, or is not to be read, it counts here all the same.
      if (!hour.calls.has(line.id)) hour.calls.set(line.id, line);
      const first = fullest(limits, both, line.id);
      if (!first) return { release };
      release();
      return first;
    },
    used: (key) => times(key, current()).length,
  };
}

/** The calls of one hour, as far as they were read, in the order of their lines. */
interface Hour {
  readonly lines: LineFile;
  readonly calls: Map<string, Extract<Line, { id: string }>>;
}

function readOn({ lines: file, calls }: Hour): void {
  for (const text of file.readOn().lines) {
    const line = parse(text);
    if (line && "released" in line) calls.delete(line.released);
    else if (line) calls.set(line.id, line);
  }
}

/** @returns undefined for what is none of ours: half a line of a process that died */
function parse(text: string): Line | undefined {
  try {
    const line = JSON.parse(text);
    if (typeof line?.released === "string") return line;
    return typeof line?.id === "string" && typeof line.at === "number" && Array.isArray(line.keys) ? line : undefined;
  } catch {
    return undefined;
  }
}

/** Hours that no window reaches any more. That they cannot be removed harms nobody. */
function removeOld(directory: string, oldest: number): void {
  const first = `${new Date(oldest * WINDOW_MS).toISOString().slice(0, 13)}.jsonl`;
  try {
    for (const name of readdirSync(directory).sort()) {
      if (name < first && name.endsWith(".jsonl")) rmSync(join(directory, name), { force: true });
    }
  } catch {
    // It is not there yet.
  }
}

/** When so many of them have gone that there is room for one. */
function nextAt(times: readonly number[], max: number): number | undefined {
  const last = max === 0 ? undefined : times[times.length - max];
  return last === undefined ? undefined : last + WINDOW_MS;
}

function isLater(a: number | undefined, b: number | undefined): boolean {
  return a === undefined || (b !== undefined && a > b);
}
