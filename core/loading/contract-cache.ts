import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import type { Diagnostic } from "../diagnostics.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import { writeCacheFile } from "./atomic-file.ts";
import {
  createStampChecker,
  fromRow,
  type Stamp,
  type StampRow,
  takeDirectoryStamp,
  takeStamp,
  toRow,
} from "./file-stamps.ts";
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
  /** Where `contracts.json` lies; absent = nothing outlives the process. */
  readonly cacheDir?: string;
}

/** Changes with the shape below and with what a contract is made from. */
const VERSION = 1;

interface CacheFile {
  readonly version: number;
  readonly stamps: readonly StampRow[];
  /** tool file, stamp indexes of it and of what it imported, what is known */
  readonly tools: readonly ToolRow[];
}

type ToolRow = readonly [file: string, stamps: readonly number[], outcome: Lean];

/** Schemas as text: most are never asked for. Fields that have their default are left out. */
interface Lean {
  readonly f?: Diagnostic;
  readonly p?: string;
  readonly o?: string;
  readonly d?: string;
  readonly r?: ToolContract["risk"];
  readonly s?: readonly string[];
  readonly l?: ToolContract["parallel"];
  readonly u?: boolean;
  readonly t?: number;
  readonly a?: ToolContract["role"];
}

interface Known {
  readonly stamps: readonly Stamp[];
  readonly lean: Lean;
  outcome?: KnownOutcome;
}

/** Opens the cache; what is damaged or of another version reads as empty. The file is read at the first {@link ContractCache.get}. */
export function openContractCache({ cacheDir }: ContractCacheOptions): ContractCache {
  const file = cacheDir === undefined ? undefined : path.join(cacheDir, "contracts.json");
  const checker = createStampChecker();
  let tools: Map<string, Known> | undefined;
  let dirty = false;

  const known = (): Map<string, Known> => {
    tools ??= file === undefined ? new Map() : readCacheFile(file);
    return tools;
  };

  return {
    get: (tool) => {
      const found = known().get(tool);
      if (!found?.stamps.every((stamp) => checker.isCurrent(stamp))) return undefined;
      found.outcome ??= unpack(found.lean);
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
      known().set(tool, { stamps, lean: pack(outcome), outcome });
      dirty = true;
    },
    save: () => {
      if (file === undefined || !(checker.takeImproved() || dirty)) return undefined;
      // Another process may have added tools meanwhile.
      const all = new Map([...readCacheFile(file), ...known()]);
      const failure = writeCacheFile(file, JSON.stringify(toCacheFile(all)));
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

/** Each stamp once; tools whose file is gone are left out. */
function toCacheFile(tools: ReadonlyMap<string, Known>): CacheFile {
  const stamps: StampRow[] = [];
  const places = new Map<string, number>();
  const place = (stamp: Stamp): number => {
    const key = `${stamp.path}\0${stamp.hash}`;
    const at = places.get(key) ?? stamps.push(toRow(stamp)) - 1;
    places.set(key, at);
    return at;
  };
  const alive = [...tools].filter(([tool]) => statSync(tool, { throwIfNoEntry: false }));
  const rows = alive.map(([tool, known]): ToolRow => [tool, known.stamps.map(place), known.lean]);
  return { version: VERSION, stamps, tools: rows };
}

function pack(outcome: KnownOutcome): Lean {
  if ("diagnostic" in outcome) return { f: outcome.diagnostic };
  const { parameters, output, description, risk, sends, parallel, untrusted, timeoutMs, role } = outcome.contract;
  return {
    ...(parameters === null ? {} : { p: JSON.stringify(parameters) }),
    ...(output === undefined ? {} : { o: JSON.stringify(output) }),
    ...(description === undefined ? {} : { d: description }),
    ...(risk === "medium" ? {} : { r: risk }),
    ...(sends.length === 0 ? {} : { s: sends }),
    ...(parallel === "serial" ? {} : { l: parallel }),
    ...(untrusted ? { u: true } : {}),
    ...(timeoutMs === undefined ? {} : { t: timeoutMs }),
    ...(role === undefined ? {} : { a: role }),
  };
}

function unpack(lean: Lean): KnownOutcome {
  if (lean.f) return { diagnostic: lean.f };
  const { p, o } = lean;
  let parameters: JsonSchema | null | undefined = p === undefined ? null : undefined;
  let output: JsonSchema | undefined;
  const contract: ToolContract = {
    get parameters() {
      if (parameters === undefined) parameters = JSON.parse(p ?? "null") as JsonSchema | null;
      return parameters;
    },
    ...(lean.d === undefined ? {} : { description: lean.d }),
    risk: lean.r ?? "medium",
    sends: lean.s ?? [],
    parallel: lean.l ?? "serial",
    untrusted: lean.u ?? false,
    ...(lean.t === undefined ? {} : { timeoutMs: lean.t }),
    ...(lean.a === undefined ? {} : { role: lean.a }),
  };
  if (o !== undefined) {
    Object.defineProperty(contract, "output", {
      enumerable: true,
      get: () => {
        output ??= JSON.parse(o) as JsonSchema;
        return output;
      },
    });
  }
  return { contract };
}

function readCacheFile(file: string): Map<string, Known> {
  const tools = new Map<string, Known>();
  const saved = parseCacheFile(file);
  const stamps = saved?.stamps.map(fromRow) ?? [];
  for (const [tool, places, lean] of saved?.tools ?? []) {
    const own = places.map((at) => stamps[at]).filter((stamp) => stamp !== undefined);
    if (own.length > 0 && own.length === places.length) tools.set(tool, { stamps: own, lean });
  }
  return tools;
}

function parseCacheFile(file: string): CacheFile | undefined {
  try {
    const value = JSON.parse(readFileSync(file, "utf8")) as CacheFile;
    const sound = value.version === VERSION && Array.isArray(value.stamps) && Array.isArray(value.tools);
    return sound && value.tools.every(isToolRow) ? value : undefined;
  } catch {
    // Missing or damaged: a cache that cannot be read is an empty one.
    return undefined;
  }
}

function isToolRow(row: unknown): boolean {
  if (!Array.isArray(row)) return false;
  const [tool, places, lean] = row as unknown[];
  return typeof tool === "string" && Array.isArray(places) && typeof lean === "object" && lean !== null;
}
