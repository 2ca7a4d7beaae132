import { compareText } from "../diagnostics.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { Generation } from "./generation.ts";

/** The content files that appeared, vanished or changed since a generation was made. */
export interface ChangedFiles {
  /** Absolute: those that something in use is made of, or may be. */
  readonly absolute: readonly string[];
  /** Display paths, sorted. */
  readonly shown: readonly string[];
}

/** How a change became known. */
export interface Found {
  readonly discovery: Discovery;
  /** Files with a text in use that hold another one now. */
  readonly outdated: readonly string[];
  /** Where something may have changed. Absent: the times of all other files tell. */
  readonly only?: readonly string[];
  /** With `only`: whether files appeared or vanished. */
  readonly moved?: boolean;
}

/** Of files whose texts are in use the content has decided; of all others their times, or somebody's word. */
export function changedFiles(before: Generation, { discovery, outdated, only, moved = false }: Found): ChangedFiles {
  const inUse = before.edition.texts;
  if (!only) {
    const used = new Set([...inUse.hashes().keys()].map(discovery.display));
    const others = discovery.changes().filter((path) => !used.has(path));
    return { absolute: outdated, shown: sorted([...outdated.map(discovery.display), ...others]) };
  }
  const changed = new Set(outdated);
  for (const path of only) {
    if (discovery.isContent(path)) changed.add(path);
    // A directory that came, or one that held what is gone.
    else if (moved) for (const file of discovery.contentBelow(path)) if (!inUse.get(file)) changed.add(file);
  }
  return { absolute: [...changed], shown: sorted([...changed].map(discovery.display)) };
}

function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort(compareText);
}
