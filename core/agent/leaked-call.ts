import type { ToolDefinition } from "../model/model.ts";
import { parseArguments } from "../sdk/arguments.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { type NamedRequest, readRequest } from "./request-shape.ts";

/** Where the markup of a call begins, and whether other text stands before it. */
export interface Leak {
  readonly at: number;
  readonly hasProse: boolean;
}

const NAME =
  /<function\s*=\s*"?([\w.:-]{1,80})|<(?:\w{1,8}:)?invoke\s+name\s*=\s*["']([^"'\n]{1,80})|"(?:tool_name|tool|name)"\s*:\s*"([^"\n]{1,80})"/u;

/**
 * Reads a call that came as markup in the text of a reply: `<tool_call>`, `<function=…>`, `<invoke name="…">`. It is
 * taken as a request only when the markup is all there is, complete, one call, and of a tool that was offered.
 */
export function readLeakedCall(
  text: string,
  { at, hasProse }: Leak,
  offered: readonly ToolDefinition[],
): NamedRequest | { readonly fault: string } {
  const markup = withoutEndTokens(text.slice(at)).trim();
  const shown = `<${/^<([\w:]+)/u.exec(markup)?.[1] ?? "tool_call"}>`;
  const [, ...groups] = NAME.exec(markup) ?? [];
  const name = groups.find((group) => group !== undefined);
  if (name === undefined) return { fault: `The reply holds the markup of a call (${shown}) that names no tool.` };
  const tool = offered.find((definition) => definition.name === name.split(":", 1)[0]);
  const what = `The reply holds a call of ${JSON.stringify(name)} as markup (${shown})`;
  if (!tool) return { fault: `${what}, and no tool of that name was offered.` };
  if (hasProse) return { fault: `${what} with other text before it.` };
  const request = readMarkup(markup, tool.parameters);
  return request ?? { fault: `${what} that is not one complete call, or has text around it.` };
}

/** The leak in a plain-text reply: markup at the beginning of a line, outside of code fences, where it may be quoted. */
export function findLeak(text: string): Leak | undefined {
  let offset = 0;
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence;
    const indent = line.length - line.trimStart().length;
    if (fence === undefined && LEAK.test(line.slice(indent, indent + 40))) {
      return { at: offset + indent, hasProse: text.slice(0, offset).trim() !== "" };
    }
    offset += line.length + 1;
  }
  return undefined;
}

const LEAK = /^<(?:tool_call>|function_calls>|(?:\w{1,8}:)?(?:function_calls>|invoke\s+name\s*=)|function\s*=)/iu;

/** Channel tokens behind the markup. */
function withoutEndTokens(text: string): string {
  const tail = text.slice(-200);
  return text.slice(0, text.length - tail.length) + tail.replace(/(?:\s*<\|[a-z_]{1,24}\|>)+\s*$/i, "");
}

/** One block from its first character to its last, or undefined. */
function readMarkup(markup: string, schema: JsonSchema): NamedRequest | undefined {
  const wrapped =
    inside(markup, /^<tool_call>/i, "</tool_call>") ?? inside(markup, WRAPPER, /<\/[\w:]*function_calls>$/i);
  const inner = (wrapped?.text ?? markup).trim();
  if (inner.startsWith("{")) return wrapped && readObject(inner);
  const block =
    inside(inner, /^<function\s*=\s*"?([\w.:-]+)"?\s*>/u, "</function>") ??
    inside(inner, /^<(?:\w{1,8}:)?invoke\s+name\s*=\s*["']([^"'\n]+)["']\s*>/u, /<\/(?:\w{1,8}:)?invoke>$/u);
  if (block?.name === undefined) return undefined;
  const body = block.text.trim();
  const args = body.startsWith("{") ? parse(body) : readParameters(body, schema);
  return args === undefined ? undefined : { name: block.name, args };
}

const WRAPPER = /^<(?:\w{1,8}:)?function_calls>/iu;

/** What stands between an opening tag at the very beginning and its closing tag at the very end. */
function inside(
  text: string,
  opening: RegExp,
  closing: string | RegExp,
): { readonly text: string; readonly name: string | undefined } | undefined {
  const open = opening.exec(text);
  if (!open) return undefined;
  const tail = text.slice(-40);
  const close = typeof closing === "string" ? (tail.endsWith(closing) ? closing : undefined) : closing.exec(tail)?.[0];
  if (close === undefined) return undefined;
  const inner = text.slice(open[0].length, text.length - close.length);
  // A second block inside would be a second call.
  return inner.includes(open[0]) || inner.includes(close) ? undefined : { text: inner, name: open[1] };
}

function readObject(text: string): NamedRequest | undefined {
  const value = parse(text);
  const request = value && readRequest(value);
  return request && "name" in request ? request : undefined;
}

function parse(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    // What is recovered is never repaired as well: that would be two guesses.
    return undefined;
  }
}

const PARAMETER = /\s*<parameter(?:\s*=\s*"?|\s+name\s*=\s*["'])([\w.-]+)["']?\s*>/uy;

/** `<parameter=key>value</parameter>` one after the other and nothing else; values as a person writes them. */
function readParameters(body: string, schema: JsonSchema): JsonObject | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < body.length) {
    PARAMETER.lastIndex = at;
    const open = PARAMETER.exec(body);
    const end = open ? body.indexOf("</parameter>", PARAMETER.lastIndex) : -1;
    if (!open || end < 0) return body.slice(at).trim() === "" ? (argsOf(words, schema) ?? undefined) : undefined;
    const value = body.slice(PARAMETER.lastIndex, end).replace(/^\r?\n|\r?\n$/g, "");
    words.push(`${open[1]}=${value}`);
    at = end + "</parameter>".length;
  }
  return argsOf(words, schema);
}

function argsOf(words: readonly string[], schema: JsonSchema): JsonObject | undefined {
  const parsed = parseArguments(words, schema);
  return "args" in parsed ? parsed.args : undefined;
}
