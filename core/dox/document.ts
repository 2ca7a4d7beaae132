import { type MarkdownLine, readMarkdown } from "./markdown.ts";
import { type Section, sectionsOf } from "./sections.ts";

/** A Markdown document that a check looks at. */
export interface Document {
  /** Display path. */
  readonly file: string;
  readonly text: string;
  readonly lines: readonly MarkdownLine[];
  readonly sections: readonly Section[];
}

/** Reads a document. @param file display path */
export function parseDocument(file: string, text: string): Document {
  const lines = readMarkdown(text);
  return { file, text, lines, sections: sectionsOf(lines) };
}

/** The first section of a title. */
export function sectionOf({ sections }: Document, title: string): Section | undefined {
  return sections.find((section) => section.title === title);
}
