import { type GlobFound, type RiskContext, type RiskVerdict, Tool, z } from "toolroom";
import { withNextStep } from "../lib/missing.ts";
import { oneLine } from "../lib/one-line.ts";

const MAX_RESULTS = 1_000;

const parameters = z.object({
  pattern: z.string().min(1).max(1_000).describe("a glob relative to path; a / at the end finds directories"),
  path: z.string().min(1).default(".").describe("the directory to look in; default the workspace"),
  include_hidden: z.boolean().default(false).describe("wildcards match names that begin with a dot"),
  include_ignored: z.boolean().default(false).describe("find what .gitignore leaves out"),
});

const output = z.object({
  paths: z.array(z.string()),
  total: z.number().int(),
  cut: z.array(z.enum(["results", "time"])),
  unreadable: z.number().int(),
});

/** Finds files by their names. */
export default class GlobSearch extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly output = output;
  static readonly description = "Finds the files of the workspace whose paths match a glob pattern.";
  static readonly risk = riskOf;
  static readonly parallel = "safe";
  static readonly untrusted = true;

  async execute({ pattern, path, include_hidden, include_ignored }: z.infer<typeof parameters>) {
    const { workspace, signal } = this;
    const found = await withNextStep(workspace, path, () =>
      workspace.glob({
        pattern,
        path,
        includeHidden: include_hidden,
        includeIgnored: include_ignored,
        maxResults: MAX_RESULTS,
        signal,
      }),
    );
    const message = [...found.paths.map(oneLine), ...(found.paths.length > 0 ? [""] : []), footer(found, pattern)].join(
      "\n",
    );
    return found.cut.length > 0 ? this.partial(message, { ...found }) : this.success(message, { ...found });
  }
}

/** Low inside the workspace, medium outside. @throws ToolError where it may not be read */
async function riskOf({ path }: { readonly path: string }, { workspace }: RiskContext): Promise<RiskVerdict> {
  await workspace.resolve(path, "read");
  return (await workspace.isOutside(path))
    ? { level: "medium", reasons: ["it lies outside of the workspace"] }
    : { level: "low", reasons: ["finds files of the workspace"] };
}

function footer({ paths, total, cut, unreadable }: GlobFound, pattern: string): string {
  const refused = unreadable === 0 ? "" : ` ${unreadable} directories could not be read.`;
  if (cut.includes("time")) {
    return `[Stopped for lack of time after ${total} of perhaps more. Name a directory as path.${refused}]`;
  }
  if (cut.length > 0)
    return `[The first ${paths.length} of ${total}: ${total - paths.length} more. Narrow the pattern.${refused}]`;
  if (total === 0) {
    const where = pattern.includes("**") ? "" : " Only ** goes into directories.";
    return `[Nothing matches.${where} Hidden and ignored files are found only when asked for.${refused}]`;
  }
  return `[${total} in all.${refused}]`;
}
