import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { toolModules } from "./companions.ts";
import { type Document, sectionOf } from "./document.ts";
import { codeSpans } from "./markdown.ts";
import type { Reader } from "./reader.ts";
import { tablesIn } from "./tables.ts";

/**
 * What the tables of the section Ownership of a page name in their first cells is there. Their first column says what
 * they list: `file`, `path` or `folder` by the path below the page's folder; `tool`, `profile` or `plugin`, and folders,
 * by their names, too. What has a placeholder (`<name>`, `*`) names nothing.
 */
export function ownedFindings(document: Document, directory: string, reader: Reader): readonly Diagnostic[] {
  const { file } = document;
  return tablesIn(sectionOf(document, "Ownership")?.lines ?? []).flatMap(({ header, rows }) =>
    rows.flatMap(({ cells, line }) => {
      const named = codeSpans(cells[0] ?? "");
      const title = (header[0] ?? "").toLowerCase();
      if (!LISTED.has(title)) return [];
      const homes = cells.slice(1).flatMap(codeSpans);
      const missing = named
        .filter((name, at) => isOwned(name, { title, first: at === 0 }))
        .filter((name) => !isThere(name, { title, directory, homes, reader }));
      return missing.map((name) => {
        const message = `expected ${name} in ${directory}, as the section Ownership says, found nothing`;
        return diagnostic("AGENTS_OWNED_MISSING", {
          file,
          line,
          message,
          hint: "Name what there is, or take the row out.",
        });
      });
    }),
  );
}

const LISTED: ReadonlySet<string> = new Set(["file", "path", "folder", "tool", "profile", "plugin"]);
const BY_NAME: ReadonlySet<string> = new Set(["profile", "plugin", "folder"]);
const PLAIN = /^\w+$/u;

/** Whether a code span names something that must be there. Behind the first, names are other names of the same. */
function isOwned(name: string, { title, first }: { readonly title: string; readonly first: boolean }): boolean {
  if (PLAIN.test(name)) return first && (title === "tool" || BY_NAME.has(title));
  return /^[\w.-]+(?:\/[\w.-]+)*\/?$/u.test(name) && /\/|\.\w+$/u.test(name);
}

interface Looking {
  readonly title: string;
  readonly directory: string;
  /** What other cells of the row name: where a tool is. Relative to the root. */
  readonly homes: readonly string[];
  readonly reader: Reader;
}

function isThere(name: string, { title, directory, homes, reader }: Looking): boolean {
  const path = posix.join(directory, name).replace(/\/$/u, "");
  if (!PLAIN.test(name) || title !== "tool") return reader.kind(path) !== undefined;
  return [directory, ...homes]
    .map((home) => home.replace(/\/$/u, ""))
    .map((home) => (posix.basename(home) === "tools" ? home : posix.join(home, "tools")))
    .some((home) => toolModules(reader.names(home)).some((module) => module.replace(/\.\w+$/u, "") === name));
}
