import { KIND } from "./alphabet.ts";

/**
 * Whether an assertion holds between two neighbours.
 *
 * @param assertion its place in `ASSERTIONS`
 * @param before and after of `KIND`
 */
export function holds(assertion: number, before: number, after: number): boolean {
  switch (assertion) {
    case 0:
      return before === KIND.edge || before === KIND.newline || (before === KIND.return && after !== KIND.newline);
    case 1:
      return after === KIND.edge || after === KIND.return || (after === KIND.newline && before !== KIND.return);
    case 2:
      return (before === KIND.word) !== (after === KIND.word);
    default:
      // Beside a byte that belongs to no character nobody knows.
      if (before === KIND.stray || after === KIND.stray) return false;
      return (before === KIND.word) === (after === KIND.word);
  }
}
