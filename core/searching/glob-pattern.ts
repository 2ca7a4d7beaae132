import { isAbsolute } from "node:path";
import { ToolError } from "../sdk/errors.ts";
import { type Automaton, createAutomaton } from "./automaton.ts";
import { expandBraces } from "./braces.ts";
import { BrokenGlob, directoriesTree, type GlobToken, nameTree, readSegment, segmentTree } from "./glob-segments.ts";
import { choice, literal, type PatternTree, sequence } from "./pattern-tree.ts";
import { compileProgram, PatternTooBig } from "./program.ts";

const SLASH = 47;

/** Segments of one alternative; undefined stands for `**`. */
type Segments = readonly (readonly GlobToken[] | undefined)[];

/** A glob that was read. */
export interface Glob {
  /** Reads paths relative to where the glob begins. */
  readonly automaton: Automaton;
  /** Whether it asks for directories: it ends with a slash. */
  readonly directories: boolean;
  /** Whether a part of it begins with a dot, so that it can match what is hidden. */
  readonly namesHidden: boolean;
  /** The last part of each alternative; undefined: any name. */
  readonly lastParts: readonly (readonly GlobToken[] | undefined)[];
}

/** How a glob is read. */
export interface GlobOptions {
  /** Whether wildcards match names that begin with a dot. */
  readonly hidden: boolean;
  /** Whether a glob without a slash matches names in any directory. Default false. */
  readonly anyDepth?: boolean;
  /** The argument that it came as, for refusals: `/pattern`. */
  readonly pointer: string;
}

/**
 * Reads a glob: `*` and `?` in a name, `**` over directories, `[a-z]`, `[!a-z]`, `{a,b}`, `\` before a character.
 * @throws ToolError INVALID_PARAM (it cannot be read, or holds a construct that it must not), ACCESS_DENIED (it is absolute, or holds `..`)
 */
export function readGlob(glob: string, { hidden, anyDepth = false, pointer }: GlobOptions): Glob {
  refuseForeign(glob, pointer);
  const alternatives = expandBraces(glob);
  if (!alternatives) {
    throw invalid(glob, "its braces stand for more than 1,000 globs", { pointer, hint: "Ask in several calls." });
  }
  const read = alternatives.map((one) => {
    refuseOutside(one, glob, pointer);
    return readSegments(anyDepth && !one.includes("/") ? `**/${one}` : one, glob, pointer);
  });
  try {
    const trees = read.map((segments) => pathTree(segments, hidden));
    return {
      automaton: createAutomaton(compileProgram([choice(trees)])),
      directories: glob.endsWith("/"),
      namesHidden: read.some((segments) => segments.some((tokens) => isDot(tokens?.[0]))),
      lastParts: read.map((segments) => segments.at(-1)),
    };
  } catch (error) {
    if (!(error instanceof PatternTooBig)) throw error;
    throw invalid(glob, "it is too big", { pointer, hint: "Ask in several calls." });
  }
}

function readSegments(alternative: string, glob: string, pointer: string): Segments {
  const parts = alternative.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 0) {
    throw invalid(glob, "it names nothing", { pointer, hint: "Use **/* for all files." });
  }
  try {
    return parts.map((part) => (part === "**" ? undefined : readSegment(part)));
  } catch (error) {
    if (!(error instanceof BrokenGlob)) throw error;
    throw invalid(glob, error.message, { pointer, hint: "Write \\ before a character that is meant as it is." });
  }
}

function pathTree(segments: Segments, hidden: boolean): PatternTree {
  const parts = segments.flatMap((tokens, index): PatternTree[] => {
    const isLast = index === segments.length - 1;
    if (!tokens) return isLast ? [directoriesTree(hidden), nameTree(hidden)] : [directoriesTree(hidden)];
    const tree = segmentTree(tokens, hidden);
    return isLast ? [tree] : [tree, literal(SLASH)];
  });
  return sequence(parts);
}

function isDot(token: GlobToken | undefined): boolean {
  return token?.kind === "char" && token.codePoint === 46;
}

function refuseOutside(alternative: string, glob: string, pointer: string): void {
  if (alternative.startsWith("/") || isAbsolute(alternative)) {
    const hint = "Give the directory as path, and a pattern relative to it.";
    throw outside(`a glob must be relative, found the absolute ${JSON.stringify(glob)}`, { pointer, hint });
  }
  if (alternative.split("/").some((part) => part.replaceAll("\\", "") === "..")) {
    const hint = "Give a pattern that goes down only.";
    throw outside(`a glob must not lead upwards, found .. in ${JSON.stringify(glob)}`, { pointer, hint });
  }
}

/** What other readers of globs give a meaning that this one does not. */
const FOREIGN: readonly (readonly [construct: RegExp, what: string, hint: string])[] = [
  [/\0/u, "it holds a NUL character", "Leave it out."],
  [/^!/u, "a ! at its beginning does not exclude here", "Name what you look for; write \\! for the character."],
  [/(?<!\\)[?*+@!]\(/u, "groups such as @(a|b) are not understood", "Use {a,b}; write \\( for the character."],
  [/(?<!\\)\{[^{},]*\.\.[^{},]*\}/u, "ranges such as {1..3} are not understood", "Use {1,2,3} or [1-3]."],
];

function refuseForeign(glob: string, pointer: string): void {
  for (const [construct, what, hint] of FOREIGN) if (construct.test(glob)) throw invalid(glob, what, { pointer, hint });
}

interface Advice {
  readonly pointer: string;
  readonly hint: string;
}

function invalid(glob: string, what: string, advice: Advice): ToolError {
  return new ToolError("INVALID_PARAM", `the glob ${JSON.stringify(glob)} cannot be used: ${what}`, advice);
}

function outside(message: string, advice: Advice): ToolError {
  return new ToolError("ACCESS_DENIED", message, advice);
}
