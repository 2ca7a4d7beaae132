import { cell } from "../prompt/arguments.ts";
import type { MarkdownLine } from "./markdown.ts";

/** A table of a Markdown text. Cells are trimmed, and their escaped bars are bars. */
export interface Table {
  readonly header: readonly string[];
  /** Of the header, 1-based. */
  readonly line: number;
  readonly rows: readonly TableRow[];
  /** The last line that belongs to it. */
  readonly end: number;
}

/** One row below the header. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly line: number;
}

/** The tables among some lines, in their order. A table is a row, a row of dashes, and what rows follow. */
export function tablesIn(lines: readonly MarkdownLine[]): readonly Table[] {
  const tables: Table[] = [];
  for (let at = 0; at + 1 < lines.length; at++) {
    const header = lines[at];
    if (!header || !isRow(header.prose) || !DASHES.test(lines[at + 1]?.prose ?? "")) continue;
    const rows: TableRow[] = [];
    for (let next = at + 2; isRow(lines[next]?.prose ?? ""); next++) {
      const { prose, line } = lines[next] as MarkdownLine;
      rows.push({ cells: cellsOf(prose), line });
    }
    tables.push({ header: cellsOf(header.prose), line: header.line, rows, end: header.line + 1 + rows.length });
    at += 1 + rows.length;
  }
  return tables;
}

/** A row with these cells. */
export function rowLine(cells: readonly string[]): string {
  return `|${cells.map((text) => (text === "" ? " " : ` ${cell(text)} `)).join("|")}|`;
}

/** What stands below a header of so many cells. */
export function dashesLine(cells: number): string {
  return `|${"---|".repeat(cells)}`;
}

const DASHES = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u;

function isRow(prose: string): boolean {
  return prose.trim().startsWith("|");
}

function cellsOf(prose: string): readonly string[] {
  const inner = prose
    .trim()
    .replace(/^\|/u, "")
    .replace(/(?<!\\)\|$/u, "");
  return inner.split(/(?<!\\)\|/u).map((text) => text.trim().replaceAll("\\|", "|"));
}
