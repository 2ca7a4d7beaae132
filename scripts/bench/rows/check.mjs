import { atMost } from "../goals.mjs";
import { runNode } from "../processes.mjs";

/** Warm: the tree is indexed and the contract of each tool is known. */
export const check = {
  name: "toolroom check, all areas",
  against: "node -e 0",
  unit: "ms",
  /** Tools; each plugin of a tree has two. */
  sizes: [1_000],
  smokeSizes: [10],
  goal: () => atMost(1_500, "ms"),
  setup({ context, size }) {
    const { root } = context.tree({ plugins: size / 2 });
    const args = [context.cli, "check", "--trust", "--root", root];
    runNode(args);
    return {
      ours: () => runNode(args).ms,
      baseline: () => runNode(["-e", "0"]).ms,
    };
  },
};
