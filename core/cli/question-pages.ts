/** How much a terminal shows at once. */
export interface Screen {
  readonly rows: number;
  readonly columns: number;
}

/** Rows of a page that are not of the text: what is asked below it, and the line that is typed. */
const OTHER_ROWS = 4;
const MIN_ROWS = 5;

/**
 * A text in pieces that a screen shows whole, so that nothing of it goes by unread. What is longer than a page is cut
 * wherever the page ends; nothing is left out.
 */
export function pagesOf(text: string, { rows, columns }: Screen): readonly string[] {
  const most = Math.max(MIN_ROWS, rows - OTHER_ROWS);
  const width = Math.max(10, columns);
  const pages: string[][] = [[]];
  let used = 0;
  for (const line of text.split("\n")) {
    for (const piece of piecesOf(line, most * width)) {
      const taken = Math.max(1, Math.ceil(widthOf(piece) / width));
      if (used > 0 && used + taken > most) {
        pages.push([]);
        used = 0;
      }
      pages.at(-1)?.push(piece);
      used += taken;
    }
  }
  return pages.map((lines) => lines.join("\n"));
}

function piecesOf(line: string, most: number): readonly string[] {
  if (line.length * 2 <= most) return [line];
  const pieces: string[] = [];
  let piece = "";
  let width = 0;
  for (const char of line) {
    const own = widthOf(char);
    if (width + own > most) {
      pieces.push(piece);
      [piece, width] = ["", 0];
    }
    piece += char;
    width += own;
  }
  return [...pieces, piece];
}

/** At least so many columns: what is not Latin counts twice, and a tab as what it takes at most. */
function widthOf(text: string): number {
  let width = 0;
  for (const char of text) width += char === "\t" ? 8 : char < "\u0300" ? 1 : 2;
  return width;
}
