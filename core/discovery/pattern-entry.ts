import type { Json } from "../sdk/json.ts";
import { isMapping } from "./fields.ts";

/** Calls that somebody means: of a tool, with arguments like these. */
export interface CallPattern {
  /** A tool's id or alias; `*` stands for any text. */
  readonly tool: string;
  /** Absent: any arguments. A text is a pattern, any other value is meant as it is. */
  readonly args?: { readonly [name: string]: Json };
}

/**
 * Reads an entry of a list of calls as people write it:
 *
 * ```yaml
 * always_ask:
 *   - file_write                            # a tool
 *   - github__*                             # tools by the beginning of their names
 *   - shell: { command: "git push*" }       # calls of a tool with such an argument; of several all have to fit
 * ```
 */
export function readCallPattern(entry: Json): CallPattern | { readonly fault: string } {
  if (typeof entry === "string") {
    if (isToolName(entry)) return { tool: entry };
    return { fault: `expected a tool's name, found ${JSON.stringify(entry)}; arguments are written ${EXAMPLE}` };
  }
  const [[tool, args] = ["", null], ...more] = isMapping(entry) ? Object.entries(entry) : [];
  if (more.length > 0 || !isToolName(tool) || !isMapping(args) || Object.keys(args).length === 0) {
    return { fault: `expected a tool's name, or one with arguments as in ${EXAMPLE}` };
  }
  return { tool, args };
}

/** Whether a text can be the name of a tool, or several names with `*`. */
export function isToolName(text: string): boolean {
  return /^[A-Za-z*][\w*-]*$/u.test(text);
}

const EXAMPLE = '- shell: { command: "git status*" }';
