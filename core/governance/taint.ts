/**
 * Whether somebody has read text from outside, and who brought it first. A class, because one is made for every call of its
 * own: a literal with an accessor costs ten times as much.
 */
export class Taint {
  readonly #above: Taint | undefined;
  #own: string | undefined;

  /** @param above of whoever it works for: what one of the two reads the other has read, too. What was read before counts. */
  constructor(above?: Taint) {
    this.#above = above;
  }

  /** A tool's id; undefined as long as nothing was read. */
  get by(): string | undefined {
    return this.#own ?? this.#above?.by;
  }

  /** Notes that a text from outside was read. */
  add(tool: string): void {
    this.#own ??= tool;
    this.#above?.add(tool);
  }
}
