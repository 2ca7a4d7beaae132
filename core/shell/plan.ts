import type { CommandPlan } from "../sdk/command.ts";
import { type InnerTexts, printList, printText } from "./print.ts";
import type { List, Simple, Word } from "./tree.ts";

/**
 * How a tree runs: one program with nothing for a shell to do runs without one.
 *
 * @param texts words that are run by a shell, as trees
 */
export function planOf(list: List, texts: InnerTexts): CommandPlan {
  const simple = onlyProgram(list);
  if (!simple) return { kind: "bash", script: printList(list, texts) };
  const { assignments, words } = simple;
  const env = Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
  return { kind: "argv", argv: words.flatMap((word) => printText(word, texts)), env };
}

/** Builtins that there is no program for, or that mean nothing outside of their shell. */
const BUILTINS = new Set(
  ". : alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read readarray readonly return set shift shopt source suspend times trap type typeset ulimit umask unalias unset wait".split(
    " ",
  ),
);

function onlyProgram({ items }: List): Simple | undefined {
  const [item, ...more] = items;
  if (!item || more.length > 0 || item.background || item.node.type !== "simple") return undefined;
  const { words, redirects } = item.node;
  const [name] = words;
  if (!name || BUILTINS.has(name.text) || redirects.length > 0 || words.some(({ isPattern }: Word) => isPattern)) {
    return undefined;
  }
  return item.node;
}
