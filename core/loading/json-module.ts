import type { SyntaxFault } from "./transform.ts";

/** Parses a JSON module; a fault has the place that `JSON.parse` does not tell. */
export function parseJsonModule(source: string): { readonly value: unknown } | { readonly fault: SyntaxFault } {
  try {
    return { value: JSON.parse(source) as unknown };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const before = source.slice(0, faultOffset(source)).split("\n");
    return { fault: { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 } };
  }
}

const TOKEN =
  /[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)))/y;

/** The offset of the first token that cannot stand where it stands. */
function faultOffset(source: string): number {
  const open: ("{" | "[")[] = [];
  // What may come next: a value, a key, a colon, a comma or a closing bracket.
  let expects: "value" | "valueOrEnd" | "key" | "keyOrEnd" | "colon" | "commaOrEnd" = "value";
  const afterValue = (): void => {
    expects = "commaOrEnd";
  };
  for (let at = 0; ; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(source);
    const start = at + (source.slice(at).match(/^[\t\n\r ]*/)?.[0].length ?? 0);
    if (!found) return start;
    const [, mark, text, literal] = found;
    if (expects === "value" || expects === "valueOrEnd") {
      if (mark === "{") {
        open.push("{");
        expects = "keyOrEnd";
      } else if (mark === "[") {
        open.push("[");
        expects = "valueOrEnd";
      } else if (mark === "]" && expects === "valueOrEnd") {
        open.pop();
        afterValue();
      } else if (text !== undefined || literal !== undefined) afterValue();
      else return start;
    } else if (expects === "key" || expects === "keyOrEnd") {
      if (text !== undefined) expects = "colon";
      else if (mark === "}" && expects === "keyOrEnd") {
        open.pop();
        afterValue();
      } else return start;
    } else if (expects === "colon") {
      if (mark !== ":") return start;
      expects = "value";
    } else {
      const inside = open.at(-1);
      if (inside === undefined) return start;
      if (mark === ",") expects = inside === "{" ? "key" : "value";
      else if (mark === (inside === "{" ? "}" : "]")) open.pop();
      else return start;
    }
    at = TOKEN.lastIndex;
  }
}
