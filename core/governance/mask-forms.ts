/** A shorter form is a word or a few letters of one, and masking it would garble every text. */
export const MIN_FORM_LENGTH = 4;

/** A line of a secret, or of its base64, that is looked for by itself has to be so long. */
const MIN_LINE_LENGTH = 16;

/** The widths at which base64 is broken into lines: PEM files, `openssl`; MIME, `base64`. */
const LINE_WIDTHS = [64, 76] as const;

/** What is taken out of texts before people and models read them, except tab and newline. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The spellings of a secret that give it away, without the value itself:
 *
 * - without blanks at its ends, with CR LF at the ends of its lines, without control characters
 * - each of its lines that is long and holds no blank: how a key file looks when it is indented or numbered
 * - base64, padded and not, in both alphabets, broken into lines, and inside of something longer: what is left of it
 *   at each of the three places where it can begin
 * - percent-encoded as programs do it, with upper-case and lower-case digits, and with `+` for a blank
 * - escaped for JSON, once and twice, as ASCII, and with `\/`
 *
 * Forms under 4 characters are left out.
 */
export function formsOf(value: string): ReadonlySet<string> {
  const plain = new Set(
    [value, value.trim()].flatMap((text) => [text, text.replace(/\r?\n/g, "\r\n"), text.replace(CONTROLS, "")]),
  );
  const forms = new Set(plain);
  for (const text of plain) {
    for (const form of [...base64Forms(text), ...urlForms(text), ...jsonForms(text)]) forms.add(form);
  }
  for (const line of value.split(/\r?\n/)) {
    const bare = line.trim();
    if (bare.length >= MIN_LINE_LENGTH && !/\s/.test(bare)) forms.add(bare);
  }
  forms.delete(value);
  return new Set([...forms].filter((form) => form.length >= MIN_FORM_LENGTH));
}

/** How many characters of the encoding also depend on the 0, 1 or 2 bytes before the value. */
const TOUCHED_BY_BYTES_BEFORE = [0, 2, 3] as const;

function base64Forms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const placed = TOUCHED_BY_BYTES_BEFORE.flatMap((touched, before) => {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(touched);
    const bare = padded.replace(/=+$/, "");
    // Of a last group that is not full, the last character also depends on what follows.
    return padded === bare ? [bare] : [padded, bare, bare.slice(0, -1)];
  });
  const whole = bytes.toString("base64");
  const all = [...placed, ...LINE_WIDTHS.flatMap((width) => linesOf(whole, width))];
  return [...all, ...all.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

function linesOf(text: string, width: number): readonly string[] {
  if (text.length <= width) return [];
  const lines = Array.from({ length: Math.ceil(text.length / width) }, (_, at) =>
    text.slice(at * width, (at + 1) * width),
  );
  return lines.filter((line) => line.length >= MIN_LINE_LENGTH);
}

function urlForms(text: string): readonly string[] {
  const wellFormed = (text as string & { toWellFormed(): string }).toWellFormed();
  const component = encodeURIComponent(wellFormed);
  const strict = component.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams([["", wellFormed]]).toString().slice(1);
  const all = [component, strict, strict.replaceAll("%2F", "/"), form, encodeURI(wellFormed)];
  return [...all, ...all.map((encoded) => encoded.replace(/%[0-9A-F]{2}/g, (digits) => digits.toLowerCase()))];
}

function jsonForms(text: string): readonly string[] {
  const once = jsonEscaped(text);
  const ascii = once.replace(/[^\u0000-\u007f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const all = [once, ascii];
  return [...all, ...all.map((form) => form.replaceAll("/", "\\/")), ...all.map(jsonEscaped)];
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
