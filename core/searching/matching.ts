import { kindBefore } from "./alphabet.ts";
import { type Automaton, createAutomaton, type Run } from "./automaton.ts";
import type { Pace } from "./pace.ts";
import { firstMatch } from "./pike.ts";
import type { Regex } from "./regex.ts";

const NEWLINE = 10;
/** So many bytes are read between two looks at the clock. */
const STRIDE = 1024 * 1024;

/** A place in a file that matches, in bytes. */
export interface Found {
  /** Of the match; where matches lie within lines, of the line. */
  readonly start: number;
  /** Behind it, the line feed not counted. */
  readonly end: number;
  /** Somewhere in what matched: what to show of a line that is too long. */
  readonly at: number;
}

/** Looks for a regular expression in the bytes of files. */
export interface Matcher {
  /**
   * Finds the lines that match or, where the expression spans lines, the matches; in order, none twice.
   * @param limit it stops behind so many
   * @throws OutOfTime; ToolError the signal's reason
   */
  find(bytes: Uint8Array, limit: number, pace: Pace): Promise<readonly Found[]>;
}

export function createMatcher(regex: Regex): Matcher {
  const automaton = createAutomaton(regex.program, { anywhere: true });
  const needle = Buffer.from(regex.needle, "utf8");
  return {
    find: async (bytes, limit, pace) =>
      regex.spansLines
        ? await findSpans(regex, automaton, { bytes, limit, pace })
        : await findLines(automaton, needle, { bytes, limit, pace }),
  };
}

interface Search {
  readonly bytes: Uint8Array;
  readonly limit: number;
  readonly pace: Pace;
}

async function findLines(
  automaton: Automaton,
  needle: Buffer,
  { bytes, limit, pace }: Search,
): Promise<readonly Found[]> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const found: Found[] = [];
  for (let at = 0; at < text.length && found.length < limit; ) {
    // A line that can match holds the needle: all before it are passed over.
    const place = needle.length > 1 ? text.indexOf(needle, at) : at;
    if (place < 0) break;
    const begin = text.lastIndexOf(NEWLINE, place - 1) + 1;
    const from = place === 0 ? 0 : begin;
    const feed = needle.length > 1 ? text.indexOf(NEWLINE, place) : -1;
    const end = feed < 0 ? text.length : feed + 1;
    const match = await seek(automaton, { bytes: text, from, end, pace });
    if (!match) {
      at = end;
      continue;
    }
    const start = match.at === 0 ? 0 : text.lastIndexOf(NEWLINE, match.at - 1) + 1;
    const lineFeed = text.indexOf(NEWLINE, match.at);
    const lineEnd = lineFeed < 0 ? text.length : lineFeed;
    // Behind the last line feed there is no line.
    if (start < text.length) found.push({ start, end: lineEnd, at: match.at });
    at = lineEnd + 1;
    if (pace.due()) await pace.check();
  }
  return found;
}

async function findSpans(
  regex: Regex,
  automaton: Automaton,
  { bytes, limit, pace }: Search,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < bytes.length && found.length < limit; ) {
    const match = await seek(automaton, { bytes, from, end: bytes.length, pace });
    const span = match && (await firstMatch(regex.program, automaton.alphabet, { bytes, from: match.fresh, pace }));
    if (!span) break;
    found.push({ ...span, at: span.start });
    from = span.end;
  }
  return found;
}

interface Stretch {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly end: number;
  readonly pace: Pace;
}

/** Where the first match ends that ends first; undefined: there is none. */
async function seek(automaton: Automaton, { bytes, from, end, pace }: Stretch): Promise<Run | undefined> {
  const run: Run = { at: from, state: automaton.start(kindBefore(bytes, from)), matched: false, fresh: from };
  while (run.at < end) {
    automaton.run(bytes, run, Math.min(end, run.at + STRIDE));
    if (run.matched) return run;
    if (pace.due()) await pace.check();
  }
  return run.at >= bytes.length && automaton.matchesAtEnd(run.state) ? run : undefined;
}
