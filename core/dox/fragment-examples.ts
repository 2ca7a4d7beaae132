import { type Diagnostic, diagnostic, type Severity } from "../diagnostics.ts";
import { isMapping } from "../discovery/fields.ts";
import { readFrontMatter } from "../discovery/front-matter.ts";
import { describeFault, type Fault } from "../dispatch/faults.ts";
import { parseToolName } from "../dispatch/request.ts";
import type { Json } from "../sdk/json.ts";
import { nearest } from "../sdk/nearest.ts";
import { callFaults, showsCall } from "./call-fit.ts";
import type { CodeBlock, FragmentText } from "./fragment-text.ts";
import type { CheckedFragment, CheckedTool, CheckFiles } from "./subject.ts";

/** What {@link checkExamples} needs to know of everything else. */
export interface ExampleScope {
  readonly files: Pick<CheckFiles, "read">;
  /** The ids of all tools: a call of another tool is not this fragment's example. */
  readonly ids: ReadonlySet<string>;
  /** Of text that is not JSON: a model that writes it like that is understood all the same, mostly. */
  readonly severity: Severity;
}

/** The calls that a fragment shows, and those that its front matter lists, fit the schemas of the tools. */
export async function checkExamples(
  fragment: CheckedFragment,
  { blocks }: FragmentText,
  scope: ExampleScope,
): Promise<readonly Diagnostic[]> {
  const found: Diagnostic[] = [];
  for (const block of blocks) {
    if (showsCall(block.text)) found.push(...(await checkBlock(fragment, block, scope)));
  }
  const examples = fragment.meta.examples ?? [];
  const several = (fragment.meta.tools?.length ?? 1) > 1;
  for (const [at, { call }] of examples.entries()) {
    const name = several ? call.tool_name : fragment.tools[0]?.id;
    const args = several ? (call.tool_args ?? {}) : call;
    for (const { faults, tool } of await faultsOf(fragment, { name, args })) {
      const text = scope.files.read(fragment.file) ?? "";
      const place = readFrontMatter(text, fragment.file).document?.position(["examples", at, "call"]) ?? {};
      found.push(invalid(fragment, { ...place, what: `examples[${at}]`, tool, faults }));
    }
  }
  return found;
}

async function checkBlock(
  fragment: CheckedFragment,
  block: CodeBlock,
  { ids, severity }: ExampleScope,
): Promise<readonly Diagnostic[]> {
  const { file, tools } = fragment;
  const at = (line: number, message: string, hint?: string): Diagnostic =>
    diagnostic("FRAGMENT_EXAMPLE_INVALID", { file, line, message, ...(hint === undefined ? {} : { hint }) });
  let call: Json;
  try {
    call = JSON.parse(block.text);
  } catch (error) {
    // A value that the template writes is not JSON yet.
    if (block.text.includes("{{")) return [];
    return [{ ...at(block.line, `the example call is not JSON: ${(error as Error).message}`), severity }];
  }
  if (!isMapping(call)) return [];
  const parsed = parseToolName(call.tool_name);
  const nameLine = lineOf(block, '"tool_name"');
  if (parsed === undefined || !knownBy(fragment).has(parsed.name)) {
    if (parsed && ids.has(parsed.name)) return [];
    const names = [...knownBy(fragment).keys()];
    const meant = parsed && nearest(parsed.name, names);
    const message = `the example calls ${JSON.stringify(call.tool_name)}, expected ${names.join(", ") || "a tool"}`;
    return tools.length === 0 ? [] : [at(nameLine, message, meant && `Did you mean ${meant}?`)];
  }
  const found: Diagnostic[] = [];
  for (const { faults, tool } of await faultsOf(fragment, { name: call.tool_name, args: call.tool_args ?? null })) {
    const key = faults[0]?.kind === "missing" ? undefined : faults[0]?.pointer.split("/").at(-1);
    const line = lineOf(block, key === undefined ? '"tool_args"' : `"${key}"`, lineOf(block, '"tool_args"'));
    found.push(invalid(fragment, { line, what: "the example call", tool, faults }));
  }
  return found;
}

/** The tools of a fragment that a name means, each with what is wrong with the arguments. Nothing wrong: none. */
async function faultsOf(
  fragment: CheckedFragment,
  { name, args }: { readonly name: unknown; readonly args: Json },
): Promise<readonly { readonly tool: CheckedTool; readonly faults: readonly Fault[] }[]> {
  const parsed = parseToolName(name);
  const id = parsed && knownBy(fragment).get(parsed.name);
  const found = [];
  for (const tool of fragment.tools) {
    const schema = tool.contract?.parameters;
    if (tool.id !== id || !schema) continue;
    const faults = await callFaults({ args, method: parsed?.method }, schema);
    if (faults.length > 0) found.push({ tool, faults });
  }
  return found;
}

/** What a fragment calls its tools: ids and aliases, with the id. */
function knownBy({ tools, meta }: CheckedFragment): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { id } of tools) for (const name of [id, ...(meta.aliases?.[id] ?? [])]) names.set(name, id);
  return names;
}

function invalid(
  { file, tools }: CheckedFragment,
  {
    what,
    tool,
    faults,
    ...place
  }: {
    readonly line?: number;
    readonly column?: number;
    readonly what: string;
    readonly tool: CheckedTool;
    readonly faults: readonly Fault[];
  },
): Diagnostic {
  const which = tools.length > 1 ? `${tool.id} (${tool.file})` : tool.id;
  return diagnostic("FRAGMENT_EXAMPLE_INVALID", {
    file,
    ...place,
    message: `${what} does not fit the schema of ${which}: ${faults.map(describeFault).join("; ")}`,
    hint: `Change the example, or the parameters in ${tool.file}.`,
  });
}

function lineOf({ text, line }: CodeBlock, word: string, otherwise = line): number {
  const at = text.split("\n").findIndex((one) => one.includes(word));
  return at < 0 ? otherwise : line + at;
}
