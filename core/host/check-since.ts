import { existsSync } from "node:fs";
import { join } from "node:path";
import { displayPath } from "../discovery/paths.ts";
import { type Change, touchedTools } from "../dox/changes.ts";
import { facesOf, factsOf, type ToolFacts } from "../dox/faces.ts";
import { createReader } from "../dox/reader.ts";
import type { CheckedTool, CheckSubject } from "../dox/subject.ts";
import { openModuleLoader } from "../loading/module-loader.ts";
import { loadTool } from "../loading/tool-module.ts";
import { filesOf } from "./check-files.ts";
import { openRevision } from "./revision.ts";

/**
 * What changed in the root of a subject since a commit. Modules of tools that were touched are loaded as they were.
 * @throws HostError USAGE (usage) without git, a repository, or such a commit
 */
export async function changeSince(subject: CheckSubject, since: string): Promise<Change> {
  const revision = await openRevision(subject.root, since);
  const faces = facesOf(subject);
  const touched = touchedTools({ files: revision.changed, faces });
  const before =
    touched.length === 0
      ? new Map<string, ToolFacts | undefined>()
      : await revision.withContent(async (directory) => await factsIn(directory, touched));
  return { since, files: revision.changed, faces, before };
}

/** What tools are in another directory of the same shape; those that do not lie there are left out. */
async function factsIn(
  directory: string,
  tools: readonly CheckedTool[],
): Promise<ReadonlyMap<string, ToolFacts | undefined>> {
  const loader = openModuleLoader({
    sdk: async () => (await import("../loading/content-sdk.ts")).contentSdk,
    contentRoots: [directory],
    display: (file) => displayPath(directory, file),
  });
  const reader = createReader(filesOf(directory));
  const facts = new Map<string, ToolFacts | undefined>();
  for (const { id, file } of tools) {
    if (!existsSync(join(directory, file))) continue;
    const outcome = await loadTool(loader, { id, file: join(directory, file) });
    facts.set(file, "tool" in outcome ? factsOf(reader, { file, contract: outcome.tool.contract }) : undefined);
  }
  await loader.close();
  return facts;
}
