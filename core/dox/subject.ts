import type { Diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { FragmentMeta } from "../discovery/fragment.ts";
import type { ToolContract } from "../loading/tool-contract.ts";

/** The files of a root, by the paths that diagnostics show: POSIX, relative to the root, absolute outside. */
export interface CheckFiles {
  /** The names in a directory, sorted; those of directories end with `/`. @throws what the system says, but none for a directory that does not exist */
  list(directory: string): readonly string[];
  /** The text of a file without its byte order mark; undefined where there is no such file. @throws what else the system says */
  read(file: string): string | undefined;
}

/** A tool that wins in some profile, with what the loader's cache knows of it. Its module is not run for a check. */
export interface CheckedTool {
  readonly id: string;
  /** Display path of the module. */
  readonly file: string;
  readonly candidate: Candidate;
  /** Undefined where the module does not load, which the area `contracts` tells. */
  readonly contract: ToolContract | undefined;
  /** It lies in the root, so that whoever asks for the check can mend it. */
  readonly own: boolean;
}

/** A fragment that wins in some profile. */
export interface CheckedFragment {
  /** `<name>` of `agent.system.tool.<name>.md`. */
  readonly id: string;
  /** Display path. */
  readonly file: string;
  readonly candidate: Candidate;
  readonly meta: FragmentMeta;
  /** The text below the front matter. */
  readonly body: string;
  /** Line of the file that the text begins at, 1-based. */
  readonly line: number;
  /** The tools that it documents in some profile, sorted by file. Empty: none of that name exists. */
  readonly tools: readonly CheckedTool[];
  /** See {@link CheckedTool.own}. */
  readonly own: boolean;
}

/** One profile as the check sees it. */
export interface CheckedProfile {
  readonly id: string;
  readonly view: View;
  /** What listing the tools of the profile finds. */
  listed(): Promise<readonly Diagnostic[]>;
  /** What is wrong with its tools and the settings of its plugins; modules run only where no contract is known. */
  contracts(): Promise<readonly Diagnostic[]>;
  /** Its system prompt. */
  prompt(): Promise<CheckedPrompt>;
}

/** The system prompt of a profile. Its tokens are not counted: that takes longer than all else. */
export interface CheckedPrompt {
  readonly text: string;
  /** What extensions gave prompt files besides the variables of every file: names by file. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Snapshots of system prompts: what they are compared with. */
export interface CheckedSnapshots {
  /** Where they lie: relative to the root. */
  readonly directory: string;
  /** Whether each profile must have one. */
  readonly required: boolean;
  /** The prompts as snapshots hold them, the same on every machine: with JSON calls, without secrets, one line break at the end. */
  prompts(): Promise<readonly { readonly profile: string; readonly text: string }[]>;
}

/** What a check looks at. All lists are sorted. */
export interface CheckSubject {
  /** Absolute. */
  readonly root: string;
  /** Absolute; the root itself in a clone. */
  readonly home: string;
  readonly files: CheckFiles;
  readonly profiles: readonly CheckedProfile[];
  /** Each module once, however many profiles it wins in. */
  readonly tools: readonly CheckedTool[];
  /** Each file once. */
  readonly fragments: readonly CheckedFragment[];
  readonly snapshots: CheckedSnapshots;
  /** A text with the person's secrets masked: a text that changes held one. */
  mask(text: string): string;
  /** Whether the person's own directories are held to the rules of documents. */
  readonly usr: boolean;
}

/** What a file is to hold. */
export interface Edit {
  /** Display path; in the root. */
  readonly file: string;
  /** What is done, in a few words: `write the rows of new arguments`. */
  readonly description: string;
  /** The whole new text. */
  readonly text: string;
}
