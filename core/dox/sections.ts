/** A level-2 section of a Markdown document. `line` is that of its heading, 1-based. */
export interface Section {
  readonly title: string;
  readonly line: number;
  /** Nothing but blank lines, deeper headings and comments stand in it. */
  readonly empty: boolean;
}

/** The `## ` sections of a Markdown document in their order; headings inside fenced code are code. */
export function parseSections(markdown: string): readonly Section[] {
  const sections: { title: string; line: number; empty: boolean }[] = [];
  let current: { title: string; line: number; empty: boolean } | undefined;
  let fence: string | undefined;
  const text = markdown.replace(/^\uFEFF/, "").replace(/<!--[\s\S]*?-->/g, keepLines);
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const marker = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (fence !== undefined) {
      if (marker && closes(fence, marker)) fence = undefined;
      else if (current && line.trim() !== "") current.empty = false;
      continue;
    }
    if (marker) {
      fence = marker[1];
      continue;
    }
    const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line);
    if (!heading) {
      if (current && line.trim() !== "") current.empty = false;
      continue;
    }
    const level = heading[1]?.length ?? 0;
    if (level > 2) continue;
    current = level === 2 ? { title: heading[2] ?? "", line: index + 1, empty: true } : undefined;
    if (current) sections.push(current);
  }
  return sections;
}

/** A fence is closed by the same character, at least as often, with nothing behind it. */
function closes(fence: string, [, marker = "", rest = ""]: RegExpExecArray): boolean {
  return marker[0] === fence[0] && marker.length >= fence.length && rest.trim() === "";
}

function keepLines(comment: string): string {
  return comment.replace(/[^\n]/g, "");
}
