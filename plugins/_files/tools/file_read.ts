import { type RiskContext, type RiskVerdict, Tool, z } from "toolroom";
import { withNextStep } from "../lib/missing.ts";
import { namesSecrets } from "../lib/secret-names.ts";

const MAX_BYTES = 10 * 1024 * 1024;
/** Where a NUL byte is looked for: text has none. */
const BINARY_PROBE_BYTES = 8192;

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
  static readonly risk = riskOf;
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
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) {
      return this.failure("BINARY_FILE", `${shown} is not text`, {
        pointer: "/encoding",
        hint: 'Read it with "encoding": "base64", if its bytes are of use.',
      });
    }
    const { text, exact } = decode(bytes);
    const lines = splitLines(text);
    const part = lines.slice(offset - 1, limit === undefined ? undefined : offset - 1 + limit);
    const from = part.length === 0 ? 0 : offset;
    const to = part.length === 0 ? 0 : offset - 1 + part.length;
    const data = { path: shown, encoding, bytes: bytes.length, lines: lines.length, from, to };
    if (bytes.length === 0) return this.success("", data);
    const note = footer({ from, to, total: lines.length });
    if (exact)
      return this.success([...part.map((line, index) => `${offset + index}: ${line}`), "", note].join("\n"), data);
    // Numbers would promise an exactness that is gone: the lines are what could be decoded.
    const lossy =
      'Not valid UTF-8: what could not be decoded is shown as \uFFFD; "encoding": "base64" gives the bytes.';
    return this.partial([...part, "", note, `[${lossy}]`].join("\n"), data);
  }
}

/** Low, except for what looks like a file with secrets, also where a link leads to it. */
async function riskOf({ path }: Pick<Arguments, "path">, { workspace }: RiskContext): Promise<RiskVerdict> {
  // A path that cannot be read is refused when it is read, in words of its own.
  const real = await workspace.resolve(path).catch(() => path);
  return namesSecrets(path) || namesSecrets(real)
    ? { level: "medium", reasons: ["its name is that of a file with secrets"] }
    : { level: "low", reasons: ["reads a file of the workspace"] };
}

function decode(bytes: Uint8Array): { text: string; exact: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), exact: true };
  } catch {
    return { text: new TextDecoder("utf-8").decode(bytes), exact: false };
  }
}

/** A line is what a line feed ends, and an unterminated last one; a carriage return before the line feed is dropped. */
function splitLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function footer({ from, to, total }: { from: number; to: number; total: number }): string {
  const size = `${total} line${total === 1 ? "" : "s"}`;
  if (from === 0) return `[No lines in this range: the file has ${size}.]`;
  if (from === 1 && to === total) return `[${size}, all of the file.]`;
  return `[Lines ${from} to ${to} of ${total}.]`;
}
