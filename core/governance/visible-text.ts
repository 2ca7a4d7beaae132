/**
 * A text as a person has to see it who decides about it: what moves the cursor, changes the direction of reading or has no
 * width stands there as its number (`<U+202E>`), so that the screen shows what would run and nothing else. Line breaks and
 * tabs stay; a run of empty lines or of blanks that could push the beginning off the screen is told by its length.
 */
export function visibleText(text: string): string {
  return text
    .replace(UNSEEN, numbered)
    .replace(EMPTY_LINES, (run) => `\n<${run.split("\n").length - 2} empty lines>\n`)
    .replace(BLANKS, counted);
}

/** As {@link visibleText}, on one line. */
export function visibleLine(text: string): string {
  return text.replace(UNSEEN, numbered).replace(BLANKS, counted).replace(/\n/gu, "⏎").replace(/\t/gu, " ");
}

/** Controls and formats, lone surrogates, what is not assigned, spaces that are no space, letters without a shape. */
const UNSEEN =
  /[^\P{C}\n\t]|[\p{Zl}\p{Zp}]|[^\P{Zs} ]|\p{Variation_Selector}|\u115f|\u1160|\u17b4|\u17b5|\u2800|\u3164|\uffa0/gu;

const EMPTY_LINES = /\n(?:[ \t]*\n){4,}/gu;

/** Deeper than text is indented. */
const BLANKS = /[ \t]{41,}/gu;

function counted(run: string): string {
  return `<${run.length} blanks>`;
}

function numbered(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
