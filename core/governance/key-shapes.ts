import { isRandom } from "./random-text.ts";

/** A form that keys and tokens of a kind have. */
export interface KeyShape {
  /** As people are told: `a token of GitHub`. */
  readonly name: string;
  /** Global. A group, where there is one, is the secret part; else all of it is. */
  readonly pattern: RegExp;
  /** What begins like that may be a name as well (`sk-learn-…`): names are no keys. */
  readonly random?: true;
}

/**
 * What is taken for a key, by its form alone: a prefix or a frame that nothing else has. The one table for what leaves in
 * arguments and for what stands in files.
 */
export const KEY_SHAPES: readonly KeyShape[] = [
  { name: "a private key", pattern: /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/gu },
  { name: "a private key of age", pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/gu },
  { name: "a key of OpenAI or Anthropic", pattern: /\bsk-[A-Za-z0-9_-]{20,}/gu, random: true },
  { name: "a key of Stripe", pattern: /\b(?:[rs]k_(?:live|test)|whsec)_[A-Za-z0-9]{16,}/gu },
  { name: "a key of Groq", pattern: /\bgsk_[A-Za-z0-9]{30,}/gu },
  { name: "a key of xAI", pattern: /\bxai-[A-Za-z0-9]{40,}/gu },
  { name: "a key of Perplexity", pattern: /\bpplx-[A-Za-z0-9]{30,}/gu },
  { name: "a token of GitHub", pattern: /\b(?:gh[oprsu]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})/gu },
  { name: "a token of GitLab", pattern: /\bglpat-[A-Za-z0-9_-]{20,}/gu },
  { name: "a key id of AWS", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/gu },
  { name: "a key of Google", pattern: /\b(?:AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{20,})/gu },
  { name: "a token of Google", pattern: /\b(?:ya29\.[A-Za-z0-9_-]{20,}|1\/\/0[A-Za-z0-9_-]{30,})/gu },
  { name: "a token of Slack", pattern: /\b(?:xox[abeoprs]-|xoxe\.xox[bp]-|xapp-|xwfp-)[A-Za-z0-9-]{10,}/gu },
  {
    name: "a webhook of Slack",
    pattern: /\bhooks\.slack\.com\/services\/T[A-Za-z0-9]+\/B[A-Za-z0-9]+\/[A-Za-z0-9]{16,}/gu,
  },
  { name: "a webhook of Discord", pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{15,}\/[A-Za-z0-9_-]{40,}/gu },
  { name: "a token of a Discord bot", pattern: /\b[MNO][A-Za-z0-9_-]{22,28}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/gu },
  { name: "a token of a Telegram bot", pattern: /(?<!\d)\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/gu },
  { name: "a token of npm", pattern: /\bnpm_[A-Za-z0-9]{36}\b/gu },
  { name: "a token of PyPI", pattern: /\bpypi-AgE[A-Za-z0-9_-]{40,}/gu },
  { name: "a token of Hugging Face", pattern: /\bhf_[A-Za-z0-9]{30,}\b/gu },
  { name: "a key of SendGrid", pattern: /\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/gu },
  { name: "a key of Twilio", pattern: /\bSK[0-9a-f]{32}\b/gu },
  { name: "a token of DigitalOcean", pattern: /\bdo[opr]_v1_[0-9a-f]{60,}/gu },
  { name: "a token of Shopify", pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{30,}/gu },
  { name: "a token of Vault", pattern: /\bhv[bs]\.[A-Za-z0-9_-]{24,}/gu },
  { name: "a token of Databricks", pattern: /\bdapi[0-9a-f]{32}\b/gu },
  { name: "a key of Azure", pattern: /\b(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})/gu },
  { name: "a JSON web token", pattern: /\beyJ[A-Za-z0-9_-]{8,400}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,}/gu },
  // A scheme, a name and what stands between the colon and the at sign; no name, as Redis has it, counts as well.
  {
    name: "a password in an address",
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/?#'"<>]*:([^\s@/?#'"<>]{3,})@[\w[]/giu,
  },
];

/** What looks like a key, with its place. */
export interface FoundKey {
  readonly name: string;
  readonly index: number;
  /** All that the form covers. */
  readonly text: string;
}

/** What in a text has the form of a key, in the order of the table. Placeholders are none. */
export function* keysIn(text: string): Generator<FoundKey> {
  for (const { name, pattern, random } of KEY_SHAPES) {
    for (const found of text.matchAll(pattern)) {
      const [whole, secret = whole] = found;
      if (isPlaceholder(secret)) continue;
      if (random && !isKeyBody(secret.replace(/^sk-(?:[a-z]+\d*-)*/u, ""))) continue;
      yield { name, index: found.index, text: whole };
    }
  }
}

/** One run with a digit in it, or what looks drawn at random: names are several words. */
function isKeyBody(body: string): boolean {
  return (/^[A-Za-z0-9]{12,}$/u.test(body) && /\d/u.test(body)) || isRandom(body);
}

const EXAMPLE_WORDS =
  /example|your|placeholder|changeme|redacted|dummy|sample|xxxx|\.\.\.|\*\*\*|•••|^(?:pass(?:word)?|secret|token|user|pw|pwd)$/iu;

/** `sk-xxxxxxxx…`, `${PASSWORD}`, `<token>` and the like stand for a key and are none. */
export function isPlaceholder(found: string): boolean {
  if (found.startsWith("-----")) return false;
  if (/^(?:\$|\{\{?|<|%[A-Z_]|§§)/u.test(found) || EXAMPLE_WORDS.test(found)) return true;
  return found.length >= 12 && new Set(found.slice(4)).size < 6;
}
