import type { Json } from "../sdk/json.ts";
import { canonicalJson } from "./canonical-json.ts";
import { sha256 } from "./ledger-lines.ts";
import { withoutReceiptLine } from "./receipt-id.ts";

/**
 * The digest of the arguments of a call.
 * @param text applied to every string and key: takes secrets out
 */
export function argsDigest(args: Json, text?: (text: string) => string): string {
  try {
    return sha256(canonicalJson(args, text));
  } catch {
    // Two keys that are secrets of one name become one; the call is entered all the same.
    const whole = JSON.stringify(args);
    return sha256(text ? text(whole) : whole);
  }
}

/** The digest of a text that a model was given, with the line that names the receipt or without it. */
export function textDigest(text: string, id: string): string {
  return sha256(withoutReceiptLine(text, id));
}
