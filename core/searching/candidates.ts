import { isToolError } from "../sdk/errors.ts";
import type { BytePath } from "./byte-paths.ts";
import type { Glob } from "./glob-pattern.ts";
import { leftOutOfLinked } from "./linked-repositories.ts";
import type { Matcher } from "./matching.ts";
import { OutOfTime, type Pace } from "./pace.ts";
import { readFileText } from "./read-now.ts";
import type { Regex } from "./regex.ts";
import { askRipgrep, type Candidate } from "./ripgrep.ts";
import { findRipgrep } from "./ripgrep-program.ts";
import type { PlacePaths, SearchPlace } from "./search-place.ts";
import { walk } from "./walk.ts";

/** What finds the files in which something matches. */
export type Engine = "ripgrep" | "built-in";

/** A search that was read. */
export interface PreparedSearch {
  readonly place: SearchPlace;
  readonly paths: PlacePaths;
  readonly regex: Regex;
  readonly matcher: Matcher;
  readonly include: Glob | undefined;
  readonly hidden: boolean;
  readonly ignored: boolean;
  readonly pace: Pace;
  readonly signal: AbortSignal | undefined;
}

/** The files that match, in no order; of those that the call may not read some may be among them. */
export interface Candidates {
  readonly found: readonly Candidate[];
  /** Whether these are all; false: the time was over. */
  readonly complete: boolean;
  readonly unreadable: number;
  readonly engine: Engine;
  /** Why it was not ripgrep. */
  readonly reason?: string;
}

/**
 * Finds the files below a directory in which something matches: with ripgrep, and where that cannot be with a walk,
 * which finds the same.
 * @param engine the walk alone; default: ripgrep first
 * @throws ToolError the signal's reason
 */
export async function findCandidates(search: PreparedSearch, engine: Engine = "ripgrep"): Promise<Candidates> {
  if (engine === "built-in") return await walkFor(search, "it was asked for");
  const located = await findRipgrep();
  if ("failed" in located) return await walkFor(search, `ripgrep: ${located.failed}`);
  const { place, regex, hidden, ignored, include, pace, signal } = search;
  const names = include?.lastParts.filter((tokens) => tokens !== undefined) ?? [];
  const answer = await askRipgrep({
    program: located.program,
    directory: place.real,
    shown: place.shown,
    rust: regex.rust,
    spansLines: regex.spansLines,
    hidden: hidden || include?.namesHidden === true,
    ignored,
    names: names.length === include?.lastParts.length ? names : [],
    timeLimitMs: Math.max(1, pace.left()),
    signal,
  });
  if ("failed" in answer) return await walkFor(search, `ripgrep: ${answer.failed}`);
  const { complete, unreadable } = answer;
  const isLeftOut = ignored ? () => false : leftOutOfLinked(search.paths.top);
  const found = answer.found.filter(({ path }) => isIncluded(include, path) && !isLeftOut(path));
  return { found, complete, unreadable, engine };
}

function isIncluded(include: Glob | undefined, path: BytePath): boolean {
  if (!include) return true;
  const { automaton } = include;
  return automaton.matchesAtEnd(automaton.advance(automaton.start(), path));
}

async function walkFor(search: PreparedSearch, reason: string): Promise<Candidates> {
  const { paths, include, pace, hidden, ignored } = search;
  const files: BytePath[] = [];
  const { top, isClosed } = paths;
  const options = {
    top,
    filter: include?.automaton,
    hidden: hidden || include?.namesHidden === true,
    ignored,
    isClosed,
    pace,
  };
  const walked = await walk(options, ({ path, type }) => {
    if (type === "file" && !isClosed(path)) files.push(path);
  });
  const found: Candidate[] = [];
  let { complete, unreadable } = walked;
  try {
    for (const path of files) {
      const matches = await countIn(path, search).catch((error: unknown) => {
        if (error instanceof OutOfTime || isToolError(error)) throw error;
        const { code } = error as NodeJS.ErrnoException;
        if (code === "EACCES" || code === "EPERM") unreadable++;
        return 0;
      });
      if (matches > 0) found.push({ path, matches });
      if (pace.due()) await pace.check();
    }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    complete = false;
  }
  return { found, complete, unreadable, engine: "built-in", reason };
}

async function countIn(path: BytePath, { place, paths, matcher, pace }: PreparedSearch): Promise<number> {
  const read = await readFileText(paths.absolute(path), { pace, isClosed: (found) => place.isClosedFile(found) });
  if (read.kind !== "text") return 0;
  return (await matcher.find(read.bytes, Number.POSITIVE_INFINITY, pace)).length;
}
