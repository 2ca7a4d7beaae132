import type { RiskContext, RiskVerdict } from "toolroom";
import { namesSecrets } from "./secret-names.ts";

/**
 * Low; medium for what looks like a file with secrets, also where a link leads to it, and for what lies outside.
 * @throws ToolError where it may not be read
 */
export async function readRisk(path: string, { workspace }: Pick<RiskContext, "workspace">): Promise<RiskVerdict> {
  const real = await workspace.resolve(path, "read");
  if (namesSecrets(path) || namesSecrets(real)) {
    return { level: "medium", reasons: ["its name is that of a file with secrets"] };
  }
  if (await workspace.isOutside(path)) {
    return { level: "medium", reasons: ["it lies outside of the workspace"] };
  }
  return { level: "low", reasons: ["reads a file of the workspace"] };
}
