import { posix } from "node:path";
import { ToolError, type Workspace } from "toolroom";
import { oneLine } from "./one-line.ts";

const MAX_NAMES = 5;

/**
 * Runs `open`; when the file is missing, the error also tells what to do next: the names in the same
 * directory that resemble the one asked for, else where to look.
 */
export async function withNextStep<T>(workspace: Workspace, path: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== "NOT_FOUND") throw error;
    const near = await nearNames(workspace, path);
    const hint =
      near.length > 0
        ? `Did you mean ${near.join(" or ")}? Paths are relative to the workspace.`
        : "Check the spelling of each part, or ask for the path; paths are relative to the workspace.";
    throw new ToolError("NOT_FOUND", error.message, { ...error.details, pointer: "/path", hint });
  }
}

async function nearNames(workspace: Workspace, path: string): Promise<readonly string[]> {
  const shown = workspace.relative(path);
  const wanted = stem(shown);
  const entries = await workspace.list(posix.dirname(shown)).catch(() => []);
  return entries
    .filter((entry) => entry.type === "file" && alike(wanted, stem(entry.path)))
    .slice(0, MAX_NAMES)
    .map((entry) => oneLine(entry.path));
}

/** The same name in another case or with another extension, or one that holds the other. */
function alike(a: string, b: string): boolean {
  if (a === b) return true;
  return Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a));
}

function stem(path: string): string {
  const { name } = posix.parse(path);
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
