import { type FileNow, type RiskContext, Tool, ToolError, z } from "toolroom";
import { changedText, changeReport, type TextChange, type TextChanger } from "../lib/changed-text.ts";
import { applyEdits } from "../lib/edits.ts";
import { withNextStep } from "../lib/missing.ts";
import { oneLine } from "../lib/one-line.ts";
import { readRisk } from "../lib/read-risk.ts";
import { LARGE } from "../lib/unified-diff.ts";
import { writeRisk } from "../lib/write-risk.ts";

const MAX_BYTES = 10 * 1024 * 1024;

const parameters = z.object({
  path: z.string().min(1).describe("the file, relative to the workspace, at most 10 MiB of UTF-8 text"),
  old_string: z
    .string()
    .optional()
    .describe("the text to replace, exactly as it stands there, with enough around it to be there once"),
  new_string: z.string().optional().describe("what stands there afterwards; empty deletes"),
  edits: z
    .array(
      z.object({ old_string: z.string().describe("as old_string"), new_string: z.string().describe("as new_string") }),
    )
    .min(1)
    .max(200)
    .optional()
    .describe("in place of both, several replacements; all are made or none, each of the file as it is now"),
  dry_run: z.boolean().default(false).describe("true shows the change and writes nothing"),
});

type Arguments = z.infer<typeof parameters>;

/** Replaces parts of a text file. */
export default class FileEdit extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly description = "Replaces one or more exact pieces of text in a file of the workspace.";
  static readonly risk = (args: Arguments, context: RiskContext) => {
    // Nobody is asked about a call that cannot be made.
    changeOf(args);
    return args.dry_run ? readRisk(args.path, context) : writeRisk(args.path, context);
  };
  static readonly preview = preview;
  /** It shows what stands in the file. */
  static readonly untrusted = true;

  async execute(args: Arguments) {
    const { workspace, signal } = this;
    const { path, dry_run: dryRun } = args;
    const shown = workspace.relative(path);
    const change = changeOf(args);
    let made: TextChange | undefined;
    const update = async (now: FileNow) => {
      made = changedText(await now.read(), shown, { change });
      return dryRun ? undefined : made.content;
    };
    await withNextStep(workspace, path, () => workspace.update(path, update, { maxBytes: MAX_BYTES, signal }));
    const { diff } = made as unknown as TextChange;
    const { what, data } = changeReport(shown, made as unknown as TextChange);
    if (!dryRun) return this.success(`${oneLine(shown)}: replaced ${what}.`, { ...data, dryRun });
    const message = `${oneLine(shown)}: nothing was written. This would replace ${what}:\n${diff.text}`;
    return diff.cut ? this.partial(message, { ...data, dryRun }) : this.success(message, { ...data, dryRun });
  }
}

async function preview(args: Arguments, { workspace }: RiskContext): Promise<string> {
  const bytes = await workspace.readBytes(args.path);
  return changedText(bytes, workspace.relative(args.path), { change: changeOf(args), size: LARGE }).diff.text;
}

/** @throws ToolError INVALID_PARAM where not exactly one of the two forms is given */
function changeOf({ old_string, new_string, edits }: Arguments): TextChanger["change"] {
  const isSingle = old_string !== undefined || new_string !== undefined;
  if (edits && isSingle) throw invalid("/edits", "expected old_string and new_string, or edits, found both");
  if (edits) return (text) => applyEdits(text, edits, (index) => `/edits/${index}/old_string`);
  if (old_string === undefined)
    throw invalid("/old_string", "expected old_string and new_string, or edits, found none");
  if (new_string === undefined) throw invalid("/new_string", "expected new_string beside old_string, found none");
  return (text) => applyEdits(text, [{ old_string, new_string }], () => "/old_string");
}

function invalid(pointer: string, message: string): ToolError {
  return new ToolError("INVALID_PARAM", message, { pointer, hint: "Send one of the two, whole." });
}
