import { posix } from "node:path";
import { compareText } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { CheckedProfile, CheckFiles, CheckSubject } from "./subject.ts";

/** A file that a model may read some day, whether or not it wins now. */
export interface PromptFile {
  /** Display path. */
  readonly file: string;
  readonly candidate: Candidate;
  /** A profile that has it in one of its layers. */
  readonly profile: CheckedProfile;
}

/** The files of some kinds of all layers of all profiles that lie in the root, each once, sorted by file. */
export function promptFiles(
  { root, profiles }: CheckSubject,
  kinds: readonly ("prompt" | "fragment" | "skill" | "locale")[],
): readonly PromptFile[] {
  const found = new Map<string, PromptFile>();
  for (const profile of profiles) {
    for (const kind of kinds) {
      for (const { standings } of profile.view.catalog.list(kind)) {
        for (const { candidate } of standings) {
          const { path: file } = candidate;
          if (!found.has(file) && isOwn(root, candidate)) found.set(file, { file, candidate, profile });
        }
      }
    }
  }
  return [...found.values()].sort((a, b) => compareText(a.file, b.file));
}

/** A text that a model may read, whole. */
export interface PromptText {
  /** Display path. */
  readonly file: string;
  readonly text: string;
}

/** The prompts, fragments, skills with all their documents, and descriptions in other languages. A file that cannot be read is told elsewhere. */
export function promptTexts(subject: CheckSubject): readonly PromptText[] {
  const { files } = subject;
  const names = new Set<string>();
  for (const { file, candidate } of promptFiles(subject, ["prompt", "fragment", "skill", "locale"])) {
    names.add(file);
    if (candidate.kind === "skill") for (const one of documentsIn(files, posix.dirname(file), 0)) names.add(one);
  }
  return [...names].sort(compareText).flatMap((file) => {
    const text = readable(files, file);
    return text === undefined ? [] : [{ file, text }];
  });
}

const MAX_DEPTH = 5;

function documentsIn(files: CheckFiles, directory: string, depth: number): readonly string[] {
  return files.list(directory).flatMap((name) => {
    const path = `${directory}/${name}`;
    if (name.endsWith("/")) return depth < MAX_DEPTH ? documentsIn(files, path.slice(0, -1), depth + 1) : [];
    return /\.(?:md|markdown|txt)$/iu.test(name) ? [path] : [];
  });
}

function readable(files: CheckFiles, file: string): string | undefined {
  try {
    return files.read(file);
  } catch {
    // Discovery says why, where it is used.
    return undefined;
  }
}

/** A linked plugin is the person's own, wherever the link leads. */
export function isOwn(root: string, { file, path }: Candidate): boolean {
  return file.startsWith(`${root}/`) || !path.startsWith("/");
}
