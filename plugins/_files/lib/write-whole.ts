import type { Workspace } from "toolroom";
import { ToolError } from "toolroom";
import { oneLine } from "./one-line.ts";
import { type NewContent, type Replacement, replacedFile } from "./replaced-file.ts";
import { lineEndsOf, linesIn, many } from "./text-file.ts";
import { LARGE } from "./unified-diff.ts";

/** What a result says of a file that was written whole. */
export interface WholeWritten {
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Writes a whole file, or leaves it as it is where it holds the content already.
 * @throws ToolError as `replacedFile` and `Workspace.update`
 */
export async function writeWhole(
  workspace: Workspace,
  { signal, ...given }: NewContent & { readonly signal: AbortSignal },
): Promise<WholeWritten> {
  requireFile(given.path);
  const path = workspace.relative(given.path);
  let made: Replacement | undefined;
  const update: Parameters<Workspace["update"]>[1] = async (now) => {
    made = await replacedFile(now, { ...given, path });
    return made.isSame ? undefined : made.content;
  };
  await workspace.update(given.path, update, { signal });
  return resultOf(path, made as unknown as Replacement);
}

/** What it would change, for a person; undefined for a new file, of which the arguments are all. */
export async function previewWrite(workspace: Workspace, given: NewContent): Promise<string | undefined> {
  const there = await workspace.stat(given.path).catch(() => undefined);
  if (!there) return undefined;
  const now = { exists: true, read: () => workspace.readBytes(given.path) };
  const { diff, isSame } = await replacedFile(now, { ...given, path: workspace.relative(given.path) }, LARGE);
  return isSame ? "nothing: the file holds this already" : (diff?.text ?? "all of a file that cannot be shown as text");
}

/** @throws ToolError INVALID_PARAM for a path that can only be that of a directory */
export function requireFile(path: string): void {
  if (!/[\\/]$/u.test(path)) return;
  const shown = JSON.stringify(path);
  throw new ToolError("INVALID_PARAM", `expected the path of a file, found that of a directory: ${shown}`, {
    pointer: "/path",
    hint: "Put the name of the file at its end.",
  });
}

function resultOf(path: string, { content, text, existed, kept, diff, isSame }: Replacement): WholeWritten {
  const bytes = content.length;
  const lines = text === undefined ? [] : [many(linesIn(text), "line")];
  const size = [...lines, many(bytes, "byte")].join(", ");
  const counts = existed && diff && !isSame ? ` (+${diff.added} −${diff.removed} lines)` : "";
  const keeps = kept.length === 0 ? "" : ` Kept its ${kept.join(" and ")}.`;
  const message = isSame
    ? `${oneLine(path)} holds this already: ${size}. Nothing was written.`
    : `${existed ? "Replaced" : "Created"} ${oneLine(path)}: ${size}${counts}.${keeps}`;
  const change = diff ? { added: diff.added, removed: diff.removed, diff: diff.text, diffCut: diff.cut } : {};
  const ends = text === undefined ? {} : { lineEnds: lineEndsOf(text) };
  return { message, data: { path, bytes, created: !existed, written: !isSame, ...ends, ...change } };
}
