import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { isMapping } from "../discovery/fields.ts";
import { describeFault } from "../dispatch/faults.ts";
import { parseToolName } from "../dispatch/request.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { callFaults, showsCall } from "./call-fit.ts";
import type { Document } from "./document.ts";

/** The calls of its tool that a document shows in fenced code, as a model writes them, fit the schema. */
export async function exampleFindings(
  { file, lines }: Document,
  { id, parameters }: { readonly id: string; readonly parameters: JsonSchema | null },
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const { text, line } of codeBlocks(lines)) {
    if (!showsCall(text)) continue;
    const words = (message: string, hint: string) => diagnostic("DOX_EXAMPLE", { file, line, message, hint });
    const call = parsed(text);
    if (!call) {
      found.push(words("expected an example call that is one object in JSON, found something else", "Mend the JSON."));
      continue;
    }
    const name = parseToolName(call.tool_name);
    // A call of another tool is no example of this one.
    if (name?.name !== id || parameters === null) continue;
    const faults = await callFaults({ args: call.tool_args ?? null, method: name.method }, parameters);
    if (faults.length === 0) continue;
    const message = `expected an example call that fits the schema of ${id}, found one that does not: ${faults.map(describeFault).join("; ")}`;
    found.push(words(message, "Change the example."));
  }
  return found;
}

interface Block {
  readonly text: string;
  /** Of its first line, 1-based. */
  readonly line: number;
}

function codeBlocks(lines: Document["lines"]): readonly Block[] {
  const blocks: { text: string; line: number; end: number }[] = [];
  for (const { code, raw, line } of lines) {
    const last = blocks.at(-1);
    if (!code) continue;
    if (last?.end === line - 1) Object.assign(last, { text: `${last.text}\n${raw}`, end: line });
    else blocks.push({ text: raw, line, end: line });
  }
  return blocks;
}

function parsed(text: string): { readonly [key: string]: Json } | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
