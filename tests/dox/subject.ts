import type { Candidate } from "../../core/discovery/catalog.ts";
import type { CheckedTool, CheckFiles, CheckSubject } from "../../core/dox/subject.ts";
import type { ToolContract } from "../../core/loading/tool-contract.ts";
import type { Tree } from "../helpers/tree.ts";

/** The files of a tree that lies on no disk. */
export function treeFiles(tree: Tree): CheckFiles {
  return {
    list(directory) {
      const begin = directory === "." ? "" : `${directory}/`;
      const below = Object.keys(tree).flatMap((file) => (file.startsWith(begin) ? [file.slice(begin.length)] : []));
      return [...new Set(below.map((file) => file.replace(/(?<=\/).*$/u, "")))].sort();
    },
    read: (file) => tree[file],
  };
}

/** What a check looks at, of files that lie on no disk. */
export function treeSubject(tree: Tree, more: Partial<CheckSubject> = {}): CheckSubject {
  return {
    root: "/r",
    home: "/r",
    files: treeFiles(tree),
    profiles: [],
    tools: [],
    fragments: [],
    snapshots: { directory: "usr/snapshots", required: false, prompts: async () => [] },
    mask: (text) => text,
    usr: false,
    ...more,
  };
}

/** A tool as a check knows it. @param file `…/<id>.ts`; below `plugins/<name>/` it is that plugin's */
export function checkedTool(file: string, contract: Partial<ToolContract> = {}): CheckedTool {
  const id = file.replace(/^.*\/|\.\w+$/gu, "");
  const plugin = /^(?:usr\/)?plugins\/([^/]+)\//u.exec(file)?.[1];
  const candidate: Candidate = {
    kind: "tool",
    id,
    file: `/r/${file}`,
    path: file,
    layer: { rank: 8, path: "." },
    order: 0,
    ...(plugin ? { plugin } : {}),
  };
  const known: ToolContract = { parameters: null, risk: "low", sends: [], parallel: "serial", untrusted: false };
  return { id, file, candidate, contract: { ...known, ...contract }, own: true };
}
