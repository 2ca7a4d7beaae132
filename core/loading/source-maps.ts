import { createRequire } from "node:module";
import type { Position } from "./positions.ts";

/**
 * Follows a place in transformed text back to the author's source.
 *
 * Synchronous, because it runs where an error is being reported; the library is loaded at the first call.
 *
 * @param mappings the `mappings` of each step's source map, last step first
 * @returns undefined where the text has no origin (what a transformer added)
 */
export function originalPosition(mappings: readonly string[], position: Position): Position | undefined {
  const require = createRequire(import.meta.url);
  const { GREATEST_LOWER_BOUND, LEAST_UPPER_BOUND, originalPositionFor, TraceMap } =
    require("@jridgewell/trace-mapping") as typeof import("@jridgewell/trace-mapping");
  let at: Position | undefined = position;
  for (const text of mappings) {
    const map = new TraceMap({ version: 3, sources: ["author"], names: [], mappings: text });
    const needle = { line: at.line, column: at.column - 1 };
    let found = originalPositionFor(map, { ...needle, bias: GREATEST_LOWER_BOUND });
    if (found.line === null) found = originalPositionFor(map, { ...needle, bias: LEAST_UPPER_BOUND });
    if (found.line === null) return undefined;
    at = { line: found.line, column: found.column + 1 };
  }
  return at;
}
