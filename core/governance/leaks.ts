import { keysIn } from "./key-shapes.ts";
import { isRandom } from "./random-text.ts";
import { RECEIPT_IDS } from "./receipt-id.ts";

/** Longer runs are data: an image, an archive, a certificate. */
const LONGEST_KEY = 200;
const SHORTEST_KEY = 24;

/**
 * What in a text looks like a secret, told by its kind; undefined where nothing does. By form first, then by the name that
 * stands before a value (`password=…`, `Authorization: Bearer …`), at last what looks drawn at random and is not of a shape
 * that other things have: ids, hashes, paths, addresses without a password, encoded text and images, receipts. What is
 * written so that it does not look like one (percent signs, characters without a width, full width) is looked at as it
 * would be read, too.
 */
export function leakIn(text: string): string | undefined {
  const plain = plainly(text);
  return leakInPlain(text) ?? (plain === text ? undefined : leakInPlain(plain));
}

/** What is encoded inside of something encoded, too. */
function plainly(text: string): string {
  let plain = text;
  for (let round = 0; round < MOST_ENCODINGS && PERCENT.test(plain); round++)
    plain = plain.replace(PERCENT_RUNS, decoded);
  return /^[\x20-\x7e\s]*$/u.test(plain) ? plain : plain.replace(WITHOUT_WIDTH, "").normalize("NFKC");
}

const MOST_ENCODINGS = 3;
const PERCENT = /%[0-9a-f]{2}/iu;
const PERCENT_RUNS = /(?:%[0-9a-f]{2})+/giu;
const WITHOUT_WIDTH = /\p{Cf}|\p{Variation_Selector}|\u034f/gu;

function decoded(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    // Bytes that are no UTF-8.
    return run;
  }
}

function leakInPlain(text: string): string | undefined {
  for (const { name } of keysIn(text)) return name;
  return labelled(text) ? "a password, a key or a token behind its name" : unlabelled(text);
}

/**
 * A name that says what the value is. Not meant: names of cursors (`page_token`), of counts (`max_tokens`) and what only
 * speaks of a key.
 */
const LABEL =
  /(?<![A-Za-z])(?:[A-Za-z0-9]{1,24}[_-]){0,4}?(?<before>max|page|next|prev|previous|sync|continuation|num|total|prompt|completion|public|primary|foreign|sort|partition|csrf|xsrf)?[_-]?(?:pass(?:word|wd|phrase)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|client[_-]?secret|bearer|token|credentials?|signature|sig)(?<after>s)?["']?\s{0,3}(?:[:=]|=>|:=)\s{0,3}(?:Bearer\s+|Basic\s+)?["'`]?(?<value>[^\s"'`,;&<>(){}[\]]{8,})/giu;

const HEADER =
  /\bauthorization["']?\s{0,3}[:=]\s{0,3}["']?(?:bearer|basic|token)\s+(?<value>[A-Za-z0-9+/=._~-]{12,})/giu;

function labelled(text: string): boolean {
  for (const { groups } of text.matchAll(LABEL)) {
    const { before, after, value = "" } = groups ?? {};
    if (before === undefined && after === undefined && isSecretValue(value)) return true;
  }
  for (const { groups } of text.matchAll(HEADER)) if (isCredential(groups?.value ?? "")) return true;
  return false;
}

/** A value behind such a name need not look random, but a word, a path, a call or a placeholder is none. */
function isSecretValue(value: string): boolean {
  if (/^(?:\$|\{|<|%|§§|\/|\.\/|https?:|process\.|os\.|env\.|null|true|false|undefined|none)/iu.test(value))
    return false;
  if (/^[a-z]+(?:[._-]?[a-z]+)*$/iu.test(value) || /^\d{1,9}$/u.test(value)) return false;
  if (/example|your|placeholder|changeme|redacted|xxxx|\*\*\*|\.\.\./iu.test(value)) return false;
  return /\d/u.test(value) && /[A-Za-z]/u.test(value);
}

/** What stands behind a scheme of authorization. */
function isCredential(value: string): boolean {
  return /\d|=$|[a-z][A-Z]/u.test(value) && !/example|your|placeholder|xxxx/iu.test(value);
}

/** Ids that services give to things, not to those who may use them. */
const PUBLIC_ID =
  /^(?:(?:pi|ch|cus|sub|in|ii|evt|pm|price|prod|acct|req|txn|seti|src|card|tr|po|cs|call|msg|toolu|resp|run|thread|asst|file|chatcmpl|rcpt|batch|vs|item|fc|rs|step|project|org|user|gen)[_-])/u;

/** What stands in a text in long runs and is no secret. */
const HARMLESS: readonly RegExp[] = [
  RECEIPT_IDS,
  /data:[\w.+-]+\/[\w.+-]+(?:;[\w=.-]+)*,[^\s"')>]*/gu,
  // Integrity hashes, public keys of SSH, certificates.
  /\bsha(?:1|256|384|512)[-:][A-Za-z0-9+/=_-]+/gu,
  /\bAAAA[A-E][0-9A-Za-z+/=]{30,}/gu,
  /-----BEGIN (?:CERTIFICATE|PUBLIC KEY|PGP [A-Z ]+|SSH2 PUBLIC KEY)-----[\s\S]{0,20000}?-----END /gu,
  /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/giu,
  // Moments, with what makes an id of one.
  /\b\d{8}T\d{6,9}(?:-[0-9a-f]+)?\b/gu,
  /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/gu,
  /(?<![\w.+=-])[\w.+=-]{1,120}@[\w-]+(?:\.[\w-]+)+/gu,
  // An address but for what it asks for; its path holds ids of documents.
  /\b[a-z][a-z0-9+.-]{1,30}:\/\/[^\s"'<>?#]*/giu,
];

/** Parameters of addresses that hold where somebody is or came from. What is searched for (`q`) is not one of them. */
const TRACKING =
  /[?&#](?:gclid|fbclid|msclkid|dclid|wbraid|gbraid|igshid|yclid|_ga|_gl|ved|ei|sca_esv|list|id|cursor|after|before|continuation|(?:page|next|sync)_?token|state|nonce|code_challenge|utm_\w+|etag|hash|rev)=[^&#\s"']*/giu;

function unlabelled(text: string): string | undefined {
  if (text.length < SHORTEST_KEY) return undefined;
  let rest = text;
  for (const pattern of HARMLESS) rest = rest.replace(pattern, " ");
  rest = rest.replace(TRACKING, " ");
  for (const [run] of rest.matchAll(/[A-Za-z0-9+/=_.~-]{24,}/gu)) {
    if (run.length > LONGEST_KEY || isPath(run) || isEncoded(run)) continue;
    if (candidatesOf(run).some((token) => !PUBLIC_ID.test(token) && isRandom(token))) {
      return "a long text that looks drawn at random";
    }
  }
  return undefined;
}

/** What of a run may be a key: what stands between points and slashes, and all of it where it may be base64. */
function candidatesOf(run: string): readonly string[] {
  const parts = run.split(/[./~]|=(?!=*$)/u).filter(({ length }) => length >= SHORTEST_KEY);
  const isBase64 =
    /^[A-Za-z0-9+/]{40,}={0,2}$/u.test(run) && run.split("/").every((part) => !/^[A-Z]?[a-z]{3,}$/u.test(part));
  return isBase64 ? [...parts, run.replaceAll("/", "+")] : parts;
}

/** Directories and a name: a part of it is a word, and it ends as files do or begins as paths do. */
function isPath(run: string): boolean {
  return /^(?:\.{0,2}\/|~\/)/u.test(run) && /\/[A-Za-z]{2,}[\w-]*(?:\/|$|\.)/u.test(run);
}

/** Base64 of a text or of a file of a known kind. */
function isEncoded(run: string): boolean {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/u.test(run)) return false;
  const bytes = Buffer.from(run, "base64");
  if (MAGIC.some((magic) => bytes.subarray(0, magic.length).equals(magic))) return true;
  if (bytes.length < 16) return false;
  const text = bytes.toString("utf8");
  return !text.includes("\ufffd") && !/[\u0000-\u0008\u000e-\u001f\u007f]/u.test(text) && leakIn(text) === undefined;
}

const MAGIC: readonly Buffer[] = [
  "89504e47",
  "ffd8ff",
  "47494638",
  "52494646",
  "25504446",
  "504b0304",
  "1f8b08",
  "424d",
].map((hex) => Buffer.from(hex, "hex"));
