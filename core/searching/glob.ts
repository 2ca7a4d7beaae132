import { lstat } from "node:fs/promises";
import { compareText } from "../diagnostics.ts";
import { fileError } from "../governance/file-errors.ts";
import { ToolError } from "../sdk/errors.ts";
import type { GlobFound, GlobQuery } from "../sdk/workspace-search.ts";
import { type BytePath, textOfPath } from "./byte-paths.ts";
import { readGlob } from "./glob-pattern.ts";
import { createPace } from "./pace.ts";
import { type PlacePaths, placePaths, type SearchPlace } from "./search-place.ts";
import { type Visited, walk } from "./walk.ts";

const MAX_RESULTS = 1_000;
const TIME_LIMIT_MS = 30_000;

/** See `WorkspaceSearch.glob`. */
export async function findPaths(place: SearchPlace, query: GlobQuery): Promise<GlobFound> {
  const { pattern, includeHidden = false, includeIgnored = false, maxResults = MAX_RESULTS, signal } = query;
  const glob = readGlob(pattern, { hidden: includeHidden, pointer: "/pattern" });
  await requireDirectory(place);
  const paths = placePaths(place);
  const pace = createPace(signal, query.timeLimitMs ?? TIME_LIMIT_MS);
  const wanted = glob.directories ? "directory" : "file";
  const found: string[] = [];
  const links: BytePath[] = [];
  const { top, isClosed } = paths;
  const options = { top, filter: glob.automaton, hidden: true, ignored: includeIgnored, isClosed, pace };
  const take = (path: BytePath): void => {
    const shown = paths.shown(path);
    if (shown !== undefined) found.push(shown);
  };
  const { complete, unreadable } = await walk(options, ({ path, type }: Visited) => {
    if (type === "link") links.push(path);
    else if (type === wanted) take(path);
  });
  for (const link of links) if (await leadsTo(wanted, link, { place, paths })) take(link);
  found.sort(compareText);
  const cut = [...(found.length > maxResults ? ["results" as const] : []), ...(complete ? [] : ["time" as const])];
  return { paths: found.slice(0, maxResults), total: found.length, cut, unreadable };
}

/** @throws ToolError INVALID_PARAM for a file; NOT_FOUND, PERMISSION_DENIED */
async function requireDirectory({ real, shown }: SearchPlace): Promise<void> {
  const found = await lstat(real).catch((error: unknown) => {
    throw fileError(error, shown);
  });
  if (found.isDirectory()) return;
  throw new ToolError("INVALID_PARAM", `expected a directory, found a file at ${shown}`, {
    pointer: "/path",
    hint: "Give the directory that holds it.",
  });
}

/** A link is told of where what it leads to may be, and is what was asked for. */
async function leadsTo(
  wanted: "file" | "directory",
  link: BytePath,
  { place, paths }: { readonly place: SearchPlace; readonly paths: PlacePaths },
): Promise<boolean> {
  const target = await place.follow(textOfPath(paths.absolute(link)));
  const found = target === undefined ? undefined : await lstat(target).catch(() => undefined);
  return wanted === "file" ? found?.isFile() === true : found?.isDirectory() === true;
}
