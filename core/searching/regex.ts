import { type CharSet, matchesNothing, type PatternTree } from "./pattern-tree.ts";
import { compileProgram, PatternTooBig, type Program } from "./program.ts";
import { regexError } from "./regex-error.ts";
import { readRegexSyntax } from "./regex-syntax.ts";

/** A regular expression, ready to be looked for. */
export interface Regex {
  readonly program: Program;
  /** For ripgrep. */
  readonly rust: string;
  /** Whether a match may hold line breaks; else each lies in one line. */
  readonly spansLines: boolean;
  /** A text that every match holds; empty where there is none that is known. */
  readonly needle: string;
}

/** @throws ToolError INVALID_PARAM, which names the construct that is not understood */
export function readRegex(
  source: string,
  { ignoreCase, multiline }: { readonly ignoreCase: boolean; readonly multiline: boolean },
): Regex {
  const whole = multiline ? readRegexSyntax(source, { ignoreCase, linewise: false }) : undefined;
  const spansLines = whole !== undefined && setsOf(whole.tree).some((set) => set.has(10) || set.has(13));
  const { tree, rust } = whole && spansLines ? whole : readRegexSyntax(source, { ignoreCase, linewise: true });
  if (spansLines && matchesNothing(tree)) {
    throw regexError(
      "across lines it would match everywhere, because it also matches nothing",
      "Have it match something.",
    );
  }
  try {
    return { program: compileProgram([tree]), rust, spansLines, needle: needleOf(tree) };
  } catch (error) {
    if (!(error instanceof PatternTooBig)) throw error;
    throw regexError("its counts make it too big", "Use smaller counts, or * and +.");
  }
}

function setsOf(tree: PatternTree): readonly CharSet[] {
  switch (tree.kind) {
    case "chars":
      return [tree.set];
    case "sequence":
      return tree.parts.flatMap(setsOf);
    case "choice":
      return tree.branches.flatMap(setsOf);
    case "repeat":
      return setsOf(tree.of);
    default:
      return [];
  }
}

/** The longest run of single characters that no match can do without. */
function needleOf(tree: PatternTree): string {
  const parts = tree.kind === "sequence" ? tree.parts : [tree];
  const runs = [""];
  for (const part of parts) {
    const character = part.kind === "chars" ? /^=(\d+)$/u.exec(part.set.key)?.[1] : undefined;
    if (character !== undefined) runs.push(`${runs.pop()}${String.fromCodePoint(Number(character))}`);
    else if (part.kind !== "assert") runs.push("");
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}
