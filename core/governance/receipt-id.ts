import { randomBytes } from "node:crypto";

const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const LENGTH = 26;

/** Finds whole ids in a text. */
export const RECEIPT_IDS = /\brcpt_[a-z2-7]{26}\b/gu;

/** Random bytes are cheaper by the thousand. */
const DRAWN = 64;

/**
 * Draws ids of entries of the ledger: `rcpt_` and 26 characters of base32, which is 130 random bits. Nothing else looks
 * like it, so that it can be found in whatever a model says, and nobody guesses one.
 */
export function createReceiptIds(): () => string {
  let bytes = new Uint8Array();
  let at = 0;
  return () => {
    if (at === bytes.length) {
      bytes = randomBytes(LENGTH * DRAWN);
      at = 0;
    }
    let id = "rcpt_";
    // A byte has eight values for each character, so none is likelier than another.
    for (const end = at + LENGTH; at < end; at++) id += ALPHABET[(bytes[at] as number) & 31];
    return id;
  };
}

/** Whether a text is such an id and nothing else. */
export function isReceiptId(text: string): boolean {
  return /^rcpt_[a-z2-7]{26}$/u.test(text);
}

/** Everything in a text that looks like such an id or like a damaged one, each once, in order. */
export function receiptIdsIn(text: string): readonly string[] {
  return text.includes("rcpt_") ? [...new Set(text.match(/\brcpt_[A-Za-z0-9]{12,}/gu) ?? [])] : [];
}

/** The line that tells a model of a receipt. */
export function receiptLine(id: string): string {
  return `[receipt: ${id}]`;
}

/** A text that a model was given, without the lines that name receipts: what the ledger has the digest of. */
export function withoutReceiptLine(text: string, id: string): string {
  const line = `\n${receiptLine(id)}`;
  const at = text.lastIndexOf(line);
  return at < 0 ? text : text.slice(0, at) + text.slice(at + line.length);
}
