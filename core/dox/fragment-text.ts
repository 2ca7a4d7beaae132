/** One line of a text that is read as Markdown. */
export interface TextLine {
  /** 1-based, of the file. */
  readonly line: number;
  /** Without comments and without the tags of raw blocks. */
  readonly text: string;
  readonly kind: "prose" | "heading" | "item" | "row" | "code" | "blank";
  /**
   * It says what comes back: it stands below a heading that begins so, in a paragraph from a line on that begins so, or in
   * the list or table behind such a line that ends in a colon.
   */
  readonly returns: boolean;
}

/** A fenced block, or a raw block that holds an object. */
export interface CodeBlock {
  /** Of the first line inside. */
  readonly line: number;
  readonly text: string;
}

/** A prompt file's text with what its Markdown says of each line. */
export interface FragmentText {
  readonly lines: readonly TextLine[];
  readonly blocks: readonly CodeBlock[];
}

/** A sentence or heading that says what a tool gives. English and Chinese. */
export const RETURNS =
  /^(?:#+\s*)?(?:\*\*|__)?(?:it |the tool |this tool )?(?:returns?\b|gives? back\b|answers? with\b|output\b|results?\b|the (?:result|answer|output) (?:is|has|holds|contains)\b|(?:它|该工具|此工具|本工具)?(?:会)?(?:返回|输出|结果))/iu;

/** @param line of the file that the text begins at */
export function parseFragmentText(text: string, line: number): FragmentText {
  const lines: TextLine[] = [];
  const blocks: CodeBlock[] = [];
  let fence: { readonly mark: string; readonly line: number; readonly inside: string[] } | undefined;
  let raw: { readonly line: number; readonly inside: string[] } | undefined;
  let returns: "section" | "paragraph" | "list" | undefined;
  const add = (at: number, shown: string, kind: TextLine["kind"]): void => {
    lines.push({ line: at, text: shown, kind, returns: returns !== undefined });
  };
  for (const [index, written] of withoutComments(text).split("\n").entries()) {
    const at = line + index;
    const tag = RAW_TAG.exec(written);
    if (tag && !fence) {
      if (tag[1] === "" && raw === undefined) raw = { line: at + 1, inside: [] };
      else if (raw) {
        if (raw.inside.join("\n").trimStart().startsWith("{"))
          blocks.push({ line: raw.line, text: raw.inside.join("\n") });
        raw = undefined;
      }
      add(at, "", "blank");
      continue;
    }
    const marker = FENCE.exec(written);
    if (fence) {
      if (marker?.[2]?.trim() === "" && marker[1]?.startsWith(fence.mark)) {
        blocks.push({ line: fence.line, text: fence.inside.join("\n") });
        fence = undefined;
      } else fence.inside.push(written);
      add(at, written, "code");
      continue;
    }
    if (marker?.[1]) {
      fence = { mark: marker[1], line: at + 1, inside: [] };
      add(at, written, "code");
      continue;
    }
    if (raw) raw.inside.push(written);
    const object = raw?.inside.join("\n").trimStart().startsWith("{") === true;
    const kind = object ? "code" : kindOf(written);
    if (kind === "heading") returns = RETURNS.test(written) ? "section" : undefined;
    else if (returns !== "section") returns = returnsBehind(written, kind, returns);
    add(at, written, kind);
  }
  return { lines, blocks };
}

/** Whether a line belongs to what says what comes back, by that of the line before. */
function returnsBehind(
  text: string,
  kind: TextLine["kind"],
  before: "paragraph" | "list" | undefined,
): "paragraph" | "list" | undefined {
  if (kind === "prose" && (RETURNS.test(text) || before === "paragraph"))
    return /[:：]\s*$/u.test(text) ? "list" : "paragraph";
  if (kind === "prose" && !/^\s/u.test(text)) return undefined;
  return before === "list" ? before : undefined;
}

const RAW_TAG = /^\s*\{\{\{\{(\/?)raw\}\}\}\}\s*$/u;
const FENCE = /^\s*(`{3,}|~{3,})(.*)$/u;

function kindOf(text: string): TextLine["kind"] {
  if (text.trim() === "") return "blank";
  if (/^#{1,6}(?:\s|$)/u.test(text)) return "heading";
  if (/^\s*(?:[-*+]|\d+[.)])\s/u.test(text)) return "item";
  return /^\s*\|/u.test(text) ? "row" : "prose";
}

/** What a template leaves out stays out, with its line breaks. */
function withoutComments(text: string): string {
  if (!text.includes("{{!")) return text;
  return text.replace(/\{\{!--[\s\S]*?--\}\}|\{\{![^}]*\}\}/gu, (comment) => comment.replace(/[^\n]/gu, ""));
}
