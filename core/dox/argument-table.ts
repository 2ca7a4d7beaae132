import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type Argument, argumentsOf } from "../prompt/arguments.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { type Document, sectionOf } from "./document.ts";
import type { Section } from "./sections.ts";
import { dashesLine, rowLine, type Table, type TableRow, tablesIn } from "./tables.ts";

/** What begins and ends the table of arguments, each alone in its line. */
export const MARKERS = { open: "<!-- arguments -->", close: "<!-- /arguments -->" } as const;

/** The columns that the schema says, in the order of a new table; `meaning` and any other are the author's. */
const DERIVED = ["name", "type", "required", "default"] as const;
type Derived = (typeof DERIVED)[number];

/**
 * Compares the table in the section Arguments with the schema: a row for each argument, nested ones with their whole
 * name, and its type, whether it is required, and its default as the schema has them. `null` takes any object, and says nothing.
 */
export function argumentFindings(document: Document, parameters: JsonSchema | null): readonly Diagnostic[] {
  const section = sectionOf(document, "Arguments");
  if (section === undefined || parameters === null) return [];
  const { file } = document;
  const wanted = argumentsOf(parameters);
  const { table, unclosed } = tableOf(section);
  if (unclosed !== undefined) {
    const message = `expected ${MARKERS.close} behind ${MARKERS.open}, found none in the section`;
    return [diagnostic("DOX_ARGUMENT_TABLE", { file, line: unclosed, message, hint: "Close the table." })];
  }
  if (!table) {
    if (wanted.length === 0) return [];
    const message = `expected a table of the arguments ${wanted.map(({ name }) => name).join(", ")}, found none`;
    return [tableFinding(file, section.line, message)];
  }
  const missing = DERIVED.filter((title) => columnOf(table, title) < 0);
  if (missing.length > 0) {
    const message = `expected the columns ${DERIVED.join(", ")} in the table of arguments, found none for ${missing.join(", ")}`;
    return [tableFinding(file, table.line, message)];
  }
  return [...rowFindings(file, table, wanted), ...missingRows(file, table, wanted)];
}

/** The text of a document with its table of arguments as the schema has it; what authors wrote stays. Undefined: it is right, or cannot be derived. */
export function repairedArguments(document: Document, parameters: JsonSchema | null): string | undefined {
  const section = sectionOf(document, "Arguments");
  if (section === undefined || argumentFindings(document, parameters).length === 0) return undefined;
  const { table, opened, unclosed } = tableOf(section);
  if (unclosed !== undefined) return undefined;
  const rows = argumentLines(argumentsOf(parameters), table);
  const lines = document.text.split(/\r?\n/u);
  // Without a table it stands behind its marker, or begins the section.
  if (table) lines.splice(table.line - 1, table.end - table.line + 1, ...rows);
  else if (opened !== undefined) lines.splice(opened, 0, ...rows);
  else lines.splice(section.line, 0, "", MARKERS.open, ...rows, MARKERS.close);
  return lines.join(document.text.includes("\r\n") ? "\r\n" : "\n");
}

/** The lines of a table of arguments. @param old whose order, further columns and words of the author are kept */
export function argumentLines(wanted: readonly Argument[], old?: Table): readonly string[] {
  const titles = old ? titlesOf(old) : [...DERIVED, "meaning"];
  const meaning = meaningOf(titles);
  const nameIn = (row: TableRow) => (old ? nameOf(old, row) : "");
  const left = wanted.filter(({ name }) => !old?.rows.some((row) => nameIn(row) === name));
  const gone = (old?.rows ?? []).filter((row) => !wanted.some(({ name }) => name === nameIn(row)));
  // One that came where one went is that one by another name: what its author said of it holds.
  const renamed = left.length === 1 && gone.length === 1;
  const kept = (old?.rows ?? []).flatMap((row): Filled[] => {
    const argument = renamed && row === gone[0] ? left[0] : wanted.find(({ name }) => name === nameIn(row));
    return argument ? [{ argument, own: (title) => row.cells[old?.header.indexOf(title) ?? -1] ?? "" }] : [];
  });
  const rows = [...new Map(kept.map((row) => [row.argument.name, row])).values()];
  for (const [at, argument] of wanted.entries()) {
    if (rows.some((row) => row.argument === argument)) continue;
    const before = wanted[at - 1];
    const place = before ? rows.findIndex((row) => row.argument === before) + 1 : 0;
    rows.splice(place, 0, { argument, own: (title) => (title === meaning ? argument.description : "") });
  }
  const shown = rows.map(({ argument, own }) => titles.map((title) => derivedCell(title, argument) ?? own(title)));
  return [rowLine(titles), dashesLine(titles.length), ...shown.map(rowLine)];
}

interface Filled {
  readonly argument: Argument;
  /** What stands in a column that is not derived. */
  own(title: string): string;
}

/** The table between the markers; without them the one whose first column is the name. */
function tableOf(section: Section): {
  readonly table?: Table;
  /** Line of the opening marker. */
  readonly opened?: number;
  /** The same, where nothing closes it. */
  readonly unclosed?: number;
} {
  const marker = (text: string) => section.lines.find(({ raw, code }) => !code && raw.trim() === text)?.line;
  const [opened, closed] = [marker(MARKERS.open), marker(MARKERS.close)];
  if (opened !== undefined && (closed === undefined || closed < opened)) return { unclosed: opened };
  const tables = tablesIn(section.lines);
  const table =
    opened === undefined
      ? tables.find(({ header }) => plain(header[0] ?? "") === "name")
      : tables.find(({ line, end }) => line > opened && end < (closed ?? 0));
  return { ...(table ? { table } : {}), ...(opened === undefined ? {} : { opened }) };
}

function rowFindings(file: string, table: Table, wanted: readonly Argument[]): readonly Diagnostic[] {
  const seen = new Set<string>();
  return table.rows.flatMap((row): readonly Diagnostic[] => {
    const { line } = row;
    const name = nameOf(table, row);
    const argument = wanted.find((item) => item.name === name);
    const repeated = seen.has(name);
    seen.add(name);
    if (!argument || repeated) {
      const what = repeated
        ? `expected one row for ${name}, found another`
        : `expected a row for an argument of the tool, found ${name || "none"}`;
      const hint = "Take the row out, or `check dox --fix` does.";
      return [diagnostic("DOX_ARGUMENT_UNKNOWN", { file, line, message: what, hint, fix: fixOf(file) })];
    }
    return (["type", "required", "default"] as const).flatMap((title) => {
      const found = plainText(row.cells[columnOf(table, title)] ?? "");
      const expected = plainText(derivedCell(title, argument) ?? "");
      if (found === expected || (title === "required" && found.toLowerCase() === expected)) return [];
      const message = `expected the ${title} of ${name} to be ${expected || "empty"}, as the schema has it, found ${found || "none"}`;
      const hint = "Write what the schema says, or `check dox --fix` does.";
      return [diagnostic(CELL_CODES[title], { file, line, message, hint, fix: fixOf(file) })];
    });
  });
}

const CELL_CODES = {
  type: "DOX_ARGUMENT_TYPE",
  required: "DOX_ARGUMENT_REQUIRED",
  default: "DOX_ARGUMENT_DEFAULT",
} as const;

function missingRows(file: string, table: Table, wanted: readonly Argument[]): readonly Diagnostic[] {
  const listed = new Set(table.rows.map((row) => nameOf(table, row)));
  return wanted
    .filter(({ name }) => !listed.has(name))
    .map(({ name }) => {
      const message = `expected a row for the argument ${name}, found none`;
      const hint = "Add it, or `check dox --fix` does.";
      return diagnostic("DOX_ARGUMENT_MISSING", { file, line: table.line, message, hint, fix: fixOf(file) });
    });
}

function tableFinding(file: string, line: number, message: string): Diagnostic {
  const hint = `Its columns are ${DERIVED.join(", ")}, meaning; \`check dox --fix\` writes it.`;
  return diagnostic("DOX_ARGUMENT_TABLE", { file, line, message, hint, fix: fixOf(file) });
}

function fixOf(file: string): { readonly file: string; readonly description: string } {
  return { file, description: "write the table of arguments" };
}

/** A cell as the schema says it; undefined for columns that it knows nothing of. */
function derivedCell(title: string, { name, type, required, preset }: Argument): string | undefined {
  const cells: Readonly<Record<Derived, string>> = {
    name: `\`${name}\``,
    type,
    required: required ? "yes" : "no",
    default: preset === undefined ? "" : `\`${preset}\``,
  };
  return DERIVED.find((column) => column === plain(title)) && cells[plain(title) as Derived];
}

/** The columns of a table, with those that it must have. */
function titlesOf(table: Table): readonly string[] {
  const own = table.header.filter((title) => !DERIVED.some((column) => column === plain(title)));
  const complete = DERIVED.every((column) => columnOf(table, column) >= 0);
  return complete ? table.header : [...DERIVED, ...own];
}

function meaningOf(titles: readonly string[]): string | undefined {
  const own = titles.filter((title) => !DERIVED.some((column) => column === plain(title)));
  return own.find((title) => plain(title) === "meaning") ?? own[0];
}

function columnOf(table: Table, title: Derived): number {
  return table.header.findIndex((cell) => plain(cell) === title);
}

function nameOf(table: Table, { cells }: TableRow): string {
  return plainText(cells[Math.max(0, columnOf(table, "name"))] ?? "");
}

function plain(text: string): string {
  return plainText(text).toLowerCase();
}

function plainText(text: string): string {
  return text.replaceAll("`", "").replace(/\s+/gu, " ").trim();
}
