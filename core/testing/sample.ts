import type { View } from "../discovery/discovery.ts";
import type { JsonObject, ToolResult } from "../sdk/result.ts";
import type { TestToolOptions, WorkspaceFiles } from "./options.ts";
import { pathArguments } from "./paths.ts";
import type { SchemaFacts } from "./schema-facts.ts";
import { fittingArguments } from "./schema-values.ts";

/** A call that the tool can do its work with. */
export interface Sample {
  readonly args: JsonObject;
  /** Where the arguments come from, for messages. */
  readonly from: "the option args" | "the first example of its fragment" | "its schema";
  readonly files: WorkspaceFiles;
  /** What came of it. */
  readonly result: ToolResult;
  /** It takes so long that few contracts can repeat it. */
  readonly isLong: boolean;
}

/** What {@link sampleOf} looks at. */
export interface SampleParts {
  readonly options: TestToolOptions;
  readonly facts: SchemaFacts;
  readonly view: View;
  readonly id: string;
  call(args: JsonObject): Promise<ToolResult>;
  clear(files: WorkspaceFiles): void;
}

const TEXT = "The first line.\nThe second, longer line.\n";
const LONG_MS = 300;

/**
 * Finds a sample: the first call that is no error. Paths that its arguments name and nobody has put there are made: as
 * files, else as directories, else not at all.
 */
export async function sampleOf(parts: SampleParts): Promise<Sample> {
  const { from, choices } = choicesOf(parts);
  let first: Sample | undefined;
  for (const args of choices) {
    for (const files of groundsFor(args, parts)) {
      parts.clear(files);
      const result = await parts.call(args);
      const sample = { args, from, files, result, isLong: result.stats.durationMs > LONG_MS };
      if (result.status !== "error") return sample;
      first ??= sample;
    }
  }
  return first as Sample;
}

/** Never empty. */
function choicesOf({
  options,
  facts,
  view,
  id,
}: SampleParts): Pick<Sample, "from"> & { choices: readonly JsonObject[] } {
  if (options.args) return { choices: [options.args], from: "the option args" };
  const [example] = examplesOf(view, id);
  if (example) return { choices: [example], from: "the first example of its fragment" };
  return { choices: fittingArguments(facts.schema), from: "its schema" };
}

function groundsFor(args: JsonObject, parts: SampleParts): readonly WorkspaceFiles[] {
  const given = parts.options.files ?? {};
  const missing = pathsIn(args, parts).filter((path) => !isThere(path, given));
  const directories = missing.map((path) => `${path}/sample.txt`);
  return missing.length === 0 ? [given] : [withFiles(given, missing), withFiles(given, directories), given];
}

/** The arguments of the example calls in the fragment that documents a tool. */
export function examplesOf(view: View, id: string): readonly JsonObject[] {
  const fragment = view.documentOf(id);
  if (!fragment) return [];
  const { meta } = view.fragment(fragment);
  const calls = (meta.examples ?? []).map(({ call }) => call);
  if ((meta.tools?.length ?? 1) === 1) return calls;
  return calls.filter((call) => call.tool_name === id).map((call) => (call.tool_args ?? {}) as JsonObject);
}

function pathsIn(args: JsonObject, { facts, options }: SampleParts): readonly string[] {
  return pathArguments(facts, options.paths)
    .flatMap(({ name }) => [args[name]].flat())
    .filter((value): value is string => typeof value === "string" && /^[^/\\:]/u.test(value) && !value.startsWith("."));
}

function isThere(path: string, files: WorkspaceFiles): boolean {
  return Object.keys(files).some((file) => file === path || file.startsWith(`${path.replace(/\/$/u, "")}/`));
}

function withFiles(given: WorkspaceFiles, paths: readonly string[]): WorkspaceFiles {
  return { ...given, ...Object.fromEntries(paths.map((path) => [path, TEXT])) };
}
