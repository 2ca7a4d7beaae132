import { type Diagnostic, diagnostic } from "../diagnostics.ts";

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

// Each finding names the file to edit, which for a missing document is the file to write.

export function missing(file: string, module: string): Diagnostic {
  return diagnostic("DOX_MISSING", {
    file,
    message: `expected a document for ${module}, found none`,
    hint: `Write it with the sections ${DOX_SECTIONS.join(", ")}.`,
    fix: { file, description: "create the document" },
  });
}

export function orphan(file: string, name: string): Diagnostic {
  return diagnostic("DOX_ORPHAN", {
    file,
    message: `expected the tool module ${name.replace(/\.dox\.(?:md|markdown)$/i, "")} beside it, found none`,
    hint: "Delete the document together with its tool, or rename it with it.",
  });
}

export function misnamed({ file, wanted, taken }: { file: string; wanted: string; taken: boolean }): Diagnostic {
  return diagnostic("DOX_MISNAMED", {
    file,
    message: `expected the name ${wanted}, the module's whole file name and .dox.md`,
    hint: taken ? `Merge it into ${wanted} and delete it.` : "Rename it.",
    fix: { file, description: taken ? `merge into ${wanted}` : `rename to ${wanted}` },
  });
}

export function sectionMissing(file: string, title: string): Diagnostic {
  return diagnostic("DOX_SECTION_MISSING", {
    file,
    message: `expected a section "## ${title}", found none`,
    hint: `The sections in their order: ${DOX_SECTIONS.join(", ")}.`,
  });
}

export function sectionEmpty(file: string, { title, line }: { title: string; line: number }): Diagnostic {
  return diagnostic("DOX_SECTION_EMPTY", {
    file,
    line,
    message: `expected text in the section "${title}", found none`,
    hint: 'Where there is nothing to tell, say so, for example "None.".',
  });
}

export function outOfOrder(file: string, { title, line }: { title: string; line: number }, before: string): Diagnostic {
  return diagnostic("DOX_SECTION_ORDER", {
    file,
    line,
    message: `expected the section "${title}" after "${before}", found it before`,
    hint: `The order: ${DOX_SECTIONS.join(", ")}.`,
  });
}

export function duplicate(
  file: string,
  { title, line, first }: { title: string; line: number; first: number },
): Diagnostic {
  return diagnostic("DOX_SECTION_DUPLICATE", {
    file,
    line,
    message: `expected the section "${title}" once, found it again (first in line ${first})`,
    hint: "Join the two.",
  });
}

export function unlisted(error: NodeJS.ErrnoException, file: string): Diagnostic {
  if (error.code === "ENOTDIR") {
    return diagnostic("NOT_A_DIRECTORY", { file, message: "expected a directory of tools, found a file" });
  }
  return diagnostic("DIRECTORY_UNREADABLE", {
    file,
    message: `the directory could not be read (${error.code ?? error.message})`,
  });
}

export function unreadable(error: NodeJS.ErrnoException, file: string): Diagnostic {
  return diagnostic("DOX_UNREADABLE", {
    file,
    message: `the document could not be read (${error.code ?? error.message})`,
  });
}
