import { posix } from "node:path";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Document, sectionOf } from "./document.ts";
import { linksIn } from "./links.ts";
import type { MarkdownLine } from "./markdown.ts";
import { type PagePlace, type Places, pageOf } from "./places.ts";
import type { Reader } from "./reader.ts";
import { STUB } from "./required-sections.ts";
import { rowLine, tablesIn } from "./tables.ts";

/** What the section Children of a page lists, beside what it should. Pages are display paths. */
interface Index {
  /** Rows, in their order. */
  readonly rows: readonly { readonly page: string; readonly line: number; readonly known: boolean }[];
  /** Pages below that no row names, sorted. */
  readonly unlisted: readonly string[];
}

/** Compares the section Children of a page with the pages that lie below it, both ways. */
export function indexFindings(
  document: Document,
  place: PagePlace,
  { places, reader }: { readonly places: Places; readonly reader: Reader },
): readonly Diagnostic[] {
  const { file } = document;
  const section = sectionOf(document, "Children");
  if (!section) return [];
  const { rows, unlisted } = indexOf(document, place, { places, reader });
  const fix = { file, description: "write the rows of the section Children" };
  return [
    ...rows
      .filter(({ known }) => !known)
      .map(({ page, line }) => {
        const found = reader.kind(page) === undefined ? "which is not there" : "which is the child of another page";
        const message = `expected rows for pages below ${place.directory}, found ${page}, ${found}`;
        const hint = "Take the row out, or `check dox --fix` does.";
        return diagnostic("AGENTS_CHILD_UNKNOWN", { file, line, message, hint, fix });
      }),
    ...unlisted.map((page) => {
      const message = `expected a row for ${page}, found none`;
      const hint = "Add a link to it, or `check dox --fix` does.";
      return diagnostic("AGENTS_CHILD_UNLISTED", { file, line: section.line, message, hint, fix });
    }),
  ];
}

/** The lines of the section Children that are rows: their links are looked at here. */
export function indexLines(document: Document): ReadonlySet<number> {
  return new Set(rowsOf(document).map(({ line }) => line));
}

/** The text of a page with its rows as they should be. Undefined: they are. */
export function repairedIndex(
  document: Document,
  place: PagePlace,
  parts: { readonly places: Places; readonly reader: Reader },
): string | undefined {
  const section = sectionOf(document, "Children");
  if (!section) return undefined;
  const { rows, unlisted } = indexOf(document, place, parts);
  const kept = rows.filter(({ known }) => known);
  const keptLines = new Set(kept.map(({ line }) => line));
  const gone = new Set(rows.map(({ line }) => line).filter((line) => !keptLines.has(line)));
  if (gone.size === 0 && unlisted.length === 0) return undefined;

  const [table] = tablesIn(section.lines);
  const empty = keptLines.size + unlisted.length === 0 && !table;
  const written = section.lines.filter(({ raw }) => raw.trim() !== "");
  const blankOf = (text: string) => /^None\.?$/u.test(text.trim()) || text.trim() === STUB;
  const dropped = new Set([
    ...gone,
    ...(unlisted.length > 0 ? written.filter(({ raw }) => blankOf(raw)).map(({ line }) => line) : []),
  ]);
  const last = Math.max(table?.end ?? 0, ...keptLines, ...gone, ...dropped);
  const rest = last > 0 ? last : (written.at(-1)?.line ?? section.line);
  const added = new Map<number, string[]>();
  const insert = (line: number, text: string) => added.set(line, [...(added.get(line) ?? []), text]);
  // Text that stays, or the heading, is set apart by an empty line.
  if (last === 0 && unlisted.length > 0) insert(rest, "");
  for (const page of unlisted) {
    const next = kept.find((row) => compareText(row.page, page) > 0);
    insert(next ? next.line - 1 : rest, rowOf(page, place, { reader: parts.reader, columns: table?.header.length }));
  }
  if (empty) insert(rest, "None.");
  const lines = document.text.split(/\r?\n/u);
  const eol = document.text.includes("\r\n") ? "\r\n" : "\n";
  return lines
    .flatMap((raw, index) => [...(dropped.has(index + 1) ? [] : [raw]), ...(added.get(index + 1) ?? [])])
    .join(eol);
}

/** @param columns of the table that the row is for; undefined for an item of a list */
function rowOf(
  page: string,
  { directory }: PagePlace,
  { reader, columns }: { readonly reader: Reader; readonly columns: number | undefined },
): string {
  const way = posix.relative(directory, page);
  const link = `[${posix.dirname(way)}](${way})`;
  if (columns === undefined) return `- ${link}`;
  const cells = [link, scopeOf(reader.document(page)), ...Array(Math.max(0, columns - 2)).fill("")];
  return rowLine(cells.slice(0, columns));
}

/** What a page is about: the first sentence of its purpose. */
function scopeOf(document: Document | undefined): string {
  const lines = document ? (sectionOf(document, "Purpose")?.lines ?? []) : [];
  const text = lines
    .map(({ prose }) => prose.trim())
    .join(" ")
    .trim();
  return text.startsWith(STUB) ? "" : (/^.*?(?=[.:;](?:\s|$)|$)/u.exec(text)?.[0] ?? "");
}

function indexOf(
  document: Document,
  { directory, file }: PagePlace,
  { places: { pages }, reader }: { readonly places: Places; readonly reader: Reader },
): Index {
  const parentOf = (page: string) => nearestPage(posix.dirname(posix.dirname(page)), pages, reader);
  // What a person has in `usr/` is not listed there.
  const wanted =
    directory === "usr"
      ? []
      : pages.map((page) => page.file).filter((page) => page !== file && parentOf(page) === file);
  const rows = rowsOf(document).map(({ page, line }) => {
    const known = wanted.includes(page) || (reader.kind(page) === "file" && page !== file && parentOf(page) === file);
    return { page, line, known };
  });
  const listed = new Set(rows.map(({ page }) => page));
  return { rows, unlisted: wanted.filter((page) => !listed.has(page)).sort(compareText) };
}

/** The page of a directory, or of the nearest one above it. */
function nearestPage(directory: string, pages: readonly PagePlace[], reader: Reader): string | undefined {
  const page = pageOf(directory);
  if (pages.some(({ file }) => file === page) || reader.kind(page) === "file") return page;
  return directory === "." ? undefined : nearestPage(posix.dirname(directory), pages, reader);
}

/** Links of the section Children to pages, or to the folders that they are of. */
function rowsOf(document: Document): readonly { readonly page: string; readonly line: number }[] {
  const lines: readonly MarkdownLine[] = sectionOf(document, "Children")?.lines ?? [];
  return linksIn(document.file, lines).flatMap(({ target, written, line }) => {
    if (posix.basename(target) === "AGENTS.md") return [{ page: target, line }];
    return written.endsWith("/") ? [{ page: pageOf(target), line }] : [];
  });
}
