import { headingsOf, type MarkdownLine } from "./markdown.ts";

/** A level-2 section of a Markdown document. `line` is that of its heading, 1-based. */
export interface Section {
  readonly title: string;
  readonly line: number;
  /** What stands below its heading, deeper headings included. */
  readonly lines: readonly MarkdownLine[];
  /** Nothing but blank lines, deeper headings and comments stand in it. */
  readonly empty: boolean;
}

/** The `## ` sections among the lines of a Markdown document, in their order; headings inside fenced code are code. */
export function sectionsOf(lines: readonly MarkdownLine[]): readonly Section[] {
  const headings = headingsOf(lines);
  const deeper = new Set(headings.map(({ line }) => line));
  const borders = headings.filter(({ level }) => level <= 2);
  return borders.flatMap(({ level, title, line }, index) => {
    if (level < 2) return [];
    const own = lines.slice(line, (borders[index + 1]?.line ?? lines.length + 1) - 1);
    const said = ({ line: at, prose, raw, code }: MarkdownLine) =>
      code ? raw.trim() !== "" : prose.trim() !== "" && !deeper.has(at);
    return [{ title, line, lines: own, empty: !own.some(said) }];
  });
}
