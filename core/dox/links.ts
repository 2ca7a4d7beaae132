import { posix } from "node:path";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Document } from "./document.ts";
import { headingsOf, type MarkdownLine, withoutCode } from "./markdown.ts";
import type { Reader } from "./reader.ts";

/** A link to something of the root. */
export interface Link {
  /** As it is written, without what belongs to the form. */
  readonly written: string;
  /** Display path of what it leads to; `../…` where that lies outside of the root. */
  readonly target: string;
  /** Without `#`. */
  readonly anchor: string | undefined;
  /** 1-based. */
  readonly line: number;
}

/** The relative links of some lines of a document, in their order. Those with a scheme lead elsewhere. */
export function linksIn(file: string, lines: readonly MarkdownLine[]): readonly Link[] {
  return lines.flatMap(({ prose, line }) => {
    const plain = withoutCode(prose);
    const written = [...plain.matchAll(INLINE), ...plain.matchAll(REFERENCE)].map((match) =>
      (match[1] ?? "").replace(/^<(.*)>$/u, "$1"),
    );
    return written
      .filter((target) => target !== "" && !/^(?:[a-z][a-z0-9+.-]*:|\/\/)/iu.test(target))
      .map((target) => ({ written: target, line, ...targetOf(file, target) }));
  });
}

const INLINE = /\]\(\s*(<[^>]*>|(?:[^\s()]|\([^\s()]*\))*)(?:\s+(?:"[^"]*"|'[^']*'|\([^)]*\)))?\s*\)/gu;
const REFERENCE = /^ {0,3}\[(?!\^)[^\]]+\]:\s*(<[^>]*>|\S+)/gu;

function targetOf(file: string, written: string): { readonly target: string; readonly anchor: string | undefined } {
  const [way = "", anchor] = written.split("#", 2);
  const path = decoded(way.replace(/\?.*$/u, ""));
  // A slash at the beginning means the top of the repository, as forges show it.
  const target =
    path === "" ? file : posix.normalize(path.startsWith("/") ? `.${path}` : posix.join(posix.dirname(file), path));
  return { target: target.replace(/(?<=.)\/$/u, ""), anchor: anchor && decoded(anchor) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Links that lead nowhere. @param skip links that somebody else looks at */
export function linkFindings(
  document: Document,
  reader: Reader,
  skip: ReadonlySet<number> = new Set(),
): readonly Diagnostic[] {
  const { file, lines } = document;
  return linksIn(
    file,
    lines.filter(({ line }) => !skip.has(line)),
  ).flatMap((link): readonly Diagnostic[] => {
    const { written, target, anchor, line } = link;
    if (target === ".." || target.startsWith("../")) {
      const message = `expected a link to a file of the root, found ${written}, which leads out of it`;
      return [diagnostic("DOX_LINK", { file, line, message, hint: "Link to a file of the root, or to an address." })];
    }
    if (reader.kind(target) === undefined) {
      const message = `expected ${target} to be there, as the link ${written} says, found nothing`;
      return [diagnostic("DOX_LINK", { file, line, message, hint: "Mend the link, or take it out." })];
    }
    const aim = anchor && /\.(?:md|markdown)$/iu.test(target) ? reader.document(target) : undefined;
    if (!aim || anchorsOf(aim).has(anchor?.toLowerCase() ?? "")) return [];
    const message = `expected a heading for #${anchor} in ${target}, found none`;
    return [diagnostic("DOX_ANCHOR", { file, line, message, hint: "Mend the anchor, or take it out." })];
  });
}

/** What a link can lead to in a document: its headings as forges name them, numbered where they repeat, and named anchors. */
function anchorsOf({ lines }: Document): ReadonlySet<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const { title } of headingsOf(lines)) {
    const slug = title
      .replace(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1")
      .replaceAll("`", "")
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const { prose } of lines) {
    for (const [, name = ""] of withoutCode(prose).matchAll(/<a\s[^>]*\b(?:id|name)=["']([^"']+)["']/giu))
      anchors.add(name.toLowerCase());
  }
  return anchors;
}
