/**
 * Mends text that is nearly JSON (trailing commas, comments, single or typographic quotes, unquoted keys). An escape
 * that JSON does not know, such as that of a regular expression or of a Windows path, stays as it was written.
 * The library is loaded here and only when strict parsing failed, because it costs many times a parse.
 *
 * @returns the value, or undefined when the text is beyond repair
 */
export async function repairJson(text: string): Promise<{ readonly value: unknown } | undefined> {
  const literal = text.replace(ESCAPE, (whole, known: string | undefined) => (known === undefined ? "\\\\" : whole));
  const { jsonrepair } = await import("jsonrepair");
  for (const attempt of [() => literal, () => jsonrepair(literal)]) {
    try {
      return { value: JSON.parse(attempt()) };
    } catch {
      // Beyond repair in the end: the caller reports the strict parser's message, which names the place.
    }
  }
  return undefined;
}

/** A backslash, with what it escapes where that is known: to JSON, or, for the other quotes, to nearly-JSON. */
const ESCAPE = /\\(["\\/bfnrt'`‘’“”]|u[0-9a-fA-F]{4})?/g;
