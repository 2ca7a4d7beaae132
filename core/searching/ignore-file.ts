import { type Automaton, createAutomaton, type State } from "./automaton.ts";
import { expandBraces } from "./braces.ts";
import type { BytePath } from "./byte-paths.ts";
import { BrokenGlob, directoriesTree, nameTree, readSegment, segmentTree } from "./glob-segments.ts";
import { choice, literal, type PatternTree, sequence } from "./pattern-tree.ts";
import { compileProgram, PatternTooBig } from "./program.ts";

const SLASH = 47;
/** Ignore files are the work of people: one with more instructions is not read. */
const MAX_INSTRUCTIONS = 400_000;

/** What an ignore file says, read for paths relative to the directory that it lies in. */
export interface IgnoreFile {
  readonly start: State;
  readonly automaton: Automaton;
  /**
   * Whether the path that led to a state is left out (`true`), taken back in (`false`), or not spoken of: the last
   * line that matches decides.
   */
  verdict(state: State, isDirectory: boolean): boolean | undefined;
}

interface Line {
  readonly negated: boolean;
  readonly directoriesOnly: boolean;
  readonly tree: PatternTree;
}

/**
 * Reads the text of a `.gitignore`, byte by byte, as gitignore(5) says. `{a,b}` stands for alternatives, as ripgrep
 * reads it.
 * @returns undefined where nothing in it can match
 */
export function readIgnoreFile(text: BytePath): IgnoreFile | undefined {
  const lines = text
    .replace(/^\u00ef\u00bb\u00bf/u, "")
    .split("\n")
    .map(readLine)
    .filter((line) => line !== undefined);
  if (lines.length === 0) return undefined;
  const automaton = compile(lines.map(({ tree }) => tree));
  if (!automaton) return undefined;
  return {
    start: automaton.start(),
    automaton,
    verdict(state, isDirectory) {
      const line = automaton
        .endings(state)
        .map((index) => lines[index] as Line)
        .findLast(({ directoriesOnly }) => isDirectory || !directoriesOnly);
      return line && !line.negated;
    },
  };
}

function compile(trees: readonly PatternTree[]): Automaton | undefined {
  try {
    return createAutomaton(compileProgram(trees, MAX_INSTRUCTIONS), { bytes: true });
  } catch (error) {
    if (error instanceof PatternTooBig) return undefined;
    throw error;
  }
}

/** Undefined for an empty line, a comment, and a pattern that can match nothing. */
function readLine(raw: string): Line | undefined {
  let text = raw.replace(/\r$/u, "");
  if (text.startsWith("#")) return undefined;
  text = withoutSpaces(text);
  const negated = text.startsWith("!");
  if (negated) text = text.slice(1);
  const directoriesOnly = text.endsWith("/");
  if (directoriesOnly) text = text.slice(0, -1);
  if (text === "") return undefined;
  const anchored = text.includes("/");
  const branches = expandBraces(text.startsWith("/") ? text.slice(1) : text) ?? [];
  const trees = branches.map((branch) => lineTree(branch, anchored)).filter((tree) => tree !== undefined);
  return trees.length === 0 ? undefined : { negated, directoriesOnly, tree: choice(trees) };
}

/** Spaces at the end do not count, but for one behind a backslash. */
function withoutSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === " ") {
    let slashes = 0;
    while (text[end - 2 - slashes] === "\\") slashes++;
    if (slashes % 2 === 1) break;
    end--;
  }
  return text.slice(0, end);
}

function lineTree(text: string, anchored: boolean): PatternTree | undefined {
  const parts = text.split("/");
  const before = anchored ? [] : [directoriesTree(true)];
  try {
    const trees = parts.flatMap((part, index): PatternTree[] => {
      const isLast = index === parts.length - 1;
      if (part === "**" && parts.length > 1) {
        return isLast ? [directoriesTree(true), nameTree(true)] : [directoriesTree(true)];
      }
      const tree = segmentTree(readSegment(part), true);
      return isLast ? [tree] : [tree, literal(SLASH)];
    });
    return sequence([...before, ...trees]);
  } catch (error) {
    if (error instanceof BrokenGlob) return undefined;
    throw error;
  }
}
