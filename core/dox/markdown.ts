/** One line of a Markdown text, seen as its reader sees it. */
export interface MarkdownLine {
  /** 1-based. */
  readonly line: number;
  readonly raw: string;
  /** The line with spaces for comments; blank inside fenced code and for its fences. Columns stay. */
  readonly prose: string;
  /** It lies in fenced code. The fences themselves do not. */
  readonly code: boolean;
}

/** A heading, of whatever level. */
export interface Heading {
  readonly level: number;
  readonly title: string;
  /** 1-based. */
  readonly line: number;
}

/** The lines of a text, with fenced code and comments told apart from what is said. */
export function readMarkdown(text: string): readonly MarkdownLine[] {
  let fence: string | undefined;
  let inComment = false;
  return text
    .replace(/^\uFEFF/u, "")
    .split(/\r?\n/u)
    .map((raw, index): MarkdownLine => {
      const at = { line: index + 1, raw };
      const marker = inComment ? null : /^ {0,3}(`{3,}|~{3,})(.*)$/u.exec(raw);
      if (fence !== undefined) {
        if (!marker || !closes(fence, marker)) return { ...at, prose: "", code: true };
        fence = undefined;
        return { ...at, prose: "", code: false };
      }
      // What opens with backticks and has more of them behind is a code span.
      if (marker && !(marker[1]?.startsWith("`") && marker[2]?.includes("`"))) {
        fence = marker[1];
        return { ...at, prose: "", code: false };
      }
      const blanked = withoutComments(raw, inComment);
      inComment = blanked.open;
      return { ...at, prose: blanked.text, code: false };
    });
}

/** The headings in their order. */
export function headingsOf(lines: readonly MarkdownLine[]): readonly Heading[] {
  return lines.flatMap(({ line, prose }) => {
    const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/u.exec(prose);
    return heading ? [{ level: heading[1]?.length ?? 0, title: heading[2] ?? "", line }] : [];
  });
}

/** What stands in backticks in a line of prose. */
export function codeSpans(prose: string): readonly string[] {
  return [...prose.matchAll(CODE_SPAN)].map((match) => (match[2] ?? "").trim());
}

/** A line of prose with spaces for its code spans. */
export function withoutCode(prose: string): string {
  return prose.replace(CODE_SPAN, (span) => " ".repeat(span.length));
}

const CODE_SPAN = /(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gu;

/** A fence is closed by the same character, at least as often, with nothing behind it. */
function closes(fence: string, [, marker = "", rest = ""]: RegExpExecArray): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && rest.trim() === "";
}

/** Spaces for comments. @param open the line begins inside of one */
function withoutComments(raw: string, open: boolean): { readonly text: string; readonly open: boolean } {
  let text = "";
  let inside = open;
  for (let rest = raw; rest !== ""; ) {
    const found = inside ? /^.*?-->/su.exec(rest) : /^(?:(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|(?!<!--).)+/su.exec(rest);
    const part = found?.[0] ?? (inside ? rest : "<!--");
    text += inside || !found ? " ".repeat(part.length) : part;
    if (inside ? found : !found) inside = !inside;
    rest = rest.slice(part.length);
  }
  return { text, open: inside };
}
