import { lstat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { compareText } from "../diagnostics.ts";
import { fileError } from "../governance/file-errors.ts";
import { isToolError, ToolError } from "../sdk/errors.ts";
import type { SearchedFile, SearchFound, SearchQuery } from "../sdk/workspace-search.ts";
import { bytePath } from "./byte-paths.ts";
import { type Candidates, type Engine, findCandidates, type PreparedSearch } from "./candidates.ts";
import { readGlob } from "./glob-pattern.ts";
import { createMatcher, type Found } from "./matching.ts";
import { createPace, OutOfTime, type Pace } from "./pace.ts";
import { readFileText } from "./read-now.ts";
import { readRegex } from "./regex.ts";
import type { Candidate } from "./ripgrep.ts";
import { placePaths, type SearchPlace } from "./search-place.ts";
import { shownLines } from "./shown-lines.ts";

const MAX_RESULTS = 1_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const TIME_LIMIT_MS = 30_000;
/** So long may take what was found when the time was over. */
const TIME_TO_TELL_MS = 2_000;

/** See `WorkspaceSearch.search`. @param engine what finds the files; default: ripgrep, else the walk */
export async function searchFiles(place: SearchPlace, query: SearchQuery, engine?: Engine): Promise<SearchFound> {
  const { pattern, include, caseSensitive = true, multiline = false, includeHidden = false, signal } = query;
  const regex = readRegex(pattern, { ignoreCase: !caseSensitive, multiline });
  const glob =
    include === undefined
      ? undefined
      : readGlob(include, { hidden: includeHidden, anyDepth: true, pointer: "/include" });
  const found = await lstat(place.real).catch((error: unknown) => {
    throw fileError(error, place.shown);
  });
  const isFile = !found.isDirectory();
  const at = isFile ? { ...place, real: dirname(place.real) } : place;
  const search: PreparedSearch = {
    place: at,
    paths: placePaths(at),
    regex,
    matcher: createMatcher(regex),
    include: glob,
    hidden: includeHidden,
    ignored: query.includeIgnored ?? false,
    pace: createPace(signal, query.timeLimitMs ?? TIME_LIMIT_MS),
    signal,
  };
  const candidates = isFile ? await oneFile(place, search) : await findCandidates(search, engine);
  return await handOut(search, candidates, query);
}

/** The file that was named, which is searched whatever ignore files and globs say. */
async function oneFile({ real, shown }: SearchPlace, search: PreparedSearch): Promise<Candidates> {
  const path = bytePath(basename(real));
  const { place, paths, pace, matcher } = search;
  const read = await readFileText(paths.absolute(path), { pace, isClosed: (file) => place.isClosedFile(file) }).catch(
    (error: unknown) => {
      throw error instanceof Error && !("code" in error)
        ? new ToolError("INVALID_PARAM", `expected a regular file, found something else at ${shown}`, {
            pointer: "/path",
          })
        : fileError(error, shown);
    },
  );
  if (read.kind === "binary") throw new ToolError("BINARY_FILE", `expected text, found binary content in ${shown}`);
  if (read.kind === "large")
    throw new ToolError("TOO_LARGE", `${shown} is over 256 MiB`, { hint: "Search a part of it." });
  const matches = read.kind === "text" ? (await matcher.find(read.bytes, Number.POSITIVE_INFINITY, pace)).length : 0;
  const found = matches > 0 ? [{ path, matches }] : [];
  return { found, complete: true, unreadable: 0, engine: "built-in", reason: "a single file" };
}

/** What is told of the files that match: each is opened anew, so that nothing is told of what a link was swapped for. */
async function handOut(search: PreparedSearch, candidates: Candidates, query: SearchQuery): Promise<SearchFound> {
  const { want = "lines", maxResults = MAX_RESULTS } = query;
  const sorted = candidates.found
    .map((one) => ({ ...one, shown: search.paths.shown(one.path) }))
    .filter((one): one is ShownCandidate => one.shown !== undefined)
    // By bytes where two names that are not UTF-8 look the same.
    .sort((a, b) => compareText(a.shown, b.shown) || compareText(a.path, b.path));
  const files: SearchedFile[] = [];
  const cut = new Set<"results" | "output" | "time">(candidates.complete ? [] : ["time"]);
  const totals = { matches: 0, files: 0 };
  const pace = createPace(search.signal, Math.max(search.pace.left(), TIME_TO_TELL_MS));
  let late = false;
  let left = maxResults;
  let bytes = 0;
  for (const candidate of sorted) {
    let { matches } = candidate;
    if (cut.has("output") || left <= 0) cut.add(left <= 0 ? "results" : "output");
    else {
      const verified = late ? "late" : await verify(search, candidate, { query, left, pace });
      if (verified === "late") {
        late = true;
        cut.add("time");
      } else {
        if (verified.matches === 0) continue;
        matches = Math.max(matches, verified.matches);
        if (verified.whole) matches = verified.matches;
        const lines = want === "lines" ? verified.lines : [];
        bytes += candidate.shown.length + lines.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 8, 0);
        if (bytes > MAX_OUTPUT_BYTES) cut.add("output");
        else {
          files.push({ path: candidate.shown, matches, lines });
          left -= want === "lines" ? lines.filter(({ match }) => match).length : 1;
          if (verified.more) cut.add("results");
        }
      }
    }
    totals.matches += matches;
    totals.files++;
  }
  const { engine, reason, unreadable } = candidates;
  return { files, totals, cut: [...cut].sort(), unreadable, engine, ...(reason === undefined ? {} : { reason }) };
}

interface ShownCandidate extends Candidate {
  readonly shown: string;
}

interface Verified {
  readonly matches: number;
  /** Whether `matches` counts the whole file. */
  readonly whole: boolean;
  readonly lines: SearchedFile["lines"];
  /** Whether the file has more than may be handed out. */
  readonly more: boolean;
}

const NOTHING: Verified = { matches: 0, whole: true, lines: [], more: false };

async function verify(
  { place, paths, matcher }: PreparedSearch,
  { path }: Candidate,
  { query, left, pace }: { readonly query: SearchQuery; readonly left: number; readonly pace: Pace },
): Promise<Verified | "late"> {
  const { want = "lines", before = 0, after = 0 } = query;
  try {
    const read = await readFileText(paths.absolute(path), { pace, isClosed: (file) => place.isClosedFile(file) });
    if (read.kind !== "text") return NOTHING;
    const limit = want === "files" ? 1 : want === "counts" ? Number.POSITIVE_INFINITY : left + 1;
    const found: readonly Found[] = await matcher.find(read.bytes, limit, pace);
    const whole = found.length < limit;
    if (want !== "lines") return { matches: found.length, whole, lines: [], more: false };
    const { lines, complete } = shownLines(read.bytes, found, { before, after, limit: left });
    return { matches: found.length, whole, lines, more: !complete };
  } catch (error) {
    if (error instanceof OutOfTime) return "late";
    if (isToolError(error)) throw error;
    // It vanished, or something else lies there: there is nothing to tell.
    return NOTHING;
  }
}
