import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type AssembledPrompt, withSummaries } from "../prompt/assemble.ts";
import { fragmentsToShorten, tokensAbove } from "../prompt/budget.ts";
import type { TokenCounter } from "../prompt/tokens.ts";

/** The sections of a system prompt, and the files that they were rendered of. */
interface Unlimited<Part extends { readonly text: string }> {
  readonly parts: readonly Part[];
  readonly rendered: readonly AssembledPrompt[];
  /** Undefined: nothing is counted. */
  readonly maxTokens: number | undefined;
  readonly count: TokenCounter;
}

/** How far a prompt was over its limit, and what became of it. */
export interface OverLimit {
  readonly tokens: number;
  readonly limit: number;
  /** Tokens that are left. */
  readonly left: number;
  /** Ids of the fragments of which the summaries are given, sorted. */
  readonly shortened: readonly string[];
}

/** Between two sections. */
const BETWEEN = "\n\n";

/** The whole prompt. */
export function joined(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join(BETWEEN);
}

/**
 * The sections within the limit of the whole prompt: of the largest fragments the summaries are given, until it is kept or
 * nothing is left to shorten. The words of sections themselves stay.
 */
export async function fitParts<Part extends { readonly text: string }>({
  parts,
  rendered,
  maxTokens: limit,
  count,
}: Unlimited<Part>): Promise<Pick<Unlimited<Part>, "parts" | "rendered"> & { readonly over?: OverLimit }> {
  const tokens = limit === undefined ? undefined : await tokensAbove(joined(parts), limit, count);
  if (limit === undefined || tokens === undefined) return { parts, rendered };
  let now = { parts, rendered };
  let left = tokens;
  // What a text saves by itself and inside of another differs by some tokens, so what was saved is counted.
  while (left > limit) {
    const chosen = await fragmentsToShorten(
      now.rendered.flatMap(({ pieces }) => pieces),
      left - limit,
      count,
    );
    if (chosen.size === 0) break;
    const next = now.rendered.map((one) =>
      one.pieces.some((piece) => chosen.has(piece)) ? withSummaries(one, chosen) : one,
    );
    now = {
      rendered: next,
      parts: now.parts.map((part) => {
        let { text } = part;
        for (const [at, one] of now.rendered.entries()) text = replaced(text, one.text, next[at]?.text ?? one.text);
        return { ...part, text };
      }),
    };
    left = await count(joined(now.parts));
  }
  const shortened = now.rendered.flatMap(({ sections }) =>
    sections.flatMap(({ id, shortened: short }) => (short ? [id] : [])),
  );
  return { ...now, over: { tokens, limit, left, shortened: shortened.sort(compareText) } };
}

function replaced(text: string, before: string, after: string): string {
  return before === after || before === "" ? text : text.replace(before, () => after);
}

/** So many fragments are named. */
const MAX_NAMED = 5;

export function overLimit(profile: string, { tokens, limit, left, shortened }: OverLimit): Diagnostic {
  const named = shortened.slice(0, MAX_NAMED).join(", ");
  const more = shortened.length > MAX_NAMED ? ` and ${shortened.length - MAX_NAMED} more` : "";
  const given =
    shortened.length === 0
      ? "no fragment has a shorter summary"
      : `the summaries of ${named}${more} are given, which leaves ${left}`;
  return diagnostic("PROMPT_OVER_BUDGET", {
    message: `the system prompt of the profile ${profile} has ${tokens} tokens, expected at most ${limit} (prompt.maxTokens); ${given}`,
    hint: "`toolroom prompt --tokens` shows what takes them. Switch off what is not needed, or raise the limit.",
  });
}
