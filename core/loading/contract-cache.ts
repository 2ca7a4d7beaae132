import path from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { writeCacheFile } from "./atomic-file.ts";
import { contractFileText, type KeptTool, type Lean, readContractFile } from "./contract-file.ts";
import { createStampChecker, takeDirectoryStamp, takeStamp } from "./file-stamps.ts";
import type { ToolContract } from "./tool-contract.ts";

/** What the last load of a tool told. */
type KnownOutcome = { readonly contract: ToolContract } | { readonly diagnostic: Diagnostic };

/**
 * Contracts of tools that were loaded before, so that they can be listed without running them. An entry holds
 * as long as the module and every content file that it imported have the content that they had; a failure is
 * kept too, for display.
 */
export interface ContractCache {
  /** @param file absolute; @returns undefined when nothing is known of this content */
  get(file: string): KnownOutcome | undefined;
  /** @param from who loaded it: only that loader knows which texts the outcome is of */
  put(file: string, from: LoadedFrom, outcome: KnownOutcome): void;
  /** What the cache says hangs on nothing but these: absolute. */
  sources(): {
    /** The file of the cache, which need not be there; absent where it has none. */
    readonly file: string | undefined;
    /** Those that vouch for what `get` was asked. */
    readonly vouching: readonly string[];
  };
  /** Writes the file if anything changed. Gives what went wrong, if anything. */
  save(): Diagnostic | undefined;
}

/** What the cache asks of a module loader. */
interface LoadedFrom {
  /** The content files that the module reached. */
  imports(file: string): readonly string[];
  /** Which text of a file was loaded: it need not be the one that lies there now. */
  hashOf?(file: string): string | undefined;
  /** Where imports were missed. */
  lookedIn?(file: string): readonly string[];
}

/** What {@link openContractCache} takes. */
export interface ContractCacheOptions {
  /** Where `contracts.cache` lies; absent = nothing outlives the process. */
  readonly cacheDir?: string;
}

/** Opens the cache; what is damaged or of another version reads as empty. The file is read at the first {@link ContractCache.get}. */
export function openContractCache({ cacheDir }: ContractCacheOptions): ContractCache {
  const file = cacheDir === undefined ? undefined : path.join(cacheDir, "contracts.cache");
  const checker = createStampChecker();
  const outcomes = new Map<string, KnownOutcome>();
  const asked = new Set<string>();
  let tools: Map<string, KeptTool> | undefined;
  let dirty = false;

  const known = (): Map<string, KeptTool> => {
    tools ??= file === undefined ? new Map() : readContractFile(file);
    return tools;
  };

  return {
    get: (tool) => {
      asked.add(tool);
      const kept = known().get(tool);
      if (!kept?.stamps().every(checker.isCurrent)) return undefined;
      let outcome = outcomes.get(tool);
      if (!outcome) {
        outcome = unpack(kept.lean());
        outcomes.set(tool, outcome);
      }
      return outcome;
    },
    put: (tool, from, outcome) => {
      const before = outcomes.get(tool);
      // A call loads, finds its module in the map and comes here with the very same contract.
      if (before && isSame(before, outcome)) return;
      const missed = "diagnostic" in outcome ? (from.lookedIn?.(tool) ?? []) : [];
      const stamps = [
        ...[tool, ...from.imports(tool)].map((name) => takeStamp(name, from.hashOf?.(name))),
        ...missed.map(takeDirectoryStamp),
      ];
      known().set(tool, { stamps: () => stamps, lean: () => pack(outcome) });
      outcomes.set(tool, outcome);
      dirty = true;
    },
    sources: () => ({
      file,
      vouching: [...asked].flatMap(
        (tool) =>
          known()
            .get(tool)
            ?.stamps()
            .map((stamp) => stamp.path) ?? [],
      ),
    }),
    save: () => {
      if (file === undefined || !(checker.takeImproved() || dirty)) return undefined;
      // Another process may have added tools meanwhile.
      const all = new Map([...readContractFile(file), ...known()]);
      const failure = writeCacheFile(file, contractFileText(all.values()));
      dirty = failure !== undefined;
      return failure;
    },
  };
}

function isSame(a: KnownOutcome, b: KnownOutcome): boolean {
  return "contract" in a
    ? "contract" in b && a.contract === b.contract
    : "diagnostic" in b && a.diagnostic === b.diagnostic;
}

function pack(outcome: KnownOutcome): Lean {
  if ("diagnostic" in outcome) return { failure: outcome.diagnostic };
  const { parameters, output, description, risk, sends, parallel, untrusted, timeoutMs, role } = outcome.contract;
  return {
    ...(parameters === null ? {} : { parameters: JSON.stringify(parameters) }),
    ...(output === undefined ? {} : { output: JSON.stringify(output) }),
    ...(description === undefined ? {} : { description }),
    ...(risk === "medium" ? {} : { risk }),
    ...(sends.length === 0 ? {} : { sends }),
    ...(parallel === "serial" ? {} : { parallel }),
    ...(untrusted ? { untrusted } : {}),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(role === undefined ? {} : { role }),
  };
}

/** The contract again. Built plainly: a listing unpacks thousands. */
function unpack(lean: Lean): KnownOutcome {
  if (lean.failure) return { diagnostic: lean.failure };
  const contract: { -readonly [Key in keyof ToolContract]: ToolContract[Key] } = {
    parameters: null,
    risk: lean.risk ?? "medium",
    sends: lean.sends ?? [],
    parallel: lean.parallel ?? "serial",
    untrusted: lean.untrusted ?? false,
  };
  if (lean.description !== undefined) contract.description = lean.description;
  if (lean.timeoutMs !== undefined) contract.timeoutMs = lean.timeoutMs;
  if (lean.role !== undefined) contract.role = lean.role;
  if (lean.parameters !== undefined) parseLater(contract, "parameters", lean.parameters);
  if (lean.output !== undefined) parseLater(contract, "output", lean.output);
  return { contract };
}

function parseLater(contract: ToolContract, name: "parameters" | "output", text: string): void {
  let schema: JsonSchema | undefined;
  Object.defineProperty(contract, name, {
    enumerable: true,
    configurable: true,
    get: () => {
      schema ??= JSON.parse(text) as JsonSchema;
      return schema;
    },
  });
}
