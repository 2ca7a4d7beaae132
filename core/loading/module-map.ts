import type { Diagnostic } from "../diagnostics.ts";
import { createNamespace, type Exports } from "./namespaces.ts";

/** Why a module failed, and when (a tick of {@link ModuleMap.tick}). */
export interface Failure {
  readonly error: unknown;
  readonly diagnostic: Diagnostic;
  readonly at: number;
}

/** One evaluation of one content file. A reload makes a new record; the old one lives on in who holds it. */
export interface ModuleRecord {
  /** Absolute real path. */
  readonly file: string;
  readonly startedAt: number;
  state: "pending" | "done" | "failed";
  /** Settles with the evaluation; rejects with the error that importers see. */
  settled: Promise<void>;
  failure: Failure | undefined;
  /** Hash of the text that was evaluated. */
  hash: string | undefined;
  /** Where its source maps are: a key of the transform cache, or `plain` for text that was evaluated as it stands. */
  text: { readonly key: string } | "plain" | undefined;
  /** What `import` gives. Filled before the first import runs, so that a circular import can be given it. */
  exports: Exports;
  /** What `require` gives, once it is done. */
  required: unknown;
  /** Node's module object, once the evaluation began. */
  module: NodeModule | undefined;
  /** It runs without interruption, as CommonJS does. */
  sync: boolean;
  /** The text under evaluation, while it is pending. */
  code: string | undefined;
  /** The content files that it imported. */
  readonly imports: Set<string>;
  /** The directories in which imports were looked for and not found. */
  lookedIn: readonly string[] | undefined;
  /** The evaluations that it is waiting for now. */
  readonly waitsFor: ModuleRecord[];
  /** What Node is importing for it now. */
  readonly waitsForNative: string[];
  /** Names that it re-exports although their origin has no such value: types, for all that can be known. */
  hollow: Set<string> | undefined;
  /** Importers of a circle that were given `exports` before it had finished, each with the check of the names it imports. */
  readonly lent: { readonly to: ModuleRecord; check(): void }[];
}

/** The modules of one loader. */
export interface ModuleMap {
  readonly records: Map<string, ModuleRecord>;
  /** A number that grows with every call: the order of starts and failures. */
  tick(): number;
}

/** A map with these records. @param from the tick that its own go on after */
export function createModuleMap(records: Iterable<ModuleRecord> = [], from = 0): ModuleMap {
  let now = from;
  return {
    records: new Map([...records].map((record) => [record.file, record])),
    tick: () => {
      now += 1;
      return now;
    },
  };
}

/** A record that is about to be evaluated. */
export function createRecord(map: ModuleMap, file: string): ModuleRecord {
  return {
    file,
    startedAt: map.tick(),
    state: "pending",
    settled: Promise.resolve(),
    exports: createNamespace(),
    sync: false,
    imports: new Set(),
    failure: undefined,
    hash: undefined,
    text: undefined,
    required: undefined,
    module: undefined,
    code: undefined,
    lookedIn: undefined,
    hollow: undefined,
    waitsFor: [],
    waitsForNative: [],
    lent: [],
  };
}

/** Takes one entry out of a list of what is waited for. */
export function doneWaiting<T>(list: T[], entry: T): void {
  const at = list.indexOf(entry);
  if (at !== -1) list.splice(at, 1);
}

/** Whether `record` waits for `target`, directly or through others. */
export function waitsFor(record: ModuleRecord, target: ModuleRecord): boolean {
  const seen = new Set<ModuleRecord>();
  const visit = (at: ModuleRecord): boolean => {
    if (at === target) return true;
    if (seen.has(at)) return false;
    seen.add(at);
    return at.waitsFor.some(visit);
  };
  return visit(record);
}

/** The evaluation at the end of the chain that `record` waits in: the one that does not settle. */
export function hangingRecord(record: ModuleRecord): ModuleRecord {
  const seen = new Set<ModuleRecord>([record]);
  let at = record;
  for (;;) {
    const next = at.waitsFor.find((other) => other.state === "pending" && !seen.has(other));
    if (!next) return at;
    seen.add(next);
    at = next;
  }
}

/** Every file that `file` reached, transitively, without itself. */
export function reachedFrom(map: ModuleMap, file: string): Set<string> {
  const reached = new Set<string>();
  const visit = (at: string): void => {
    for (const imported of map.records.get(at)?.imports ?? []) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      visit(imported);
    }
  };
  visit(file);
  reached.delete(file);
  return reached;
}

/** The shortest chain of imports from one file to another, both included; undefined when there is none. */
export function importChain(map: ModuleMap, from: string, to: string): readonly string[] | undefined {
  const chains: (readonly string[])[] = [[from]];
  const seen = new Set([from]);
  for (const chain of chains) {
    const last = chain.at(-1) as string;
    if (last === to) return chain;
    for (const next of map.records.get(last)?.imports ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      chains.push([...chain, next]);
    }
  }
  return undefined;
}

/** The given files and all that import them, transitively, as far as they are in the map. */
export function withDependents(map: ModuleMap, files: Iterable<string>): Set<string> {
  const importers = new Map<string, string[]>();
  for (const record of map.records.values()) {
    for (const imported of record.imports) {
      const known = importers.get(imported);
      if (known) known.push(record.file);
      else importers.set(imported, [record.file]);
    }
  }
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const importer of importers.get(file) ?? []) visit(importer);
  };
  for (const file of files) visit(file);
  return new Set([...found].filter((file) => map.records.has(file)));
}
