import { type Dir, type Dirent, opendirSync } from "node:fs";
import { join } from "node:path";

/** More than this is not looked at. */
const MAX_ENTRIES = 5_000;

/** What a pattern of file names may lead to. */
export interface PatternPaths {
  /** The part in front of the first step with a pattern; `.` where there is none. */
  readonly before: string;
  /** Why nobody can say where it leads. */
  readonly fault?: string;
  /** Links that it means now, relative or absolute as the pattern is. */
  readonly links: readonly string[];
  /** Those of them behind which it goes on. */
  readonly through: readonly string[];
}

const NO_LINKS = { links: [], through: [] } as const;

/** @param directory where a relative pattern is taken from */
export function patternPaths(pattern: string, directory: string): PatternPaths {
  const steps = pattern.split("/");
  const first = steps.findIndex(isPattern);
  if (first === -1) return { before: pattern, ...NO_LINKS };
  const before = steps.slice(0, first).join("/") || (pattern.startsWith("/") ? "/" : ".");
  const rest = steps.slice(first);
  if (rest.includes("..")) return { before, fault: "goes up behind a pattern", ...NO_LINKS };
  if (rest.some((step) => isPattern(step) && step.startsWith(".") && matches(step, ".."))) {
    return { before, fault: "means the directory above as well in some shells", ...NO_LINKS };
  }
  return { before, ...linksOf({ before, rest, directory }) };
}

function isPattern(step: string): boolean {
  return /[*?[]/u.test(step);
}

function linksOf({
  before,
  rest,
  directory,
}: {
  before: string;
  rest: readonly string[];
  directory: string;
}): Pick<PatternPaths, "links" | "through"> {
  const links: string[] = [];
  const through: string[] = [];
  const budget = { left: MAX_ENTRIES };
  let places = [before];
  for (const [index, step] of rest.entries()) {
    if (!isPattern(step)) {
      places = places.map((place) => join(place, step));
      continue;
    }
    const found = places.flatMap((place) =>
      entriesOf(place.startsWith("/") ? place : join(directory, place), budget)
        .filter(({ name }) => matches(step, name) && (step.startsWith(".") || !name.startsWith(".")))
        .map((entry) => ({ path: join(place, entry.name), entry })),
    );
    const linked = found.filter(({ entry }) => entry.isSymbolicLink()).map(({ path }) => path);
    links.push(...linked);
    if (index < rest.length - 1) through.push(...linked);
    places = found.filter(({ entry }) => entry.isDirectory()).map(({ path }) => path);
  }
  return { links, through };
}

/** The entries of a directory, as many as may still be looked at. */
function entriesOf(path: string, budget: { left: number }): Dirent[] {
  const entries: Dirent[] = [];
  let directory: Dir;
  try {
    directory = opendirSync(path);
  } catch {
    // What cannot be listed is not expanded by the shell either.
    return entries;
  }
  try {
    for (let entry = directory.readSync(); entry && budget.left > 0; entry = directory.readSync()) {
      budget.left--;
      entries.push(entry);
    }
  } finally {
    directory.closeSync();
  }
  return entries;
}

/**
 * Whether one step of a pattern means a name; a class that is written in brackets means any character. Each `*` gives back what
 * it took once only, so that no pattern takes long.
 */
function matches(step: string, name: string): boolean {
  const signs = step.match(/\[(?:\[:\w+:\]|[^\]])+\]|[\s\S]/gu) ?? [];
  let [at, from] = [0, 0];
  let star: { readonly sign: number; taken: number } | undefined;
  while (from < name.length) {
    const sign = signs[at];
    if (sign === "*") star = { sign: at++, taken: from };
    else if (sign !== undefined && (sign === "?" || sign.length > 1 || sign === name[from])) {
      at++;
      from++;
    } else if (star) {
      at = star.sign + 1;
      from = ++star.taken;
    } else return false;
  }
  return signs.slice(at).every((sign) => sign === "*");
}
