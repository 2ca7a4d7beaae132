import { type RiskContext, Tool, z } from "toolroom";
import { withNextStep } from "../lib/missing.ts";
import { numberedLines } from "../lib/numbered-lines.ts";
import { readRisk } from "../lib/read-risk.ts";

const MAX_BYTES = 10 * 1024 * 1024;

const parameters = z.object({
  path: z.string().min(1).describe("the file, relative to the workspace, at most 10 MiB"),
  offset: z.number().int().min(1).optional().describe("first line, counted from 1; default 1"),
  limit: z.number().int().min(1).optional().describe("how many lines; default all"),
  encoding: z
    .enum(["utf8", "base64"])
    .default("utf8")
    .describe("utf8 (default), or base64 for a file that is not text, which ignores offset and limit"),
});

type Arguments = z.infer<typeof parameters>;

/** Reads a file: numbered lines of text, or base64. */
export default class FileRead extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Reads a file of the workspace as numbered lines, whole or in part, or as base64.";
  static readonly risk = ({ path }: Arguments, context: RiskContext) => readRisk(path, context);
  static readonly parallel = "safe";
  static readonly untrusted = true;

  async execute({ path, offset = 1, limit, encoding }: Arguments) {
    const { workspace, signal } = this;
    const options = { maxBytes: MAX_BYTES, signal };
    const bytes = await withNextStep(workspace, path, () => workspace.readBytes(path, options));
    const shown = workspace.relative(path);
    if (encoding === "base64") {
      return this.success(Buffer.from(bytes).toString("base64"), { path: shown, encoding, bytes: bytes.length });
    }
    const { message, complete, ...counts } = numberedLines(bytes, shown, { offset, limit, hasBytes: true });
    const data = { path: shown, encoding, bytes: bytes.length, ...counts };
    return complete ? this.success(message, data) : this.partial(message, data);
  }
}
