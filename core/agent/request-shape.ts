import { isInvisible } from "./json-scan.ts";

/** A call as some object asks for it. `invalid`: the parser's message, where the arguments were text that is no JSON. */
export interface NamedRequest {
  readonly name: string;
  readonly args: unknown;
  readonly invalid?: string;
}

const NAMES = ["tool_name", "tool"] as const;
const ARGUMENTS = ["tool_args", "args", "arguments", "parameters"] as const;

/**
 * The name and arguments of a request in any accepted spelling, or what is wrong with it: `tool_name`/`tool_args`,
 * `tool`/`args`, `{type: "function", name, parameters}`, `{name, arguments}`, a one-item `actions` list around any of
 * them, and arguments as a JSON string. A `name` alone is not enough: people have names too.
 */
export function readRequest(given: unknown): NamedRequest | { readonly fault: string } {
  if (!isObject(given)) return { fault: 'The reply is not a JSON object. Send {"tool_name": …, "tool_args": {…}}.' };
  const value = plainKeys(given);
  if (Array.isArray(value.actions) && value.tool_name === undefined) {
    const { actions } = value;
    return actions.length === 1
      ? readRequest(actions[0])
      : { fault: `"actions" holds ${actions.length} requests; send exactly one.` };
  }
  const args = firstOf(value, ARGUMENTS);
  const isNamed = value.type === "function" || args !== undefined;
  const name = firstOf(value, NAMES) ?? (isNamed ? value.name : undefined);
  if (typeof name !== "string" || name.trim() === "") {
    const keys = Object.keys(value).slice(0, 8).join(", ") || "none";
    return { fault: `The object names no tool: "tool_name" must be a non-empty string, found the keys ${keys}.` };
  }
  return { name: name.trim(), ...readArguments(args) };
}

/** Arguments as an object, or as the text of one; nothing is the empty object. */
function readArguments(given: unknown): { args: unknown; invalid?: string } {
  if (given === undefined || given === null) return { args: {} };
  if (typeof given !== "string") return { args: given };
  try {
    return { args: given.trim() === "" ? {} : JSON.parse(given) };
  } catch (error) {
    return { args: undefined, invalid: (error as Error).message };
  }
}

/** Invisible characters in a key mean nothing either. */
function plainKeys(value: Record<string, unknown>): Record<string, unknown> {
  if (!Object.keys(value).some(hasInvisible)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      [...key].filter((char) => !isInvisible(char.charCodeAt(0))).join(""),
      item,
    ]),
  );
}

function hasInvisible(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (isInvisible(text.charCodeAt(at))) return true;
  return false;
}

function firstOf(value: Record<string, unknown>, keys: readonly string[]): unknown {
  for (const key of keys) if (value[key] !== undefined) return value[key];
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
