/** A form that keys and tokens of a kind have. */
export interface KeyShape {
  /** As people are told: `a token of GitHub`. */
  readonly name: string;
  readonly pattern: RegExp;
}

/** What is taken for a key, by its form alone. A new row needs a prefix that nothing else has. */
export const KEY_SHAPES: readonly KeyShape[] = [
  { name: "a private key", pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----/gu },
  { name: "a key of OpenAI or Anthropic", pattern: /\bsk-[A-Za-z0-9_-]{20,}/gu },
  { name: "a key of Stripe", pattern: /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/gu },
  { name: "a token of GitHub", pattern: /\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})/gu },
  { name: "a token of GitLab", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/gu },
  { name: "a key id of AWS", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu },
  { name: "a key of Google", pattern: /\bAIza[A-Za-z0-9_-]{35}/gu },
  { name: "a token of Slack", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/gu },
  { name: "a token of npm", pattern: /\bnpm_[A-Za-z0-9]{36}\b/gu },
  { name: "a token of Hugging Face", pattern: /\bhf_[A-Za-z0-9]{30,}\b/gu },
  { name: "a JSON web token", pattern: /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/gu },
];

/** `sk-xxxxxxxx…` and the like stand for a key and are none. */
export function isPlaceholder(found: string): boolean {
  return new Set(found.slice(4)).size < 6 && !found.startsWith("-----");
}
