import type { ToolDefinition } from "../model/model.ts";
import { HostError } from "../sdk/errors.ts";

/** A tool for which a provider refused a whole request. */
export interface RefusedTool {
  readonly tool: ToolDefinition;
  /** What the provider said. */
  readonly words: string;
}

/** Statuses with which a provider refuses what it was sent. */
const REFUSED = new Set([400, 422]);
/** How providers name a tool by its place, in the order in which they are sent; what is inside `tools[0]` goes first. */
const PLACES = [
  /function_declarations\[(\d{1,5})\]/gi,
  /\btools\.(\d{1,5})\./g,
  /\btools\[(\d{1,5})\](?!\.function_?declarations)/gi,
];
/** How they name it by its name. */
const NAMES = [/\bfunction ['"`]([\w-]{1,64})['"`]/gi, /\bFunctionDeclaration ['"`]([\w-]{1,64})['"`]/gi];

/**
 * The tools that a provider named when it refused a request. No table knows every rule of every provider, and a tool
 * must not cost more than itself.
 */
export function refusedTools(error: unknown, sent: readonly ToolDefinition[]): readonly RefusedTool[] {
  if (!(error instanceof HostError) || !REFUSED.has(error.provider?.status ?? 0)) return [];
  const { message: words } = error;
  const places = PLACES.map((pattern) => [...words.matchAll(pattern)].map(([, at]) => Number(at)));
  const byPlace = places.find((found) => found.length > 0) ?? [];
  const byName = NAMES.flatMap((pattern) => [...words.matchAll(pattern)].map(([, name]) => name));
  const meant = sent.filter((tool, at) => byPlace.includes(at) || byName.includes(tool.published ?? tool.name));
  return meant.map((tool) => ({ tool, words }));
}
