/** A kind of characters that a model reads and a person does not see. */
interface HiddenKind {
  readonly name: string;
  readonly pattern: RegExp;
}

const KINDS: readonly HiddenKind[] = [
  { name: "a tag character", pattern: /[\u{E0000}-\u{E007F}]/u },
  { name: "a control of text direction", pattern: /[\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/u },
  { name: "a character without width", pattern: /[\u200B-\u200D\u2060\uFEFF]/u },
  { name: "an invisible operator", pattern: /[\u2061-\u2064\u206A-\u206F\u180E\u00AD]/u },
  { name: "a blank letter", pattern: /[\u115F\u1160\u3164\uFFA0]/u },
  { name: "a variation selector that no letter has", pattern: /[\u{E0100}-\u{E01EF}]/u },
  { name: "a control character", pattern: /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u009F]/u },
];

const ANY = new RegExp(KINDS.map(({ pattern }) => pattern.source).join("|"), "gu");

/** A hidden character, with its place. */
export interface HiddenCharacter {
  /** `a tag character (U+E0041)` */
  readonly what: string;
  readonly index: number;
}

/**
 * The hidden characters of a text; of a run of one kind the first. Allowed are joiners where writing needs them: between
 * emoji, and between letters of scripts that join; and the tags of a flag such as that of Wales.
 */
export function hiddenCharacters(text: string): readonly HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  let before: { readonly name: string; readonly end: number } | undefined;
  for (const { 0: character, index } of text.matchAll(ANY)) {
    const { name = "" } = KINDS.find(({ pattern }) => pattern.test(character)) ?? {};
    const end = index + character.length;
    const follows = before?.name === name && before.end === index;
    before = { name, end };
    if (follows || isNeeded(text, { character, index, end })) continue;
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0");
    found.push({ what: `${name} (U+${code})`, index });
  }
  return found;
}

const EMOJI = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)$/u;
const JOINING =
  /[\p{sc=Arab}\p{sc=Syrc}\p{sc=Mong}\p{sc=Deva}\p{sc=Beng}\p{sc=Taml}\p{sc=Telu}\p{sc=Knda}\p{sc=Mlym}\p{sc=Gujr}\p{sc=Guru}\p{sc=Orya}\p{sc=Sinh}\p{sc=Khmr}\p{sc=Mymr}]$/u;
/** A black flag, a region in tags, the end of tags. */
const FLAG = /^\u{1F3F4}[\u{E0061}-\u{E007A}\u{E0030}-\u{E0039}]{2,6}\u{E007F}/u;

function isNeeded(
  text: string,
  { character, index, end }: { readonly character: string; readonly index: number; readonly end: number },
): boolean {
  if (character === "\u200D" || character === "\u200C") {
    const [left, right] = [lastOf(text.slice(Math.max(0, index - 2), index)), firstOf(text.slice(end, end + 2))];
    return (
      (EMOJI.test(left) && /^\p{Extended_Pictographic}/u.test(right)) || (JOINING.test(left) && JOINING.test(right))
    );
  }
  return /[\u{E0000}-\u{E007F}]/u.test(character) && FLAG.test(text.slice(Math.max(0, index - 2)));
}

function firstOf(text: string): string {
  return [...text][0] ?? "";
}

function lastOf(text: string): string {
  return [...text].at(-1) ?? "";
}
