import { existsSync } from "node:fs";
import { join } from "node:path";
import { ratioAtMost } from "../goals.mjs";
import { runNode } from "../processes.mjs";
import { settle } from "../trees.mjs";

/** Warm: the tree is indexed, the contract of each tool is known, and the listing is kept. */
export const list = {
  name: "toolroom list --json",
  against: "node -e 0",
  unit: "ms",
  sizes: [1_000, 10_000],
  smokeSizes: [10],
  goal: (size) => ratioAtMost(size > 1_000 ? 5.5 : 1.8),
  async setup({ context, size }) {
    const { root, tools } = context.tree({ plugins: size });
    const args = [context.cli, "list", "--json", "--root", root, "--trust"];
    runNode([context.cli, "check", "contracts", "--root", root, "--trust"]);
    const cached = (name) => join(root, "usr/.cache", name);
    if (!context.smoke) await settle({ directories: [cached("contracts.cache")], fragments: [] });
    const listed = JSON.parse(runNode(args).stdout).tools.filter((tool) => tool.plugin?.startsWith("plugin_"));
    const known = listed.filter((tool) => tool.status === "ok").length;
    if (known !== tools.length) {
      throw new Error(`expected ${tools.length} listed tools of status ok, found ${known} of ${listed.length}`);
    }
    if (!context.smoke && !existsSync(cached("listing.cache"))) throw new Error("expected a kept listing, found none");
    return {
      ours: () => runNode(args).ms,
      baseline: () => runNode(["-e", "0"]).ms,
    };
  },
};
