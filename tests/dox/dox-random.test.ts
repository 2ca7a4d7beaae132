import fc from "fast-check";
import { expect, test } from "vitest";
import { documentFindings } from "../../core/dox/dox.ts";
import { documentRepairs } from "../../core/dox/dox-repairs.ts";
import type { Tree } from "../helpers/tree.ts";
import { checkedTool, treeSubject } from "./subject.ts";

const SEED = 20261130;

const line = fc.constantFrom(
  "",
  "Text.",
  "None.",
  "To be written.",
  "# Title",
  "## Purpose",
  "## Arguments",
  "## Side effects",
  "## Ownership",
  "## Children",
  "### Deeper",
  "<!-- arguments -->",
  "<!-- /arguments -->",
  "<!-- open",
  "-->",
  "~~~",
  "```md",
  "| name | type | required | default | meaning |",
  "| name | |",
  "|---|---|",
  "|---|---|---|---|---|",
  "| `path` | string | yes | | the \\| file |",
  "| `gone` | | | | |",
  "| [_a](_a/AGENTS.md) | scope |",
  "- [_b](_b/) and [_c](_c/AGENTS.md)",
  "[x](../..//%zz?#a-b) ![](<a b>) [r]: ",
  "Risk: high.",
  "`breakLoop` is `true`, NOT_FOUND",
  "`` ` `` ` ``` `lib/x.ts` `../..`",
);
const document = fc
  .tuple(fc.array(fc.oneof(line, fc.string()), { maxLength: 14 }), fc.constantFrom("\n", "\r\n"))
  .map(([lines, eol]) => lines.join(eol));

const parameters = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [checkedTool("tools/a.ts", { parameters })];

test(`whatever documents hold, the check answers, and what it writes once it does not write again (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(document, document, document, async (companion, page, source) => {
      const tree: Tree = {
        "AGENTS.md": "## Ownership\n",
        "plugins/_a/plugin.yaml": "",
        "plugins/_b/plugin.yaml": "",
        "plugins/_b/AGENTS.md": page,
        "plugins/AGENTS.md": page,
        "tools/a.ts": source,
        "tools/a.ts.dox.md": companion,
      };
      await documentFindings(treeSubject(tree, { tools }));
      const edits = documentRepairs(treeSubject(tree, { tools }));
      const after = { ...tree, ...Object.fromEntries(edits.map(({ file, text }) => [file, text])) };
      expect(documentRepairs(treeSubject(after, { tools }))).toEqual([]);
    }),
    { seed: SEED, numRuns: 200 },
  );
});
