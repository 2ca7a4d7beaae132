import { posix } from "node:path";
import { obeyedBy, type RiskContext, type RiskVerdict } from "toolroom";

/**
 * The risk of writing to a file: medium, and high where something runs it or obeys it, by its name, by that of the file
 * that a link leads to, or because this host itself takes content from there.
 * @throws ToolError where it may not be written
 */
export async function writeRisk(path: string, { workspace }: Pick<RiskContext, "workspace">): Promise<RiskVerdict> {
  const shown = workspace.relative(await workspace.resolve(path, "update"));
  const reason = obeyedBy(workspace.relative(path)) ?? obeyedBy(shown);
  if (reason !== undefined) return { level: "high", reasons: [reason] };
  if (await workspace.isContent(path)) {
    return { level: "high", reasons: ["this host runs or obeys what lies there"] };
  }
  const outside = posix.isAbsolute(shown) ? ["it lies outside of the workspace"] : [];
  return { level: "medium", reasons: ["changes a file", ...outside] };
}
