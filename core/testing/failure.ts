/** What a broken contract tells an author. Each part is a phrase; the sentence is made here. */
export interface Breach {
  readonly expected: string;
  readonly found: string;
  /** What to do, as a sentence. */
  readonly todo: string;
}

/** The error of a broken contract: `expected …, found …. What to do.` */
export function breach({ expected, found, todo }: Breach): Error {
  return Object.assign(new Error(`expected ${expected}, found ${found}. ${todo}`), { name: "ContractError" });
}

/** A value in few words, for the `found` of a {@link Breach}. */
export function shown(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

const MAX_SHOWN = 300;
