import type { ModelProtocol, ToolDefinition } from "../model/model.ts";
import { repairJson } from "./json-repair.ts";
import { findLeak, type Leak, readLeakedCall } from "./leaked-call.ts";
import { describeFault, place } from "./reply-fault.ts";
import { createReplyScanner, type ReplyScan } from "./reply-scan.ts";
import { withoutReasoning } from "./reply-tokens.ts";
import { type NamedRequest, readRequest } from "./request-shape.ts";

/** One call as the model asked for it. `args` is what it gave, not yet validated. */
export interface ToolRequest {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  /** Set instead of usable `args` when they were not JSON: the parser's message. The call ends with INVALID_JSON. */
  readonly invalid?: string | undefined;
  /** The raw text of the model that contained the call. */
  readonly text?: string | undefined;
}

/** Why a reply was not executed (or, for REPAIRED, what was mended before it was), in words for the model. */
export interface ReplyWarning {
  readonly code: "MISFORMAT" | "EMPTY" | "REASONING_ONLY" | "REPAIRED";
  readonly message: string;
}

/** What a reply holds: requests to run in order, or warnings that say why there are none, or an answer in plain text. */
export interface Extraction {
  readonly requests: readonly ToolRequest[];
  readonly warnings: readonly ReplyWarning[];
  /** Plain text that is the answer; by the native protocol only. */
  readonly answer?: string;
}

/** What is read: a whole reply, or what came of it before reading was stopped. */
export interface ReplyText {
  readonly text: string;
  /** Native calls, in order. */
  readonly calls: readonly ToolRequest[];
  readonly reasoning: string;
  /** The provider ended the reply at its length limit. */
  readonly isCut?: boolean;
}

/** What extraction is given besides the reply. */
export interface ExtractOptions {
  readonly protocol: ModelProtocol;
  /** The id of a request that has none of its own. */
  readonly id: string;
  /** What the model was offered. */
  readonly tools: readonly ToolDefinition[];
}

/** Reads replies. `push` is given the text while it is streamed; see {@link extractFromText} for what counts as a request. */
export interface Extractor {
  /** @returns false when the rest of the stream need not be read: the reply is refused already */
  push(piece: string): boolean;
  /** The JSON object as far as it is written, its open parts closed; undefined where that is no JSON. @param text all so far */
  partial(text: string): unknown;
  end(reply: ReplyText): Promise<Extraction>;
  /** How many characters were looked at. */
  readonly looked: number;
}

/** An extractor for one reply. */
export function createExtractor(options: ExtractOptions): Extractor {
  const scanner = createReplyScanner();
  return {
    push: options.protocol === "native" ? () => true : scanner.push,
    partial(text) {
      const root = scanner.found();
      return root && parsePartial(text.slice(root.start, root.end) + root.closers);
    },
    async end(reply) {
      if (reply.calls.length > 0) return { requests: reply.calls, warnings: [] };
      return options.protocol === "native"
        ? plainText(reply, options)
        : await fromScan(scanner.end(reply.text), reply, options);
    },
    get looked() {
      return scanner.looked;
    },
  };
}

/**
 * Reads one text reply by the JSON protocol. It is executed only when the whole reply is exactly one request, bare or
 * wholly in one code fence, reasoning tags, channel tokens and invisible characters left aside; anything else is a
 * warning that says what was wrong and where. The strict parse comes first; only an object that is closed is repaired.
 */
export async function extractFromText(
  text: string,
  id: string,
  tools: readonly ToolDefinition[] = [],
): Promise<Extraction> {
  const extractor = createExtractor({ protocol: "json", id, tools });
  extractor.push(text);
  return await extractor.end({ text, calls: [], reasoning: "" });
}

async function fromScan(scan: ReplyScan, reply: ReplyText, options: ExtractOptions): Promise<Extraction> {
  const { text } = reply;
  switch (scan.kind) {
    case "object":
      return await fromObject(scan.json, text, options);
    case "leaked":
      return fromLeak(text, scan, options);
    case "empty":
      return nothing(scan.reasoned || reply.reasoning.trim() !== "", "Send one JSON object that calls a tool.");
    default:
      return refuse(
        describeFault(scan, text) + (reply.isCut ? " The provider cut the reply at its length limit." : ""),
      );
  }
}

async function fromObject(json: string, text: string, options: ExtractOptions): Promise<Extraction> {
  try {
    return fromValue(JSON.parse(json), text, options);
  } catch (error) {
    const { message } = error as Error;
    const repaired = await repairJson(json);
    if (!repaired) return refuse(`The reply is not JSON: ${message}. Send it again as valid JSON.`);
    return fromValue(repaired.value, text, options, `The reply was not strict JSON (${message}) and was repaired.`);
  }
}

function fromValue(value: unknown, text: string, { id }: ExtractOptions, mended?: string): Extraction {
  const named = readRequest(value);
  return "fault" in named ? refuse(named.fault) : one(named, { id, text, mended });
}

function one(named: NamedRequest, { id, text, mended }: { id: string; text: string; mended: string | undefined }) {
  const warnings: ReplyWarning[] = mended === undefined ? [] : [{ code: "REPAIRED", message: mended }];
  return { requests: [{ id, text, ...named }], warnings };
}

function fromLeak(text: string, leak: Leak, { id, tools }: ExtractOptions): Extraction {
  const named = readLeakedCall(text, leak, tools);
  if ("fault" in named) return refuse(`${named.fault} Nothing was run. Call tools in the form that you were told.`);
  const mended = `The call of ${named.name} came as markup in the text (${place(text, leak.at)}) and was recovered.`;
  return one(named, { id, text, mended });
}

/** By the native protocol text without a call is the answer. */
function plainText(reply: ReplyText, options: ExtractOptions): Extraction {
  const answer = withoutReasoning(reply.text);
  const leak = findLeak(answer);
  if (leak) return fromLeak(answer, leak, options);
  if (answer.trim() !== "") return { requests: [], warnings: [], answer };
  return nothing((reply.reasoning + reply.text).trim() !== "", "Call a tool or answer in words.");
}

function nothing(reasoned: boolean, hint: string): Extraction {
  const [code, words] = reasoned
    ? (["REASONING_ONLY", "The reply held reasoning and nothing else."] as const)
    : (["EMPTY", "The reply was empty."] as const);
  return { requests: [], warnings: [{ code, message: `${words} ${hint}` }] };
}

function refuse(message: string): Extraction {
  return { requests: [], warnings: [{ code: "MISFORMAT", message }] };
}

function parsePartial(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut at a place where no closing makes it JSON, such as behind a key.
    return undefined;
  }
}
