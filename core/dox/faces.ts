import { posix } from "node:path";
import type { ToolContract } from "../loading/tool-contract.ts";
import type { CallErrorCode } from "../sdk/errors.ts";
import { moduleFacts, sourcesOf } from "./module-sources.ts";
import { createReader, type Reader } from "./reader.ts";
import type { CheckedTool, CheckSubject } from "./subject.ts";
import { testsOfTools } from "./tests-of-tools.ts";

/** The files that say something of one tool, all in display paths. */
export interface ToolFaces {
  /** The module, and what it imports relatively. */
  readonly code: readonly string[];
  /** Its own document; of a plugin's tool the documents of the plugin, too. They need not exist. */
  readonly documents: readonly string[];
  /** The fragments that document it in some profile. */
  readonly fragments: readonly string[];
  /** The tests that run it. */
  readonly tests: readonly string[];
}

/** What a tool promises: its contract, and what its source says without being run. */
export interface ToolFacts {
  readonly contract: ToolContract;
  /** The codes of failures that it gives, sorted. */
  readonly codes: readonly CallErrorCode[];
  /** Whether it ends a turn; `open`: only a run can tell. */
  readonly breakLoop: boolean | "open";
}

/** The faces of each tool of a subject. */
export function facesOf(subject: CheckSubject): ReadonlyMap<CheckedTool, ToolFaces> {
  const { tools, fragments, files } = subject;
  const own = tools.filter((tool) => tool.own);
  const reader = createReader(files);
  const tests = testsOfTools(own, files);
  const told = new Map<CheckedTool, string[]>(own.map((tool) => [tool, []]));
  for (const { file, tools: documented } of fragments) for (const tool of documented) told.get(tool)?.push(file);
  return new Map(
    own.map((tool) => [
      tool,
      {
        code: sourcesOf(reader, tool.file),
        documents: documentsOf(tool),
        fragments: told.get(tool) ?? [],
        tests: tests.get(tool.file) ?? [],
      },
    ]),
  );
}

/** Where a tool may be documented: beside its module, and in its plugin. */
function documentsOf({ file, candidate }: CheckedTool): readonly string[] {
  const own = `${file}.dox.md`;
  if (candidate.plugin === undefined) return [own];
  const [plugin] = /^(?:usr\/)?plugins\/[^/]+/u.exec(file) ?? [posix.dirname(posix.dirname(file))];
  return [own, `${plugin}/AGENTS.md`, `${plugin}/README.md`];
}

/** The facts of a module. @param file display path */
export function factsOf(
  reader: Reader,
  { file, contract }: { readonly file: string; readonly contract: ToolContract },
): ToolFacts {
  const { given, breaksAt, breakLoopOpen } = moduleFacts(reader, file);
  return { contract, codes: [...given.keys()].sort(), breakLoop: breakLoopOpen ? "open" : breaksAt !== undefined };
}
