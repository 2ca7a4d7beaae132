/**
 * What is understood of a command line. It holds nothing that a shell would look up, compute or run while it reads: all
 * of that is refused on the way here. Texts are as the program gets them, without quotes.
 */
export type Node =
  | Simple
  | Pipeline
  | Chain
  | Group
  | Redirected
  | If
  | While
  | For
  | Case
  | FunctionDefinition
  | Coprocess
  | Test;

/** Commands one after the other. */
export interface List {
  readonly items: readonly { readonly node: Node; readonly background: boolean }[];
}

/** One program or builtin with its arguments. */
export interface Simple {
  readonly type: "simple";
  readonly assignments: readonly Assigned[];
  /** Its name first; empty where there are assignments or redirections only. */
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** Whether a text for the input of another command (`<<`) stands before it. */
  readonly behindHeredoc: boolean;
}

export interface Assigned {
  readonly name: string;
  readonly value: string;
}

/** A word of a command. A pattern of file names is the one thing that the shell still expands. */
export interface Word {
  readonly pieces: readonly Piece[];
  /** What it says, with its patterns as they are written. */
  readonly text: string;
  readonly isPattern: boolean;
}

/** `pattern`: one of `*`, `?`, `[…]`, which stands for itself nowhere. */
export interface Piece {
  readonly text: string;
  readonly pattern: boolean;
}

export type Redirect = FileRedirect | MergedRedirect | TextRedirect;

/** From or to a file. */
export interface FileRedirect {
  readonly type: "file";
  readonly descriptor: number | undefined;
  readonly operator: "<" | ">" | ">>" | ">|" | "<>" | "&>" | "&>>";
  readonly target: string;
}

/** To what another descriptor is, or to nothing: `target` is a number, a number with `-`, or `-`. */
export interface MergedRedirect {
  readonly type: "merged";
  readonly descriptor: number | undefined;
  readonly operator: "<&" | ">&";
  readonly target: string;
}

/** A text as input: with `lines` the lines of a `<<`, else what follows `<<<`. */
export interface TextRedirect {
  readonly type: "text";
  readonly descriptor: number | undefined;
  readonly text: string;
  readonly lines: boolean;
}

export interface Pipeline {
  readonly type: "pipeline";
  /** `!`, `time`, `time -p`, in their order. */
  readonly prefixes: readonly string[];
  readonly commands: readonly Node[];
  /** One fewer than commands. */
  readonly operators: readonly ("|" | "|&")[];
}

export interface Chain {
  readonly type: "chain";
  readonly commands: readonly Node[];
  /** One fewer than commands. */
  readonly operators: readonly ("&&" | "||")[];
}

export interface Group {
  readonly type: "group";
  readonly subshell: boolean;
  readonly body: List;
}

export interface Redirected {
  readonly type: "redirected";
  readonly command: Node;
  readonly redirects: readonly Redirect[];
}

export interface If {
  readonly type: "if";
  readonly branches: readonly { readonly condition: List; readonly body: List }[];
  readonly otherwise: List | undefined;
}

export interface While {
  readonly type: "while";
  readonly kind: "while" | "until";
  readonly condition: List;
  readonly body: List;
}

export interface For {
  readonly type: "for";
  readonly kind: "for" | "select";
  readonly name: string;
  readonly words: readonly Word[];
  readonly body: List;
}

export interface Case {
  readonly type: "case";
  readonly subject: string;
  readonly items: readonly {
    readonly patterns: readonly Word[];
    readonly body: List;
    readonly end: ";;" | ";&" | ";;&";
  }[];
}

export interface FunctionDefinition {
  readonly type: "function";
  readonly name: string;
  readonly body: Node;
}

export interface Coprocess {
  readonly type: "coprocess";
  readonly name: string | undefined;
  readonly body: Node;
}

/** `[[ … ]]`, as the words and signs between the brackets: words are printed as such, signs as they are. */
export interface Test {
  readonly type: "test";
  readonly tokens: readonly (Word | string)[];
}

/** A word that is no pattern. */
export function plainWord(text: string): Word {
  return { pieces: [{ text, pattern: false }], text, isPattern: false };
}
