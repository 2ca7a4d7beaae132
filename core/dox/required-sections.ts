import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Document } from "./document.ts";

/** The sections that a companion document must have, in this order. */
export const DOX_SECTIONS = [
  "Purpose",
  "Arguments",
  "Output",
  "Side effects",
  "Dependencies",
  "Prompt contract",
  "Verification",
] as const;

/** The sections that a page `AGENTS.md` must have, in this order. */
export const PAGE_SECTIONS = ["Purpose", "Ownership", "Local contracts", "Verification", "Children"] as const;

/** What stands, alone in its line, where nobody has written yet. */
export const STUB = "To be written.";

/** Holds a document to its sections: all there, in order, none empty, none twice, none a stub. Others may stand between. */
export function sectionFindings({ file, sections, lines }: Document, titles: readonly string[]): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const order = `The sections in their order: ${titles.join(", ")}.`;
  const seen = new Map<string, number>();
  for (const { title, line } of sections) {
    const first = seen.get(title);
    if (first === undefined) seen.set(title, line);
    else {
      const message = `expected the section "${title}" once, found it again (first in line ${first})`;
      found.push(diagnostic("DOX_SECTION_DUPLICATE", { file, line, message, hint: "Join the two." }));
    }
  }
  let previous: { title: string; line: number } | undefined;
  for (const title of titles) {
    const section = sections.find((item) => item.title === title);
    if (!section) {
      const message = `expected a section "## ${title}", found none`;
      found.push(diagnostic("DOX_SECTION_MISSING", { file, message, hint: order }));
      continue;
    }
    const { line } = section;
    if (section.empty) {
      const message = `expected text in the section "${title}", found none`;
      const hint = 'Where there is nothing to tell, say so, for example "None.".';
      found.push(diagnostic("DOX_SECTION_EMPTY", { file, line, message, hint }));
    }
    if (previous && line < previous.line) {
      const message = `expected the section "${title}" after "${previous.title}", found it before`;
      found.push(diagnostic("DOX_SECTION_ORDER", { file, line, message, hint: order }));
    } else previous = section;
  }
  for (const { line, prose } of lines) {
    if (prose.trim() !== STUB) continue;
    const message = `expected text, found "${STUB}"`;
    found.push(diagnostic("DOX_STUB", { file, line, message, hint: "Write what whoever changes it must know." }));
  }
  return found;
}
