import { repairJson } from "./json-repair.ts";
import { scanRoots } from "./json-scan.ts";

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

/** Why a reply was not executed, in words for the model. */
export interface ReplyWarning {
  readonly code: "MISFORMAT" | "EMPTY" | "REPAIRED";
  readonly message: string;
}

/** What a reply holds: requests to run in order, or warnings that say why there are none. */
export interface Extraction {
  readonly requests: readonly ToolRequest[];
  readonly warnings: readonly ReplyWarning[];
}

/** Byte-order mark, zero-width characters and soft hyphens: models emit them around JSON; they mean nothing there. */
const INVISIBLE = /[\uFEFF\u200B-\u200D\u2060\u00AD]/gu;
const THINKING = /<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/giu;
/** Channel tokens of the harmony format, with the channel's name. */
const CHANNEL =
  /<\|(?:start|channel|message|end|return|constrain|call)\|>(?:assistant|analysis|commentary|final|json)?/giu;
const FENCE = /^(`{3,}|~{3,})[ \t]*(?:json5?|jsonc)?[ \t]*\r?\n([\s\S]*?)\r?\n?\1[ \t]*$/iu;

/**
 * Reads one text reply by the JSON protocol. It is executed only when the whole reply is exactly one request,
 * bare or wholly in one code fence; anything else is a warning that says what was wrong and where.
 *
 * Accepted spellings: `tool_name`/`tool_args`, `tool`/`args`, `{type: "function", name, parameters}`,
 * `{name, arguments}`, a one-item `actions` list around any of them, and arguments as a JSON string.
 * The strict parse comes first; only text that is complete (its root closes) is repaired.
 *
 * @param text the reply
 * @param id the id that the request is given
 */
export async function extractFromText(text: string, id: string): Promise<Extraction> {
  const cleaned = unfence(text.replace(INVISIBLE, "").replace(THINKING, "").replace(CHANNEL, "").trim());
  if (cleaned === "") return warn("EMPTY", "The reply was empty. Send one JSON object that calls a tool.");
  const roots = scanRoots(cleaned);
  const [root] = roots;
  if (!root || cleaned[root.start] !== "{") {
    if (!root)
      return warn(
        "MISFORMAT",
        `No JSON object was found; the reply begins with ${quote(cleaned)}. Send one JSON object and nothing else.`,
      );
    return warn(
      "MISFORMAT",
      "The reply is a list, but exactly one JSON object is expected. Send one request at a time.",
    );
  }
  if (root.end === undefined) {
    const message = `The JSON object that begins at ${place(cleaned, root.start)} is never closed, so it was not run. Send it again, complete and shorter.`;
    return warn("MISFORMAT", message);
  }
  if (roots.length > 1) {
    const second = roots[1] ?? root;
    return warn(
      "MISFORMAT",
      `The reply holds ${roots.length} JSON values (the second begins at ${place(cleaned, second.start)}); none was run. Send exactly one.`,
    );
  }
  const outside = cleaned.slice(0, root.start).trim() || cleaned.slice(root.end).trim();
  if (outside !== "") {
    return warn(
      "MISFORMAT",
      `There is text outside the JSON object (${quote(outside)}), so it was not run. Send the object alone; thoughts belong in "thoughts".`,
    );
  }
  return await readRoot(cleaned, { id, text });
}

async function readRoot(json: string, { id, text }: { id: string; text: string }): Promise<Extraction> {
  const warnings: ReplyWarning[] = [];
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    const repaired = await repairJson(json);
    if (!repaired)
      return warn("MISFORMAT", `The reply is not JSON: ${(error as Error).message}. Send it again as valid JSON.`);
    value = repaired.value;
    warnings.push({
      code: "REPAIRED",
      message: `The reply was not strict JSON (${(error as Error).message}) and was repaired.`,
    });
  }
  const named = readRequest(value);
  if ("fault" in named) return warn("MISFORMAT", named.fault);
  return { requests: [{ id, text, ...named }], warnings };
}

/** The name and arguments of a request in any accepted spelling, or what is wrong with it. */
export function readRequest(value: unknown): { name: string; args: unknown; invalid?: string } | { fault: string } {
  if (!isObject(value)) return { fault: 'The reply is not a JSON object. Send {"tool_name": …, "tool_args": {…}}.' };
  if (Array.isArray(value.actions) && value.tool_name === undefined) {
    if (value.actions.length !== 1)
      return { fault: `"actions" holds ${value.actions.length} requests; send exactly one.` };
    return readRequest(value.actions[0]);
  }
  const name = firstOf(value, ["tool_name", "tool", "name"]);
  if (typeof name !== "string" || name.trim() === "") {
    return {
      fault: `The object names no tool: "tool_name" must be a non-empty string, found the keys ${Object.keys(value).slice(0, 8).join(", ") || "none"}.`,
    };
  }
  const given = firstOf(value, ["tool_args", "args", "arguments", "parameters"]);
  return { name: name.trim(), ...readArguments(given) };
}

function readArguments(given: unknown): { args: unknown; invalid?: string } {
  if (given === undefined || given === null) return { args: {} };
  if (typeof given !== "string") return { args: given };
  try {
    return { args: given.trim() === "" ? {} : JSON.parse(given) };
  } catch (error) {
    return { args: {}, invalid: (error as Error).message };
  }
}

function firstOf(value: Record<string, unknown>, keys: readonly string[]): unknown {
  for (const key of keys) if (value[key] !== undefined) return value[key];
  return undefined;
}

function unfence(text: string): string {
  const fenced = FENCE.exec(text);
  return fenced?.[2] === undefined ? text : fenced[2].trim();
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function warn(code: ReplyWarning["code"], message: string): Extraction {
  return { requests: [], warnings: [{ code, message }] };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
