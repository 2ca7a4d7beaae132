/** One root value of a text: `{…}` or `[…]` at depth 0, strings respected. `end` is exclusive; undefined where it never closes. */
export interface JsonRoot {
  readonly start: number;
  readonly end: number | undefined;
}

/**
 * Finds the object and array roots of a text in one pass. Brackets inside double-quoted strings do not
 * count, so `}{` in a string survives; quotes outside any root are prose.
 */
export function scanRoots(text: string): readonly JsonRoot[] {
  const roots: JsonRoot[] = [];
  let depth = 0;
  let start = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (inString) {
      if (char === "\\") index++;
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = depth > 0;
    } else if (char === "{" || char === "[") {
      if (depth++ === 0) start = index;
    } else if ((char === "}" || char === "]") && depth > 0) {
      if (--depth === 0) roots.push({ start, end: index + 1 });
    }
  }
  if (depth > 0) roots.push({ start, end: undefined });
  return roots;
}
