/** A place in a text: both 1-based; columns count UTF-16 units, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The position of a UTF-16 offset. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf("\n"); next !== -1 && next < offset; next = text.indexOf("\n", next + 1)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: offset - start + 1 };
}

/** The position of an offset that was counted in UTF-8 bytes. */
export function positionAtByte(text: string, byteOffset: number): Position {
  return positionAt(text, Buffer.from(text).subarray(0, byteOffset).toString().length);
}

/** Where an import of `specifier` (and in it `name`, when given) is written; undefined when it is nowhere literally. */
export function positionOfImport(text: string, specifier: string, name?: string): Position | undefined {
  const at: readonly number[] = [`"${specifier}"`, `'${specifier}'`, `\`${specifier}\``]
    .flatMap((quoted) => occurrences(text, quoted))
    .filter((index) => isImport(text, index))
    .sort((a, b) => a - b);
  const word = name === undefined ? undefined : new RegExp(`(?<![\\w$])${escapeRegExp(name)}(?![\\w$])`);
  for (const index of word ? at : []) {
    const statement = text.slice(statementStart(text, index), index);
    const found = word?.exec(statement);
    if (found) return positionAt(text, index - statement.length + found.index);
  }
  return at[0] === undefined ? undefined : positionAt(text, at[0]);
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let index = text.indexOf(part); index !== -1; index = text.indexOf(part, index + 1)) found.push(index);
  return found;
}

function isImport(text: string, index: number): boolean {
  return /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*$/.test(text.slice(Math.max(0, index - 80), index));
}

function statementStart(text: string, index: number): number {
  return Math.max(text.lastIndexOf("import", index), text.lastIndexOf("export", index), 0);
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
