import { readdirSync } from "node:fs";
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
}

/** @param directory where a relative pattern is taken from */
export function patternPaths(pattern: string, directory: string): PatternPaths {
  const steps = pattern.split("/");
  const first = steps.findIndex(isPattern);
  if (first === -1) return { before: pattern, links: [] };
  const before = steps.slice(0, first).join("/") || (pattern.startsWith("/") ? "/" : ".");
  const rest = steps.slice(first);
  if (rest.includes("..")) return { before, fault: "goes up behind a pattern", links: [] };
  if (rest.some((step) => isPattern(step) && step.startsWith(".") && expressionOf(step).test(".."))) {
    return { before, fault: "means the directory above as well in some shells", links: [] };
  }
  return { before, links: linksOf({ before, rest, directory }) };
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
}): string[] {
  const links: string[] = [];
  let left = MAX_ENTRIES;
  let places = [before];
  for (const step of rest) {
    const next: string[] = [];
    const expression = isPattern(step) ? expressionOf(step) : undefined;
    for (const place of places) {
      if (left <= 0) break;
      if (!expression) {
        next.push(join(place, step));
        continue;
      }
      for (const entry of entriesOf(place, directory)) {
        left--;
        if (!expression.test(entry.name) || (entry.name.startsWith(".") && !step.startsWith("."))) continue;
        const path = join(place, entry.name);
        if (entry.isSymbolicLink()) links.push(path);
        else if (entry.isDirectory()) next.push(path);
      }
    }
    places = next;
  }
  return links;
}

function entriesOf(place: string, directory: string) {
  try {
    return readdirSync(place.startsWith("/") ? place : join(directory, place), { withFileTypes: true });
  } catch {
    // What cannot be listed is not expanded by the shell either.
    return [];
  }
}

/** As the shell reads one step; a class that is not understood means any character. */
function expressionOf(step: string): RegExp {
  const source = step.replace(/\[(?:[^\]]|\[:\w+:\])*\]|[\s\S]/gu, (part) => {
    if (part === "*") return "[\\s\\S]*";
    if (part === "?" || part.length > 1) return "[\\s\\S]";
    return part.replace(/[\\^$.*+?()[\]{}|/-]/gu, "\\$&");
  });
  return new RegExp(`^${source}$`, "u");
}
