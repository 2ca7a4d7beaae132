import { breach } from "./failure.ts";
import type { Subject } from "./subject.ts";

/** One thing that every tool is held to. */
export interface Contract {
  /** As the test is called: `refuses an argument that it does not know`. */
  readonly name: string;
  /**
   * Looks at a tool in a fresh workspace.
   * @returns a note where the contract does not apply to the tool, or only in part
   * @throws Error that says what was expected, what was found, and what to do
   */
  check(subject: Subject): Promise<string | undefined>;
}

/** Checks one contract, and that the tool left no trouble behind meanwhile. Resolves and rejects as {@link Contract.check}. */
export async function checkContract(contract: Contract, subject: Subject): Promise<string | undefined> {
  subject.clear();
  const note = await contract.check(subject);
  const [trouble] = subject.troubles();
  if (!trouble) return note;
  throw breach({
    expected: "nothing to go wrong outside of a call",
    found: `${trouble.code}: ${trouble.message}`,
    todo: trouble.hint ?? "Catch it where it arises.",
  });
}
