import type { ModelToolCall } from "../model/model.ts";

/** What decides whether a result is kept. */
interface Keeping {
  readonly n: number;
  readonly call?: ModelToolCall | undefined;
  readonly keep?: true | readonly string[] | undefined;
  readonly drop?: readonly string[] | undefined;
}

/**
 * The results that asked to be kept and still are, with the names that they are kept under: a name is over when a later
 * result drops it or is kept under it. One without a name has its call for one, so that the same call replaces it.
 */
export function keptNames<Item extends Keeping>(items: readonly Item[]): ReadonlyMap<Item, readonly string[]> {
  const over = new Set<string>();
  const kept = new Map<Item, readonly string[]>();
  for (const item of items.toReversed()) {
    const names = item.keep === undefined ? [] : item.keep === true ? [nameOf(item)] : item.keep;
    const open = names.filter((name) => !over.has(name));
    for (const name of [...names, ...(item.drop ?? [])]) over.add(name);
    if (open.length > 0) kept.set(item, open);
  }
  return kept;
}

function nameOf({ call, n }: Keeping): string {
  return call === undefined ? `#${n}` : JSON.stringify([call.name, call.args]);
}
