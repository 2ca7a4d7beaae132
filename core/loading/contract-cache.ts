import path from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { writeCacheFile } from "./atomic-file.ts";
import { contractFileText, type KeptTool, type Lean, readContractFile } from "./contract-file.ts";
import { createStampChecker, type Stamp, takeDirectoryStamp, takeStamp } from "./file-stamps.ts";
import type { ToolContract } from "./tool-contract.ts";

/** What the last load of a tool told. */
export type KnownOutcome = { readonly contract: ToolContract } | { readonly diagnostic: Diagnostic };

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
  /** Writes the file if anything changed. Gives what went wrong, if anything. */
  save(): Diagnostic | undefined;
}

/** What the cache asks of a module loader. */
export interface LoadedFrom {
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

interface Known {
  readonly kept: KeptTool;
  stamps?: readonly Stamp[];
  outcome?: KnownOutcome;
}

/** Opens the cache; what is damaged or of another version reads as empty. The file is read at the first {@link ContractCache.get}. */
export function openContractCache({ cacheDir }: ContractCacheOptions): ContractCache {
  const file = cacheDir === undefined ? undefined : path.join(cacheDir, "contracts.cache");
  const checker = createStampChecker();
  let tools: Map<string, Known> | undefined;
  let dirty = false;

  const known = (): Map<string, Known> => {
    tools ??= new Map(file === undefined ? [] : [...readContractFile(file)].map(([tool, kept]) => [tool, { kept }]));
    return tools;
  };

  return {
    get: (tool) => {
      const found = known().get(tool);
      if (!found) return undefined;
      found.stamps ??= found.kept.stamps();
      if (!found.stamps.every((stamp) => checker.isCurrent(stamp))) return undefined;
      found.outcome ??= unpack(found.kept.lean());
      return found.outcome;
    },
    put: (tool, from, outcome) => {
      const before = known().get(tool);
      // A call loads, finds its module in the map and comes here with the very same contract.
      if (before?.outcome && isSame(before.outcome, outcome)) return;
      const missed = "diagnostic" in outcome ? (from.lookedIn?.(tool) ?? []) : [];
      const stamps = [
        ...[tool, ...from.imports(tool)].map((name) => takeStamp(name, from.hashOf?.(name))),
        ...missed.map(takeDirectoryStamp),
      ];
      known().set(tool, { kept: { stamps: () => stamps, lean: () => pack(outcome) }, stamps, outcome });
      dirty = true;
    },
    save: () => {
      if (file === undefined || !(checker.takeImproved() || dirty)) return undefined;
      // Another process may have added tools meanwhile.
      const all = new Map<string, KeptTool>(readContractFile(file));
      for (const [tool, { kept, stamps }] of known()) all.set(tool, stamps ? { ...kept, stamps: () => stamps } : kept);
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

/** The contract again; its schemas are parsed when they are asked for. */
function unpack(lean: Lean): KnownOutcome {
  const { failure, parameters, output, description, risk, sends, parallel, untrusted, timeoutMs, role } = lean;
  if (failure) return { diagnostic: failure };
  let schema: JsonSchema | null | undefined = parameters === undefined ? null : undefined;
  const contract: ToolContract = {
    get parameters() {
      if (schema === undefined) schema = JSON.parse(parameters as string) as JsonSchema;
      return schema;
    },
    ...(description === undefined ? {} : { description }),
    risk: risk ?? "medium",
    sends: sends ?? [],
    parallel: parallel ?? "serial",
    untrusted: untrusted ?? false,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(role === undefined ? {} : { role }),
  };
  if (output !== undefined) {
    let parsed: JsonSchema | undefined;
    Object.defineProperty(contract, "output", {
      enumerable: true,
      get: () => {
        parsed ??= JSON.parse(output) as JsonSchema;
        return parsed;
      },
    });
  }
  return { contract };
}
