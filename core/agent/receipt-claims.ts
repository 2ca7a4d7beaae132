import { textDigest } from "../governance/ledger-digests.ts";
import type { CallLine } from "../governance/ledger-lines.ts";
import { receiptIdsIn, receiptLine } from "../governance/receipt-id.ts";
import type { HistoryItem } from "./history-items.ts";

/** A receipt that is not what the model says. */
export interface ReceiptWarning {
  readonly code: "RECEIPT_UNKNOWN" | "RECEIPT_MISMATCH" | "RECEIPT_ALTERED";
  readonly message: string;
}

/** What a model said in a turn, and what it may have had that from. */
export interface ReceiptClaims {
  /** Each once. */
  readonly texts: readonly string[];
  readonly items: readonly HistoryItem[];
  /** The names of tools that a text may speak of. */
  tools(): readonly string[];
  /** The entries with these ids, by id. */
  find(ids: readonly string[]): Promise<ReadonlyMap<string, CallLine>>;
}

/** A block between fences, without them. */
const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)^[ \t]*\1/gmu;

/**
 * Looks at the receipts that a model speaks of. Told are those that no call that succeeded has (RECEIPT_UNKNOWN), those
 * that are given for another tool, or that the history has under another call (RECEIPT_MISMATCH), and those whose text is
 * not the one that was given: in the history, or in a block that quotes it with its receipt (RECEIPT_ALTERED). Nothing is
 * changed.
 */
export async function checkReceiptClaims({
  texts,
  items,
  tools,
  find,
}: ReceiptClaims): Promise<readonly ReceiptWarning[]> {
  const ids = [...new Set(texts.flatMap(receiptIdsIn))];
  if (ids.length === 0) return [];
  const entries = await find(ids);
  const names = new Set(tools());
  return ids.flatMap((id) => {
    const entry = entries.get(id);
    if (!entry) return [warning("RECEIPT_UNKNOWN", `the reply names the receipt ${id}, which no call has`)];
    if (entry.outcome !== "success") {
      const message = `the reply names ${id} as a receipt, but that call of ${entry.tool} ended with ${entry.outcome}`;
      return [warning("RECEIPT_UNKNOWN", message)];
    }
    const item = items.find(({ receipt }) => receipt === id);
    return [...inHistory(entry, item), ...texts.flatMap((text) => inText(text, { entry, item, names }))].slice(0, 1);
  });
}

/** Whether the history, which may have been edited between two turns, still has what was entered. */
function inHistory(entry: CallLine, item: HistoryItem | undefined): readonly ReceiptWarning[] {
  if (item?.message.role !== "tool") return [];
  const { toolCallId, content } = item.message;
  if (toolCallId !== entry.call) {
    const message = `the receipt ${entry.id} is that of the call ${entry.call}, the conversation has it at ${toolCallId}`;
    return [warning("RECEIPT_MISMATCH", message)];
  }
  // Of a text that is shown by its ends the middle cannot be told.
  if (item.whole || textDigest(content, entry.id) === entry.result) return [];
  const message = `the result of ${entry.tool} in the conversation is not the one that the receipt ${entry.id} was given for`;
  return [warning("RECEIPT_ALTERED", message)];
}

interface Claimed {
  readonly entry: CallLine;
  readonly item: HistoryItem | undefined;
  readonly names: ReadonlySet<string>;
}

function inText(text: string, { entry, item, names }: Claimed): readonly ReceiptWarning[] {
  const spoken = text.split("\n").filter((line) => line.includes(entry.id));
  for (const line of spoken) {
    const named = namesIn(line).filter((name) => names.has(name));
    if (named.length === 0 || named.includes(entry.tool)) continue;
    const message = `the reply gives the receipt ${entry.id} for ${named.join(", ")}, it is one of ${entry.tool}`;
    return [warning("RECEIPT_MISMATCH", message)];
  }
  const known = item?.message.content;
  if (known === undefined || item?.whole) return [];
  for (const [, , block = ""] of text.matchAll(FENCED)) {
    if (!block.includes(receiptLine(entry.id)) || known.includes(block.replace(receiptLine(entry.id), "").trim()))
      continue;
    const message = `the reply quotes ${entry.tool} with the receipt ${entry.id}, but not in the words that it was given for`;
    return [warning("RECEIPT_ALTERED", message)];
  }
  return [];
}

/** What can only be meant as a name: in code, or with an underscore; some tools are called by words of every day. */
function namesIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(/`([A-Za-z][\w-]*)[^`]*`/gu)].map(([, name = ""]) => name);
  return [...quoted, ...(line.match(/[A-Za-z][A-Za-z0-9-]*_\w+/gu) ?? [])];
}

function warning(code: ReceiptWarning["code"], message: string): ReceiptWarning {
  return { code, message };
}
