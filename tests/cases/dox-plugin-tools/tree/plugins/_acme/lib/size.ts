import { ToolError, type Workspace } from "toolroom";

export async function size(workspace: Workspace): Promise<string> {
  if ((await workspace.list(".")).length > 9) throw new ToolError("TOO_LARGE", "expected less");
  return "3";
}
