import type { JsonObject } from "../sdk/result.ts";
import { shown } from "./helpers.ts";
import type { Position, SyntaxNode } from "./syntax.ts";

/** A statement that needs no compiled template: text, or a variable that is shown as it is. */
export type PlainPart = { readonly text: string } | { readonly name: string; readonly at: Position };

/** What a statement says as a plain one; undefined where only a template can say it. @param name the variable that it shows */
export function plainPart(node: SyntaxNode, name: string | undefined): PlainPart | undefined {
  if (node.type === "ContentStatement") return { text: String(node.value) };
  if (node.type === "MustacheStatement" && name !== undefined) return { name, at: node.loc.start };
  // The content of a raw block is one piece of text.
  const inside = node.type === "BlockStatement" && node.path?.original === "raw" ? node.program?.body : undefined;
  if (!inside?.every(({ type }) => type === "ContentStatement")) return undefined;
  return { text: inside.map(({ value }) => String(value)).join("") };
}

/**
 * Renders plain statements as a compiled template would: own properties only, text as it is, anything else as JSON.
 * Compiling takes a quarter of a millisecond for each file, and most fragments show nothing but a name.
 *
 * @param missing makes the error for a variable that is not given
 */
export function renderPlain(
  parts: readonly PlainPart[],
  variables: JsonObject,
  missing: (at: Position) => Error,
): string {
  return parts
    .map((part) => {
      if ("text" in part) return part.text;
      const value = Object.hasOwn(variables, part.name) ? variables[part.name] : undefined;
      if (value === undefined) throw missing(part.at);
      return shown(value);
    })
    .join("");
}
