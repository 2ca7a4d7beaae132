import type { ModuleMap } from "./module-map.ts";
import type { Position } from "./positions.ts";
import { PRELUDE_LINES } from "./prelude.ts";
import { originalPosition } from "./source-maps.ts";
import { stackLines } from "./stack-frames.ts";
import type { TransformCache } from "./transform-cache.ts";

/** A place in the author's source. `position` is undefined where the source maps are not known any more. */
export interface AuthorPlace {
  /** Absolute. */
  readonly file: string;
  readonly position: Position | undefined;
}

/** Translates places in evaluated text into places in the author's source. */
export interface AuthorStack {
  /** The place behind one in evaluated text; undefined when `file` is no content. */
  place(file: string, position: Position): AuthorPlace | undefined;
  /** The content places of a stack, innermost first. */
  places(stack: string): readonly AuthorPlace[];
  /** The stack (without the message) with every content place translated and shown by `display`. */
  translate(stack: string): string;
}

export function createAuthorStack(parts: {
  map: ModuleMap;
  cache: TransformCache;
  display(file: string): string;
  /** Where the text of a file that is not in the map any more came from. */
  formerText(file: string): { readonly key: string } | "plain" | undefined;
}): AuthorStack {
  const place = (file: string, position: Position): AuthorPlace | undefined => {
    const text = parts.map.records.get(file)?.text ?? parts.formerText(file);
    if (text === undefined) return undefined;
    const line = position.line - PRELUDE_LINES;
    if (line < 1) return { file, position: undefined };
    const at = { line, column: position.column };
    if (text === "plain") return { file, position: at };
    const mappings = parts.cache.mappings(text.key);
    return { file, position: mappings && originalPosition(mappings, at) };
  };

  return {
    place,
    places: (stack) =>
      stackLines(stack).flatMap(({ place: at }) => {
        const found = at && place(at.file, at.position);
        return found ? [found] : [];
      }),
    translate: (stack) =>
      stackLines(stack)
        .map((line) => {
          const found = line.place && place(line.place.file, line.place.position);
          return found ? line.with(parts.display(found.file), found.position) : line.text;
        })
        .join("\n"),
  };
}
