import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { compareText, type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { CONVENTIONS } from "../discovery/conventions.ts";
import {
  DOX_SECTIONS,
  duplicate,
  misnamed,
  missing,
  orphan,
  outOfOrder,
  sectionEmpty,
  sectionMissing,
  unlisted,
  unreadable,
} from "./findings.ts";
import { parseSections } from "./sections.ts";

/** The direct files of a directory, so that the check itself needs no disk. */
export interface DoxFiles {
  /** Names of the regular files that lie directly in the directory. */
  list(): readonly string[];
  /** The text of one of them. */
  read(name: string): string;
}

/** What {@link checkDox} takes. */
export interface DoxOptions {
  /** The directory of the core tools, absolute; it need not exist. */
  readonly toolsDir: string;
  /** A file as diagnostics show it. @param file absolute path */
  display(file: string): string;
  /** Default: the disk. */
  readonly files?: DoxFiles;
}

/** What {@link checkDox} found. `checked` counts tool modules. */
export interface DoxReport {
  readonly diagnostics: readonly Diagnostic[];
  readonly checked: number;
}

/**
 * Checks that every tool module `<file>` lying directly in the directory has a companion document
 * `<file>.dox.md` with the sections of {@link DOX_SECTIONS}, and that no document is left over.
 * All findings are listed, each with the file to edit. Never throws.
 */
export function checkDox({ toolsDir, display, files = diskFiles(toolsDir) }: DoxOptions): DoxReport {
  const found: Diagnostic[] = [];
  const at = (name: string) => display(join(toolsDir, name));
  const names = attempt(
    () => [...files.list()].sort(compareText),
    (error) => found.push(unlisted(error, display(toolsDir))),
  );
  const modules = names.filter(isToolModule);
  const documents = names.filter((name) => DOCUMENT.test(name));
  const documented = new Set<string>();

  for (const name of documents) {
    const owner = modules.find((module) => name === `${module}.dox.md`) ?? nearestModule(name, modules);
    if (owner === undefined) {
      found.push(orphan(at(name), name));
      continue;
    }
    documented.add(owner);
    if (name !== `${owner}.dox.md`) {
      found.push(misnamed({ file: at(name), wanted: `${owner}.dox.md`, taken: names.includes(`${owner}.dox.md`) }));
    }
    const text = attempt(
      () => [files.read(name)],
      (error) => found.push(unreadable(error, at(name))),
    );
    found.push(...text.flatMap((markdown) => checkSections(markdown, at(name))));
  }
  for (const module of modules) {
    if (!documented.has(module)) found.push(missing(at(`${module}.dox.md`), at(module)));
  }
  return { diagnostics: uniqueDiagnostics(found), checked: modules.length };
}

const DOCUMENT = /^[^.].*\.dox\.(?:md|markdown)$/i;

/** As discovery sees it: not a helper (`_x.ts`), a test, a declaration or a hidden file. */
function isToolModule(name: string): boolean {
  return CONVENTIONS.tool.id(name, "") !== undefined;
}

/** The module that a wrongly named document (`wait.dox.md`, `Wait.ts.dox.md`) was meant for. */
function nearestModule(document: string, modules: readonly string[]): string | undefined {
  const meant = document.toLowerCase().replace(DOCUMENT_END, "");
  return modules.find((module) => {
    const name = module.toLowerCase();
    return meant === name || meant === name.replace(/\.[^.]+$/, "");
  });
}

const DOCUMENT_END = /\.dox\.(?:md|markdown)$/;

function checkSections(markdown: string, file: string): readonly Diagnostic[] {
  const sections = parseSections(markdown);
  const found: Diagnostic[] = [];
  const seen = new Map<string, number>();
  for (const { title, line } of sections) {
    const first = seen.get(title);
    if (first === undefined) seen.set(title, line);
    else found.push(duplicate(file, { title, line, first }));
  }
  let previous: { title: string; line: number } | undefined;
  for (const title of DOX_SECTIONS) {
    const section = sections.find((item) => item.title === title);
    if (!section) {
      found.push(sectionMissing(file, title));
      continue;
    }
    if (section.empty) found.push(sectionEmpty(file, section));
    if (previous && section.line < previous.line) found.push(outOfOrder(file, section, previous.title));
    else previous = section;
  }
  return found;
}

/** Runs `read`; a failure is reported and yields an empty list. */
function attempt<T>(read: () => readonly T[], report: (error: NodeJS.ErrnoException) => void): readonly T[] {
  try {
    return read();
  } catch (error) {
    report(error as NodeJS.ErrnoException);
    return [];
  }
}

/** The direct regular files on the disk; a directory that does not exist holds none. */
function diskFiles(directory: string): DoxFiles {
  return {
    list() {
      try {
        return readdirSync(directory, { withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => entry.name);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
        throw error;
      }
    },
    read: (name) => readFileSync(join(directory, name), "utf8"),
  };
}
