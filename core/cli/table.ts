/**
 * Rows as columns of equal width, two spaces apart; the last column is not padded. A cell is one line.
 * @param rows cells by row; the first row is the heading
 */
export function table(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((row) => row.map((cell) => cell.replace(/\s+/gu, " ").trim()));
  const widths: number[] = [];
  for (const row of lines)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return lines
    .map((row) =>
      row
        .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
