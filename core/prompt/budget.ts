import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type AssembledPrompt, withSummaries } from "./assemble.ts";
import type { Piece } from "./includes.ts";
import type { TokenCounter } from "./tokens.ts";

/** How long prompts may be. Undefined: as long as they are. */
export interface PromptLimits {
  /** Most tokens of a system prompt: the setting `prompt.maxTokens`. */
  readonly maxTokens: number | undefined;
  /** Most tokens of a fragment that says nothing of its own: the setting `prompt.fragmentTokens`. */
  readonly fragmentTokens: number | undefined;
}

/** Counting costs; a token is a byte at least, so most texts need none. */
export async function tokensAbove(text: string, limit: number, count: TokenCounter): Promise<number | undefined> {
  if (Buffer.byteLength(text) <= limit) return undefined;
  const tokens = await count(text);
  return tokens > limit ? tokens : undefined;
}

/**
 * The prompt with the summary of each fragment that is over its budget in place of the fragment; the same object where none
 * is. Where no budget is set, nothing is counted.
 */
export async function withinBudgets(
  prompt: AssembledPrompt,
  { fragmentTokens }: PromptLimits,
  count: TokenCounter,
): Promise<AssembledPrompt> {
  const chosen = new Set<Piece>();
  const found: Diagnostic[] = [];
  for (const piece of prompt.pieces) {
    const limit = piece.fragment && (piece.fragment.budget ?? fragmentTokens);
    const tokens = limit === undefined ? undefined : await tokensAbove(piece.text, limit, count);
    if (limit === undefined || tokens === undefined) continue;
    const shorter = savingOf(piece) > 0;
    if (shorter) chosen.add(piece);
    found.push(overBudget(piece, { tokens, limit, shorter }));
  }
  if (found.length === 0) return prompt;
  const diagnostics = [...prompt.diagnostics, ...found];
  return withSummaries({ ...prompt, diagnostics }, chosen);
}

/**
 * The fragments whose summaries save at least so many tokens, the largest first and equal ones by name; all of those that
 * save something where that is not enough.
 */
export async function fragmentsToShorten(
  pieces: readonly Piece[],
  tokens: number,
  count: TokenCounter,
): Promise<ReadonlySet<Piece>> {
  const able = await Promise.all(
    pieces
      .filter((piece) => savingOf(piece) > 0)
      .map(async (piece) => ({ piece, whole: await count(piece.text), short: await count(shortOf(piece)) })),
  );
  able.sort((a, b) => b.whole - a.whole || compareText(a.piece.origin.id, b.piece.origin.id));
  const chosen = new Set<Piece>();
  let saved = 0;
  for (const { piece, whole, short } of able) {
    if (saved >= tokens) break;
    chosen.add(piece);
    saved += whole - short;
  }
  return chosen;
}

/** Characters that the summary saves. */
function savingOf(piece: Piece): number {
  const short = piece.fragment?.short;
  return short === undefined ? 0 : piece.text.length - short.length;
}

function shortOf(piece: Piece): string {
  return piece.fragment?.short ?? piece.text;
}

function overBudget(
  { origin }: Piece,
  { tokens, limit, shorter }: { readonly tokens: number; readonly limit: number; readonly shorter: boolean },
): Diagnostic {
  return diagnostic("FRAGMENT_OVER_BUDGET", {
    file: origin.path,
    message: `has ${tokens} tokens, expected at most ${limit}; the model is given ${shorter ? "its summary" : "all of it, since it has no shorter summary"}`,
    hint: shorter
      ? "Shorten the text, or raise its budget."
      : "Shorten the text, or write a summary: in its front matter.",
  });
}
