/**
 * Mends text that is nearly JSON (trailing commas, comments, single or typographic quotes, unquoted keys).
 * The library is loaded here and only when strict parsing failed, because it costs many times a parse.
 *
 * @returns the value, or undefined when the text is beyond repair
 */
export async function repairJson(text: string): Promise<{ readonly value: unknown } | undefined> {
  const { jsonrepair } = await import("jsonrepair");
  try {
    return { value: JSON.parse(jsonrepair(text)) };
  } catch {
    // Beyond repair: the caller reports the strict parser's message, which names the place.
    return undefined;
  }
}
