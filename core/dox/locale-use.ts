import { parameterKey, toolKey } from "../discovery/locale-keys.ts";
import { parametersOf } from "../loading/parameter-texts.ts";
import type { LocaleShelf } from "./locale-shelves.ts";
import type { CheckSubject } from "./subject.ts";

/**
 * Whether something has a key. A shelf that holds a tool describes that one; else a key may describe a tool of any layer.
 * Of a tool that wins nowhere, or does not load, the parameters are not known: then each key of a parameter may be right.
 */
export function keysInUse(
  subject: CheckSubject,
  shelves: readonly LocaleShelf[],
): (shelf: LocaleShelf, key: string) => boolean {
  const tools = new Set<string>();
  const parameters = new Set<string>();
  /** What keys of parameters begin with where these are not known. */
  const open = new Set<string>();
  const winners = new Map(subject.tools.map((tool) => [tool.file, tool]));
  for (const { view } of subject.profiles) {
    for (const { id, standings } of view.catalog.list("tool")) {
      tools.add(toolKey(id));
      for (const { candidate } of standings) {
        const contract = winners.get(candidate.path)?.contract;
        if (!contract || contract.parameters === null) open.add(`${toolKey(id)}-param-`);
        else for (const { path } of parametersOf(contract.parameters)) parameters.add(parameterKey(id, path));
      }
    }
  }
  const own = new Map(shelves.map((shelf) => [shelf, ownKeys(shelf)]));
  return (shelf, key) => {
    const mine = own.get(shelf);
    if (mine?.keys.has(key) || tools.has(key)) return true;
    if (mine?.closed.some((prefix) => key.startsWith(prefix))) return false;
    return parameters.has(key) || [...open].some((prefix) => key.startsWith(prefix));
  };
}

/** The keys of a shelf, and what keys of parameters of its tools begin with: of these all are known. */
function ownKeys({ subjects }: LocaleShelf): {
  readonly keys: ReadonlySet<string>;
  readonly closed: readonly string[];
} {
  const known = subjects.filter(
    ({ parameter, tool }) => !parameter && tool.contract && tool.contract.parameters !== null,
  );
  return { keys: new Set(subjects.map(({ key }) => key)), closed: known.map(({ key }) => `${key}-param-`) };
}
