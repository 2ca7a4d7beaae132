import { type Diagnostic, diagnostic, type Severity } from "../diagnostics.ts";
import { showsCall } from "./call-fit.ts";
import { type FragmentText, RETURNS } from "./fragment-text.ts";
import type { CheckedFragment } from "./subject.ts";

/**
 * What tells a model when to use a tool, one of:
 *
 * - a heading such as "When to use", "Usage", "何时使用", "使用场景", "适用"
 * - "use it", "call this", "choose `name`", "look for one", "prefer …", or "when", "whenever", "before you", "as soon as"
 * - 当 … 时, 需要 … 时, 如果 …, 用于, 用来, 适用, 适合, 使用它, 使用此, 使用本
 *
 * Lists, tables and code do not count: "used when …" of an argument says nothing of the tool.
 */
const WHEN: readonly RegExp[] = [
  /\b(?:use|call|choose|pick|prefer|try|reach for|look for)\s+(?:it|this|these|them|one|only|me|the|`)/iu,
  /\b(?:when(?:ever)?|before you|after you|as soon as|in case|if you|if the|useful (?:for|to)|good for|meant for|used (?:for|to))\b/iu,
  /(?:当|需要|想要|遇到|每当|一旦).{0,40}(?:时|的时候|之前|之后)|如果|用于|用来|适用|适合|何时|使用(?:它|此|本|该|这)/u,
];

const WHEN_HEADING = /\b(?:when|usage|use cases?)\b|何时|什么时候|场景|适用|用法/iu;

/**
 * Each fragment says when to use its tool, shows a call, and says what comes back: in the front matter's `returns`, in a
 * sentence or below a heading that begins with "Returns" and the like.
 */
export function checkWording(
  { file, meta, line, tools }: CheckedFragment,
  { lines, blocks }: FragmentText,
  severity: Severity,
): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  const saysWhen = lines.some(({ text, kind }) =>
    kind === "heading" ? WHEN_HEADING.test(text) : kind === "prose" && WHEN.some((pattern) => pattern.test(text)),
  );
  if (!saysWhen) {
    found.push(
      diagnostic("FRAGMENT_NO_WHEN", {
        ...{ severity, file, line },
        message: "expected a sentence on when to use the tool, found none",
        hint: 'Write one such as "Use it when …", or "当 … 时使用".',
      }),
    );
  }
  if (!blocks.some(({ text }) => showsCall(text))) {
    found.push(
      diagnostic("FRAGMENT_NO_EXAMPLE", {
        ...{ severity, file, line },
        message: "expected an example call, found no fenced JSON with tool_name and tool_args",
        hint: `Show a call: ~~~json, {"tool_name": "${tools[0]?.id ?? "…"}", "tool_args": {…}}, ~~~.`,
      }),
    );
  }
  const saysReturns = (meta.returns ?? "").trim() !== "" || lines.some(({ text, kind }) => isReturns(text, kind));
  if (!saysReturns) {
    found.push(
      diagnostic("FRAGMENT_NO_RETURNS", {
        ...{ severity, file, line },
        message: "expected what the tool returns, found neither `returns` in the front matter nor a sentence on it",
        hint: 'Write a sentence that begins with "Returns", or returns: in the front matter.',
      }),
    );
  }
  return found;
}

/** A sentence inside a paragraph counts as well as its first. */
function isReturns(text: string, kind: FragmentText["lines"][number]["kind"]): boolean {
  if (kind !== "prose" && kind !== "heading") return false;
  return RETURNS.test(text) || text.split(/(?<=[.!?。！？])\s*/u).some((sentence) => RETURNS.test(sentence));
}
