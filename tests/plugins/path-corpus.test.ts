import { type CorpusTool, INSIDE, pathCorpus } from "../helpers/path-corpus.ts";

/** Every bundled tool that takes a path of the workspace. */
const TOOLS: readonly CorpusTool[] = [
  { name: "file_read", does: "read", args: (path) => ({ path }) },
  { name: "word_count", does: "read", args: (path) => ({ path }) },
  {
    name: "content_search",
    does: "read",
    args: (path) => ({ path, pattern: "words|nobody" }),
    ends: { directory: ["success"] },
  },
  {
    name: "glob_search",
    does: "read",
    args: (path) => ({ path, pattern: "**" }),
    ends: {
      directory: ["success"],
      file: ["INVALID_PARAM"],
      link: ["INVALID_PARAM"],
      large: ["INVALID_PARAM"],
      kept: ["INVALID_PARAM"],
    },
  },
  { name: "file_write", does: "write", args: (path) => ({ path, content: "written" }) },
  { name: "file_edit", does: "change", args: (path) => ({ path, old_string: INSIDE, new_string: `${INSIDE}!` }) },
  { name: "text_editor:read", does: "read", args: (path) => ({ path }) },
  { name: "text_editor:write", does: "write", args: (path) => ({ path, content: "written" }) },
  {
    name: "text_editor:patch",
    does: "change",
    args: (path) => ({ path, edits: [{ from: 1, to: 1, content: "changed" }] }),
  },
];

pathCorpus(TOOLS);
