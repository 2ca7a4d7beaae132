import { createHash } from "node:crypto";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { isToolClass, type ToolClass } from "../sdk/tool.ts";
import { type DefaultRule, defaultClass, placeOf } from "./default-export.ts";
import type { ModuleLoader } from "./module-loader.ts";
import type { ToolContract } from "./tool-contract.ts";
import { readContract } from "./tool-statics.ts";

export type { ToolContract };

/** A tool whose module was loaded and validated. */
export interface LoadedTool {
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  readonly cls: ToolClass;
  readonly contract: ToolContract;
  /** SHA-256 of what it is made of: the content of its module and of all that this imports. */
  readonly modules: string;
}

/** A tool, or the one thing that is wrong with its module. */
export type ToolOutcome = { readonly tool: LoadedTool } | { readonly diagnostic: Diagnostic };

/** Loads a tool's module and checks it against the contract. Never rejects. */
export async function loadTool(
  loader: ModuleLoader,
  target: { readonly id: string; readonly file: string },
): Promise<ToolOutcome> {
  const { id, file } = target;
  const outcome = await loader.import(file);
  if ("diagnostic" in outcome) return outcome;
  // Every call comes here: a namespace that was read once is not read again.
  const known = loader.derived.get(outcome.exports) as ToolOutcome | undefined;
  if (known && (!("tool" in known) || known.tool.id === id)) return known;
  const read = readTool(loader, target, outcome.exports);
  loader.derived.set(outcome.exports, read);
  return read;
}

function readTool(
  loader: ModuleLoader,
  { id, file }: { readonly id: string; readonly file: string },
  exports: Readonly<Record<string, unknown>>,
): ToolOutcome {
  const shown = loader.display(file);
  const found = defaultClass(exports, { file, shown, rule: toolRule(id) });
  if ("diagnostic" in found) return found;
  const read = readContract(found.cls, loader.toJsonSchema);
  if ("contract" in read) {
    return { tool: { id, file, cls: found.cls, contract: read.contract, modules: modulesHash(loader, file) } };
  }
  const { member, code, message, hint } = read.fault;
  const place = placeOf(file, new RegExp(`\\bstatic\\b[^=\\n]*\\b${member}\\b`));
  return { diagnostic: diagnostic(code, { file: shown, ...place, message: `static ${member}: ${message}`, hint }) };
}

/** Taken when it is read: what belongs to it is not held longer than its loader. */
function modulesHash(loader: ModuleLoader, file: string): string {
  const digest = createHash("sha256");
  for (const name of [file, ...loader.imports(file)]) {
    digest.update(`${loader.display(name)}\0${loader.hashOf(name) ?? ""}\n`);
  }
  return digest.digest("hex");
}

function toolRule(id: string): DefaultRule<ToolClass> {
  return {
    base: "Tool",
    notAClass: "LOAD_NOT_A_TOOL",
    isClass: isToolClass as DefaultRule<ToolClass>["isClass"],
    example: `export default class ${className(id)} extends Tool { async execute(args) { return this.success("…"); } }`,
  };
}

/** `word_count` → `WordCount`. */
function className(id: string): string {
  return id.replace(/(?:^|_)+([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}
