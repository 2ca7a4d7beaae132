import { type RiskContext, Tool, z } from "toolroom";
import { writeRisk } from "../lib/write-risk.ts";
import { previewWrite, requireFile, writeWhole } from "../lib/write-whole.ts";

const parameters = z.object({
  path: z.string().min(1).describe("the file, relative to the workspace; missing directories are made"),
  content: z.string().describe("the whole new content, at most 10 MiB"),
  encoding: z
    .enum(["utf8", "base64"])
    .default("utf8")
    .describe("utf8 (default), or base64 for content that is not text"),
});

type Arguments = z.infer<typeof parameters>;

/** Writes a whole file. */
export default class FileWrite extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Creates a file of the workspace, or replaces all of its content.";
  static readonly risk = ({ path }: Arguments, context: RiskContext) => {
    // Nobody is asked about a path that none of a file is.
    requireFile(path);
    return writeRisk(path, context);
  };
  static readonly preview = (args: Arguments, { workspace }: RiskContext) => previewWrite(workspace, args);

  async execute(args: Arguments) {
    const { workspace, signal } = this;
    const { message, data } = await writeWhole(workspace, { ...args, signal });
    return this.success(message, { ...data, encoding: args.encoding });
  }
}
