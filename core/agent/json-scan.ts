/** How a root stands: still open, closed, closed by the wrong bracket, or no JSON at all. */
export type RootState = "open" | "closed" | "broken" | "prose";

/** Reads one `{…}` or `[…]` piece by piece; every character is looked at once. */
export interface RootScanner {
  readonly state: RootState;
  /** Reads on to the end of the string that is open. @returns the place behind it, 0 where none is open */
  readString(text: string): number;
  /** Reads on. @returns the place behind the last character that belongs to the root, or the place of the wrong bracket */
  read(text: string, from: number): number;
  /** What would close everything that is open now. */
  closers(): string;
  /** How many characters were read. */
  readonly length: number;
  /** Where characters stand that mean nothing between tokens: offsets from the root's first character. */
  readonly invisible: readonly number[];
}

const BACKSLASH = 92;
const NEWLINE = 10;
const SLASH = 47;
const STAR = 42;
const DOUBLE = 34;
const CLOSER: Readonly<Record<number, number>> = { 123: 125, 91: 93 };

/** The quotes that may end a string, by the one that began it. Only nearly-JSON has others than the double quote. */
const ENDS: ReadonlyMap<number, string> = new Map([
  [34, '"'],
  [39, "'"],
  [96, "`"],
  [0x201c, '“”"'],
  [0x201d, '“”"'],
  [0x2018, "‘’'"],
  [0x2019, "‘’'"],
]);

/**
 * Begins at the opening bracket, which `read` is given first. Brackets in strings and comments do not count. Quotes
 * other than the double one open a string only where a token may begin, so an apostrophe in bare text is text.
 *
 * @param doubtful text came before it: what follows `{` has to look like JSON, or it is prose about `{braces}`
 */
export function createRootScanner(doubtful: boolean): RootScanner {
  const expected: number[] = [];
  const invisible: number[] = [];
  let state: RootState = "open";
  let ends = "";
  let escaped = false;
  let comment: "" | "line" | "block" = "";
  /** The last character that was no blank, and the last of all. */
  let last = 0;
  let previous = 0;
  let beforeSlash = 0;
  let length = 0;

  const string = (text: string, from: number): number => {
    const { length: end } = text;
    // Nearly all of a reply is text in double quotes.
    const isDouble = ends === '"';
    let at = from;
    if (escaped && at < end) {
      escaped = false;
      at++;
    }
    while (at < end) {
      const code = text.charCodeAt(at++);
      if (code === BACKSLASH) {
        if (at < end) at++;
        else escaped = true;
      } else if (isDouble ? code === DOUBLE : ends.includes(text.charAt(at - 1))) {
        ends = "";
        last = DOUBLE;
        break;
      }
    }
    return at;
  };
  const skipComment = (text: string, from: number): number => {
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const isOver = comment === "line" ? code === NEWLINE : code === SLASH && previous === STAR;
      previous = code;
      if (!isOver) continue;
      comment = "";
      return at + 1;
    }
    return at;
  };
  /** One character outside of strings and comments. @returns false where it does not belong to the root */
  const token = (code: number, offset: number): boolean => {
    const atStart = last === 123 || last === 91 || last === 44 || last === 58;
    // A slash inside bare text, such as that of a URL, begins no comment.
    const mayComment = isBlank(previous) || previous === 123 || previous === 91 || previous === 44;
    if (isBlank(code)) {
      if (isInvisible(code)) invisible.push(offset);
    } else if (doubtful && expected.length === 1 && last === 123 && code !== 125 && !ENDS.has(code)) {
      state = "prose";
      return false;
    } else if (code === DOUBLE || (atStart && ENDS.has(code))) {
      ends = ENDS.get(code) as string;
    } else if (CLOSER[code] !== undefined) {
      expected.push(CLOSER[code]);
      last = code;
    } else if (code === 125 || code === 93) {
      if (expected.at(-1) !== code) {
        state = "broken";
        return false;
      }
      expected.pop();
      last = code;
      if (expected.length === 0) state = "closed";
    } else if (last === SLASH && previous === SLASH && (code === SLASH || code === STAR)) {
      comment = code === SLASH ? "line" : "block";
      last = beforeSlash;
      previous = 0;
      return true;
    } else if (code === SLASH && mayComment) {
      beforeSlash = last;
      last = code;
    } else {
      last = code === SLASH ? 0 : code;
    }
    previous = code;
    return true;
  };

  return {
    get state() {
      return state;
    },
    get length() {
      return length;
    },
    invisible,
    closers: () => (escaped ? "\\" : "") + ends.slice(0, 1) + closersOf(expected),
    readString(text) {
      if (ends === "") return 0;
      const at = string(text, 0);
      length += at;
      return at;
    },
    read(text, from) {
      let at = from;
      while (at < text.length && state === "open") {
        if (ends !== "") at = string(text, at);
        else if (comment !== "") at = skipComment(text, at);
        else if (token(text.charCodeAt(at), length + at - from)) at++;
      }
      length += at - from;
      return at;
    },
  };
}

/** White space of JSON and beyond, and {@link isInvisible}. */
export function isBlank(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13);
  return code > 126 && (code === 0xa0 || code === 0x2028 || code === 0x2029 || code === 0x3000 || isInvisible(code));
}

/** Byte-order mark, zero-width characters, soft hyphens: models put them around JSON, where they mean nothing. */
export function isInvisible(code: number): boolean {
  return (
    code === 0xfeff ||
    code === 0xad ||
    code === 0x180e ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2060 && code <= 0x2064)
  );
}

function closersOf(expected: readonly number[]): string {
  return String.fromCharCode(...expected.toReversed());
}
