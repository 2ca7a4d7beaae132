/** The Fluent file of a locale that describes tools and their parameters: `locales/<locale>/tools.ftl`. */
export const TOOLS_FILE = "tools.ftl";

/** The key of a tool's description: `tool-word-count` for `word_count`. */
export function toolKey(tool: string): string {
  return `tool-${tool.replaceAll("_", "-")}`;
}

/**
 * The key of a parameter's description: `tool-word-count-param-path`.
 * @param path names from the top of the arguments down, joined by `-`: `tool_calls`, then `tool_name` of its items, is
 * `tool-parallel-param-tool-calls-tool-name`
 */
export function parameterKey(tool: string, path: readonly string[]): string {
  return `${toolKey(tool)}-param-${path.map(plain).join("-")}`;
}

/** Fluent's names have letters, digits, `-` and `_`; whatever else a name has becomes `-`, as `_` does. */
function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9-]/gu, "-");
}
