import { frozenJson, type JsonFault } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";

/** One tool call as the model, a person or a program asked for it. */
export interface DispatchRequest {
  /** Unique in the turn; the result of a native call is matched by it. */
  readonly id: string;
  /** `name` or `name:method`: a tool's id or alias. */
  readonly name: string;
  /** Wins over the method in `name`. */
  readonly method?: string | undefined;
  /** The arguments: an object, or the text of one; nothing is the empty object. */
  readonly args: unknown;
  /** Set instead of usable `args` when they were not JSON: the parser's message. The call ends with INVALID_JSON. */
  readonly invalid?: string | undefined;
  /** The raw text of the model that contained the call. */
  readonly text?: string | undefined;
}

/** What {@link parseToolName} found. */
export interface ToolName {
  readonly name: string;
  readonly method: string | undefined;
}

/**
 * Ids are a part of this, aliases may use capitals, and tools that are discovered at run time keep the hyphens of
 * their server. Nothing that could be a path, an option or a prototype's key is in it.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The method ends up in an argument, so it only has to be one line of sensible length. */
const METHOD = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u;

/** Splits `name:method` at the first colon. Undefined for what cannot be a tool's name. */
export function parseToolName(text: unknown): ToolName | undefined {
  if (typeof text !== "string") return undefined;
  const colon = text.indexOf(":");
  const name = colon < 0 ? text : text.slice(0, colon);
  const method = colon < 0 ? undefined : text.slice(colon + 1);
  if (!NAME.test(name) || (method !== undefined && !METHOD.test(method))) return undefined;
  return { name, method };
}

/** A name that somebody asked for, as texts may show it: quoted, on one line, of bounded length. */
export function shownName(text: unknown): string {
  const name = nameText(text);
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
}

/** A name as text, also where a program handed over something else. */
export function nameText(name: unknown): string {
  if (typeof name === "string") return name;
  try {
    return String(name);
  } catch {
    return "?";
  }
}

/** What came as arguments: an object, or why it is none. */
export type GivenArguments =
  | { readonly args: JsonObject }
  /** Text that is no JSON. */
  | { readonly invalid: string }
  /** Something other than an object. */
  | { readonly other: unknown }
  /** An object that holds something that JSON cannot. */
  | { readonly fault: JsonFault };

const NOTHING: JsonObject = Object.freeze({});

/** The arguments as they were asked for, deep-frozen. Nothing, and empty text, is the empty object. */
export function givenArguments({ args, invalid }: DispatchRequest): GivenArguments {
  if (invalid !== undefined) return { invalid };
  if (args === undefined || args === null) return { args: NOTHING };
  if (typeof args !== "string") return checkedObject(args);
  if (args.trim() === "") return { args: NOTHING };
  try {
    return checkedObject(JSON.parse(args));
  } catch (error) {
    return { invalid: (error as Error).message };
  }
}

function checkedObject(args: unknown): GivenArguments {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return { other: args };
  try {
    const checked = frozenJson(args);
    return "value" in checked ? { args: checked.value as JsonObject } : checked;
  } catch (error) {
    // An accessor of a program's own object threw.
    return { fault: { path: "", found: `an object that cannot be read (${(error as Error).message})` } };
  }
}
