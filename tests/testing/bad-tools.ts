import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Contract, checkContract } from "../../core/testing/contract.ts";
import type { TestToolOptions } from "../../core/testing/options.ts";
import { placeOf } from "../../core/testing/place.ts";
import { openSubject, type Subject } from "../../core/testing/subject.ts";
import { makeTree, manifest, type Tree } from "../helpers/tree.ts";

/** Less than authors' tools are held to: what goes on, goes on for ever, and a leak is one from the first reload on. */
const LIMITS = { settleMs: 60, reloads: 8 };

/** The module of a tool. @param execute the body, with `args` @param schema the fields of its zod object; none: no schema */
export function toolModule(execute: string, schema = "text: z.string()", top = ""): string {
  return `import { Tool, z } from "toolroom";
${top}
export default class extends Tool {
  ${schema === "" ? "" : `static readonly parameters = z.object({ ${schema} });`}
  static readonly risk = "low";
  async execute(args) {
    ${execute}
  }
}
`;
}

/** A fragment with one example call. */
export function fragment(call: string): string {
  return `---\ndescription: A tool of a test.\nexamples:\n  - say: Do it.\n    call: ${call}\n---\n## it\n\nDoes it.\n`;
}

/** A plugin with the one tool `it`, opened as the suite opens it. */
export async function subjectOf(
  module: string,
  options: TestToolOptions & { readonly plugin?: Tree } = {},
): Promise<Subject> {
  const { plugin = {}, ...rest } = options;
  const files = { "plugin.yaml": manifest("bad"), "tools/it.ts": module, ...plugin };
  const root = makeTree(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`usr/plugins/bad/${path}`, text])),
    "toolroom-bad-",
  );
  const place = placeOf(join(root, "usr/plugins/bad/tools/it.ts"));
  const subject = await openSubject(place, rest, LIMITS);
  onTestFinished(subject.close);
  return subject;
}

/** What a contract says of a tool: the message of its error, or its note, or nothing. */
export async function verdict(contract: Contract, subject: Subject): Promise<string> {
  try {
    const note = await checkContract(contract, subject);
    return note === undefined ? "kept" : `kept: ${note}`;
  } catch (error) {
    return `broken: ${(error as Error).message}`;
  }
}
