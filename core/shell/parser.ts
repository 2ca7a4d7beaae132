import type { ParsedScript } from "unbash";

export type {
  Assignment,
  Command,
  CompoundList,
  HereDoc,
  ParsedScript,
  Redirection,
  Statement,
  SyntaxNode,
  TestExpression,
  Word as SourceWord,
  WordPart,
} from "unbash";

/** Text of a shell as a tree with positions; what is wrong with it is in `errors`, and what could be read in the tree. */
export type Parse = (text: string) => ParsedScript;

/** The grammar of the shell; loaded when the first command is judged. */
export async function loadParser(): Promise<Parse> {
  const { parse } = await import("unbash");
  return parse;
}
