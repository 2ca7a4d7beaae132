import type { Usage } from "../sdk/events.ts";
import type { Json } from "../sdk/json.ts";

/** What a million tokens cost, in the currency in which limits are given. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

const TOKENS = 1_000_000;

/**
 * The price of a model by the setting `models.prices`: its own entry, else the longest one that ends in `*` and fits.
 * @returns undefined where none is known, which is not the same as nothing
 */
export function priceOf(prices: Json | undefined, model: string): Price | undefined {
  const known = (prices ?? {}) as unknown as { readonly [model: string]: Price };
  if (Object.hasOwn(known, model)) return known[model];
  const [best] = Object.keys(known)
    .filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)))
    .sort((a, b) => b.length - a.length);
  return best === undefined ? undefined : known[best];
}

/** What was used, in money. Tokens that nobody counted are none. */
export function costOf({ inputTokens = 0, outputTokens = 0 }: Usage, { input, output }: Price): number {
  return (inputTokens * input + outputTokens * output) / TOKENS;
}
