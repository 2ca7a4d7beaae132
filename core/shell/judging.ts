import type { RiskLevel } from "../sdk/risk-level.ts";
import type { CommandLists } from "./command-lists.ts";
import type { Directories, Whereabouts } from "./directories.ts";
import type { PathChecks } from "./path-checks.ts";
import type { Refusal } from "./refusal.ts";
import type { RepositoryChecks } from "./repositories.ts";
import type { Word } from "./tree.ts";

/** How a command stands in the text. */
export interface Standing {
  readonly directories: Directories;
  /** A text for the input of another command stands before it. */
  readonly behindHeredoc: boolean;
  /** How many commands run it, one inside the other. */
  readonly depth: number;
}

/** One command line while it is judged. */
export interface Judging {
  readonly lists: CommandLists;
  readonly checks: PathChecks;
  readonly repositories: RepositoryChecks;
  /** Judges the text that a command hands to a shell. */
  judgeText(words: readonly Word[], standing: Standing): Whereabouts;
  readonly level: RiskLevel;
  readonly reasons: readonly string[];
  readonly refusal: Refusal | undefined;
  /** It is at least of this level. */
  raise(level: RiskLevel, reason: string): void;
  /** It may not run. The first that is said counts. */
  refuse(refusal: Refusal): void;
}

const LEVELS: readonly RiskLevel[] = ["low", "medium", "high"];

/** More of them say nothing more. */
const MAX_REASONS = 12;

export function createJudging(
  parts: Pick<Judging, "lists" | "checks" | "repositories"> & {
    readonly judgeText: (words: readonly Word[], standing: Standing, judging: Judging) => Whereabouts;
  },
): Judging {
  let level: RiskLevel = "low";
  let refusal: Refusal | undefined;
  const reasons: Record<RiskLevel, Set<string>> = { low: new Set(), medium: new Set(), high: new Set() };
  const judging: Judging = {
    ...parts,
    judgeText: (words, standing) => parts.judgeText(words, standing, judging),
    get level() {
      return level;
    },
    // What made the level: what is below it would be read as if it did.
    get reasons() {
      if (level === "low") return ["all of its commands are on low_risk_commands"];
      return [...reasons[level]].slice(0, MAX_REASONS);
    },
    get refusal() {
      return refusal;
    },
    raise(next, reason) {
      reasons[next].add(reason);
      if (LEVELS.indexOf(next) > LEVELS.indexOf(level)) level = next;
    },
    refuse(next) {
      refusal ??= next;
    },
  };
  return judging;
}
