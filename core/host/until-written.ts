import type { Stats } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { look } from "../discovery/look.ts";
import type { Texts } from "../discovery/texts.ts";
import { isModule } from "./changed-files.ts";

/** So long a file may be empty before that is taken for its content. */
const EMPTIED_MS = 50;

type KnownTexts = Pick<Texts, "get" | "knows">;

/**
 * Waits a moment while a file is emptied.
 * @param paths absolute @param options `texts`: those in use
 */
export async function untilWritten(
  paths: readonly string[],
  { texts, withinMs = EMPTIED_MS }: { readonly texts: KnownTexts; readonly withinMs?: number },
): Promise<void> {
  const end = performance.now() + withinMs;
  while (paths.some((path) => isEmptied(path, { texts, found: look(path) })) && performance.now() < end) await sleep(1);
}

/**
 * Most programs empty a file before they write it, or make it empty: it is a moment only, and no change that anybody
 * means. Of files that nobody has read only modules count, since an empty toggle is all that it is to be.
 * @param options `texts`: those that were in use before; `found`: what a look at the file gave
 */
export function isEmptied(
  path: string,
  { texts, found }: { readonly texts: KnownTexts; readonly found: Stats | undefined },
): boolean {
  if (found?.size !== 0) return false;
  const known = texts.get(path);
  return known ? known.text !== "" : isModule(path) && !texts.knows(path);
}
