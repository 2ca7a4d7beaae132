import type { FragmentMeta } from "../discovery/fragment.ts";
import type { PromptTool } from "./generated.ts";

/**
 * What stands for a fragment that is too long: its name, the `summary` of its front matter, and the names of the arguments,
 * without which nobody can call. Undefined where no summary was written.
 *
 * @param tools those that it documents and that can be called
 */
export function shortFragment(name: string, meta: FragmentMeta, tools: readonly PromptTool[]): string | undefined {
  const summary = (meta.summary ?? "").trim();
  if (summary === "") return undefined;
  const ids = meta.tools ?? [name];
  const several = ids.length > 1;
  const lines = tools.map(({ id, parameters }) => {
    const names = argumentNames(parameters);
    return `${several ? `- \`${id}\`: ` : ""}${names === "" ? "no arguments" : names}`;
  });
  const taken = several ? lines.join("\n") : `Arguments: ${lines.join("")}`;
  return [`## ${several ? name : (ids[0] ?? name)}`, summary, taken].join("\n\n");
}

/** `path`, `limit` (optional) */
function argumentNames(parameters: PromptTool["parameters"]): string {
  if (parameters === null) return "any object";
  const { properties, required } = parameters;
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : [];
  return names.map((key) => `\`${key}\`${needed.has(key) ? "" : " (optional)"}`).join(", ");
}
