import { compareText } from "../diagnostics.ts";
import type { Discovery, Edition } from "../discovery/discovery.ts";
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
  /** See {@link Discovery}; default: of the last look. */
  readonly moved?: readonly string[];
}

/** Of files whose texts are in use the content has decided; of all others their times, or somebody's word. */
export function changedFiles(before: Generation, found: Found): ChangedFiles {
  const { discovery, outdated, only, moved = discovery.moved } = found;
  const inUse = before.edition.texts;
  if (!only) {
    const used = new Set(inUse.files().map(discovery.display));
    const others = discovery.changes().filter((path) => !used.has(path));
    const absolute = [...new Set([...outdated, ...discovery.moved])];
    return { absolute, shown: sorted([...absolute.map(discovery.display), ...others]) };
  }
  // The look may have come upon more than it was told of.
  const changed = new Set([...outdated, ...only.filter(discovery.isContent), ...moved]);
  return { absolute: [...changed], shown: sorted([...changed].map(discovery.display)) };
}

/** The files whose texts in use differ between two editions. */
export function differentFiles(before: Edition, after: Edition, { display }: Pick<Discovery, "display">): ChangedFiles {
  const [old, now] = [before.texts.hashes(), after.texts.hashes()];
  const files = [...new Set([...old.keys(), ...now.keys()])].filter((file) => old.get(file) !== now.get(file));
  return { absolute: files, shown: sorted(files.map(display)) };
}

function sorted(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].sort(compareText);
}

/** Whether a file is one that is loaded, not read. */
export function isModule(file: string): boolean {
  return /\.[cm]?[jt]sx?$/u.test(file);
}
