import { type FileNow, type RiskContext, Tool, ToolError, z } from "toolroom";
import { changedText, changeReport, type TextChange } from "../lib/changed-text.ts";
import { applyLineEdits } from "../lib/line-edits.ts";
import { withNextStep } from "../lib/missing.ts";
import { numberedLines } from "../lib/numbered-lines.ts";
import { oneLine } from "../lib/one-line.ts";
import { readRisk } from "../lib/read-risk.ts";
import { LARGE } from "../lib/unified-diff.ts";
import { writeRisk } from "../lib/write-risk.ts";
import { previewWrite, writeWhole } from "../lib/write-whole.ts";

const MAX_BYTES = 10 * 1024 * 1024;

const parameters = z.object({
  action: z
    .enum(["read", "write", "patch"])
    .default("read")
    .describe("read (default) shows numbered lines, write replaces the whole file, patch changes lines by number"),
  path: z.string().min(1).describe("the file, relative to the workspace"),
  line_from: z.number().int().min(1).default(1).describe("for read: first line, default 1"),
  line_to: z.number().int().min(1).optional().describe("for read: last line, default the end"),
  content: z.string().optional().describe("for write: the whole new content"),
  edits: z
    .array(
      z.object({
        from: z.number().int().min(1).describe("first line to replace, or the line to insert before"),
        to: z.number().int().min(1).optional().describe("last line to replace; without it content is inserted"),
        content: z.string().optional().describe("the new lines; without it the lines are deleted"),
      }),
    )
    .min(1)
    .max(200)
    .optional()
    .describe("for patch: line numbers of the file as it was read; all are made or none"),
});

type Arguments = z.infer<typeof parameters>;

/** Reads and changes text files by line numbers. */
export default class TextEditor extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Reads, writes and patches text files of the workspace by line numbers.";
  static readonly risk = (args: Arguments, context: RiskContext) => {
    const { action, path } = args;
    if (action === "read") return readRisk(path, context);
    // Nobody is asked about a call that lacks what it needs.
    if (action === "write") whole(args);
    else patchOf(args);
    return writeRisk(path, context);
  };
  static readonly preview = preview;
  static readonly untrusted = true;

  async execute(args: Arguments) {
    switch (args.action) {
      case "read":
        return await this.#read(args);
      case "write":
        return await this.#write(args);
      case "patch":
        return await this.#patch(args);
    }
  }

  async #read({ path, line_from: offset, line_to: to }: Arguments) {
    const { workspace, signal } = this;
    if (to !== undefined && to < offset) {
      throw new ToolError("INVALID_PARAM", `expected a line from ${offset} on, found ${to}`, {
        pointer: "/line_to",
        hint: "line_from is the first line, line_to the last.",
      });
    }
    const options = { maxBytes: MAX_BYTES, signal };
    const bytes = await withNextStep(workspace, path, () => workspace.readBytes(path, options));
    const shown = workspace.relative(path);
    const limit = to === undefined ? undefined : to - offset + 1;
    const { message, complete, ...counts } = numberedLines(bytes, shown, { offset, limit, hasBytes: false });
    const data = { path: shown, bytes: bytes.length, ...counts };
    return complete ? this.success(message, data) : this.partial(message, data);
  }

  async #write(args: Arguments) {
    const { workspace, signal } = this;
    const { message, data } = await writeWhole(workspace, { ...whole(args), signal });
    return this.success(message, data);
  }

  async #patch(args: Arguments) {
    const { workspace, signal } = this;
    const { path } = args;
    const shown = workspace.relative(path);
    const change = patchOf(args);
    let made: TextChange | undefined;
    const update = async (now: FileNow) => {
      made = changedText(await now.read(), shown, { change });
      return made.content;
    };
    const options = { maxBytes: MAX_BYTES, mustBeSeen: true, signal };
    await withNextStep(workspace, path, () => workspace.update(path, update, options));
    const { what, data } = changeReport(shown, made as unknown as TextChange);
    return this.success(`${oneLine(shown)}: changed ${what}. Lines below have new numbers.`, data);
  }
}

async function preview(args: Arguments, { workspace }: RiskContext): Promise<string | undefined> {
  if (args.action === "read") return undefined;
  if (args.action === "write") return await previewWrite(workspace, whole(args));
  const bytes = await workspace.readBytes(args.path);
  return changedText(bytes, workspace.relative(args.path), { change: patchOf(args), size: LARGE }).diff.text;
}

function whole({ path, content }: Arguments) {
  if (content === undefined) throw missing("write", "content");
  return { path, content, encoding: "utf8" as const };
}

function patchOf({ edits }: Arguments) {
  if (edits === undefined) throw missing("patch", "edits");
  return (text: string) => applyLineEdits(text, edits);
}

function missing(action: Arguments["action"], key: keyof Arguments): ToolError {
  return new ToolError("INVALID_PARAM", `action ${action} expects ${key}, found none`, {
    pointer: `/${key}`,
    hint: "Send it with the same action.",
  });
}
