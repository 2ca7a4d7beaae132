import { fileURLToPath } from "node:url";
import type { Position } from "./positions.ts";

/** One line of a stack; `place` is undefined for lines that name no file. */
export interface StackLine {
  readonly text: string;
  readonly place?: { readonly file: string; readonly position: Position };
  /** The line again, with another place; an empty file keeps only the function. */
  with(file: string, position: Position | undefined): string;
}

/** The lines of an error's `stack`, without the message. */
export function stackLines(stack: string): readonly StackLine[] {
  return stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .map(stackLine);
}

function stackLine(text: string): StackLine {
  const found = text.match(
    /^(\s+at )(?:(.*?) \()?(?:async )?((?:file:\/\/)?\/.*?|[A-Za-z]:[\\/].*?):(\d+):(\d+)(\)?)$/,
  );
  const [, at = "", name, where = "", line, column] = found ?? [];
  if (!found) return { text, with: () => text };
  const file = where.startsWith("file://") ? fileURLToPath(where) : where;
  const called = name?.replaceAll("__vite_ssr_export_default__", "default");
  return {
    text,
    place: { file, position: { line: Number(line), column: Number(column) } },
    with: (other, position) => {
      const place = position ? `${other}:${position.line}:${position.column}` : other;
      return called === undefined ? `${at}${place}` : `${at}${called} (${place})`;
    },
  };
}

/**
 * The position of a `SyntaxError` that V8 raised while compiling `file`: it heads the stack, with a caret below
 * the line.
 */
export function syntaxErrorPosition(stack: string, file: string): Position | undefined {
  const [place = "", , carets = ""] = stack.split("\n");
  if (!place.startsWith(`${file}:`)) return undefined;
  const line = Number(place.slice(file.length + 1));
  return Number.isInteger(line) ? { line, column: Math.max(0, carets.indexOf("^")) + 1 } : undefined;
}
