/** Escapes of letters that Python's `re` knows as JavaScript means them; every other letter is an error there. */
const PYTHON_ESCAPES = new Set("bBdDfnrsStvwWxu");

/** Whether a regular expression of a schema is one in a language. */
export function isPattern(pattern: string, language: "javascript" | "python"): boolean {
  return isJavaScript(pattern) && (language === "javascript" || isPython(pattern));
}

function isJavaScript(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    // Schemas are checked with this flag, so it is of no use to anybody.
    return false;
  }
}

/** What both languages read alike: no looking around, no names of groups, no classes of Unicode. */
function isPython(pattern: string): boolean {
  const bare = withoutEscapes(pattern);
  if (/\(\?(?!:)/.test(bare) || /\[\^?\]/.test(bare) || pattern.includes("\\u{")) return false;
  return [...pattern.matchAll(/\\(.)/gsu)].every(([, char = ""]) => !/[A-Za-z]/.test(char) || PYTHON_ESCAPES.has(char));
}

function withoutEscapes(pattern: string): string {
  return pattern.replace(/\\./gsu, "");
}
