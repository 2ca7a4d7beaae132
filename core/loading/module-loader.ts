import { statSync } from "node:fs";
import path from "node:path";
import { compareText, type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { createAuthorStack } from "./author-stack.ts";
import { blame } from "./blame.ts";
import { createDeadlines } from "./deadlines.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { createFileNames } from "./file-names.ts";
import { createEngine } from "./jiti.ts";
import { describeThrown, isErrorLike, isLoadError, type LoadError } from "./load-error.ts";
import { timedOut, unreadable } from "./load-faults.ts";
import {
  createModuleMap,
  hangingRecord,
  importChain,
  type ModuleRecord,
  reachedFrom,
  waitsFor,
  withDependents,
} from "./module-map.ts";
import { namespaceOf } from "./namespaces.ts";
import { createResolver } from "./resolve.ts";
import { openTransform, type Transform } from "./transform.ts";
import { openTransformCache } from "./transform-cache.ts";

/** What {@link openModuleLoader} needs. */
export interface ModuleLoaderOptions {
  /** The module that content gets for `import … from "toolroom"`; asked once, at the first load. */
  sdk(): Promise<Readonly<Record<string, unknown>>>;
  /** Absolute directories whose modules are content (fresh after {@link ModuleLoader.drop}); the rest is Node's. */
  readonly contentRoots: readonly string[];
  /** Where transformed texts are kept between processes, in `modules/`; absent = they are not. */
  readonly cacheDir?: string;
  /** How long the top level of a module and of all that it imports may take; default 10,000 ms. */
  readonly deadlineMs?: number;
  /** How a file is named in diagnostics. */
  display(file: string): string;
}

/** The exports of a module, or why there are none. */
type ModuleOutcome = { readonly exports: Readonly<Record<string, unknown>> } | { readonly diagnostic: Diagnostic };

/** A thrown value in the author's terms. */
interface MappedError {
  /** As {@link ModuleLoaderOptions.display} shows it: the innermost content file of the stack. */
  readonly file?: string;
  /** 1-based, of the author's source. */
  readonly line?: number;
  readonly column?: number;
  /** For an error its message, else the value in words. */
  readonly message: string;
  /** The frames, those of content in the author's lines. */
  readonly stack?: string;
}

/** Loads content modules of every kind, each once, and again after a drop. */
export interface ModuleLoader {
  /** Loads `file` and all it imports, or joins the load that runs. Never rejects; a failure is not kept. */
  import(file: string): Promise<ModuleOutcome>;
  /**
   * Forgets files and all that import them, directly or through others.
   * @returns the absolute real paths of what was forgotten, sorted
   */
  drop(files: Iterable<string>): readonly string[];
  /** The content files that `file` reached at its last load, transitively: absolute real paths, sorted. */
  imports(file: string): readonly string[];
  /** The content files whose texts are in use: absolute real paths, sorted. */
  files(): readonly string[];
  /** The hash of the text that the last load of `file` read (`contentHash`); undefined when it read none. */
  hashOf(file: string): string | undefined;
  /** The directories in which `file` or what it imports missed an import: a file that appears there may mend it. */
  lookedIn(file: string): readonly string[];
  /** What is derived from a namespace, for as long as that lives. */
  readonly derived: WeakMap<object, unknown>;
  /** How diagnostics name `file`. */
  display(file: string): string;
  /** Says where in the author's source an error of content comes from. */
  mapError(error: unknown): MappedError;
  /** Loads what the first load would wait for (jiti and the SDK), for a host that is idle. */
  warm(): Promise<void>;
  /** What went wrong around the loads: a cache that cannot be written. */
  readonly diagnostics: readonly Diagnostic[];
  /** Writes the cache and forgets every module. */
  close(): Promise<void>;
}

const DEADLINE_MS = 10_000;

/** A loader with its own module map: two loaders in one process share nothing but Node's own modules. */
export function openModuleLoader(options: ModuleLoaderOptions): ModuleLoader {
  const { deadlineMs = DEADLINE_MS } = options;
  const deadlines = createDeadlines(deadlineMs);
  const map = createModuleMap();
  const cache = openTransformCache(options.cacheDir && path.join(options.cacheDir, "modules"));
  const names = createFileNames(options.display);
  const { display } = names;
  // Where the text of a forgotten module came from: errors of a retired one are still read.
  const texts = new Map<string, NonNullable<ModuleRecord["text"]>>();
  const stack = createAuthorStack({ map, cache, display, formerText: (file) => texts.get(file) });
  let evaluator: Promise<Evaluator> | undefined;
  let transform: Promise<Transform> | undefined;

  const open = async (): Promise<Evaluator> => {
    const sdk = options.sdk();
    const engine = createEngine(path.resolve(options.contentRoots[0] ?? "."));
    return createEvaluator({
      map,
      engine,
      cache,
      display,
      resolver: createResolver(engine, options.contentRoots),
      sdk: namespaceOf(await sdk),
      transform: () => {
        transform ??= openTransform((source, file) => engine.ownTransform(source, file, "async"));
        return transform;
      },
      blame: (record, error) => blame(record, error, { map, stack, display }),
    });
  };
  const ready = (): Promise<Evaluator> => {
    evaluator ??= open().catch((error: unknown) => {
      evaluator = undefined;
      throw error;
    });
    return evaluator;
  };

  const load = async (file: string): Promise<ModuleOutcome> => {
    const loaded = map.records.get(names.recall(file));
    if (loaded?.state === "done") return { exports: loaded.exports };
    const target = names.find(file);
    if (target === undefined) throw unreadable(file, absence(file), display);
    const record = (await ready()).join(target, map.tick());
    if (record.state === "pending") await deadlines.wait(record.settled, () => giveUp(record));
    if (record.failure) throw record.failure.error;
    return { exports: record.exports };
  };

  /** Blames the module that does not settle, and forgets it with all that wait for it: the next load tries again. */
  const giveUp = (record: ModuleRecord): LoadError => {
    const hanging = hangingRecord(record);
    for (const waiting of map.records.values()) {
      if (waiting.state === "pending" && waitsFor(waiting, hanging)) forget(waiting.file);
    }
    const [native] = hanging.waitsForNative;
    return timedOut(hanging.file, { deadlineMs, native, display });
  };

  const forget = (file: string): void => {
    const text = map.records.get(file)?.text;
    if (text) texts.set(file, text);
    map.records.delete(file);
  };

  const mapError = (error: unknown): MappedError => {
    const message = isErrorLike(error) ? String(error.message) : describeThrown(error);
    if (!isErrorLike(error) || typeof error.stack !== "string") return { message };
    const [inner] = stack.places(error.stack);
    const place = inner ? { file: display(inner.file), ...inner.position } : {};
    return { message, ...place, stack: stack.translate(error.stack) };
  };

  /** The diagnostic of a failed load, with the way to the file at fault where it is not the one that was asked for. */
  const outcomeOf = (file: string, error: unknown): ModuleOutcome => {
    const target = names.recall(file);
    const found = isLoadError(error) ? error.diagnostic : map.records.get(target)?.failure?.diagnostic;
    if (!found) {
      const message = `the host could not start its module loader: ${describeThrown(error)}`;
      return { diagnostic: diagnostic("LOAD_THREW", { file: display(file), message, hint: "Reinstall toolroom." }) };
    }
    if (found.file === undefined || found.file === display(target)) return { diagnostic: found };
    const culprit = [...reachedFrom(map, target)].find((other) => display(other) === found.file);
    const chain = culprit === undefined ? undefined : importChain(map, target, culprit);
    const importers = (chain ?? [target]).filter((other) => other !== culprit).reverse();
    const way = `It is imported by ${importers.map(display).join(", which is imported by ")}.`;
    return { diagnostic: { ...found, hint: found.hint ? `${found.hint} ${way}` : way } };
  };

  return {
    import: async (file) => {
      try {
        return await load(file);
      } catch (error) {
        return outcomeOf(file, error);
      }
    },
    drop: (files) => {
      const dropped = withDependents(map, [...files].map(names.recall));
      for (const file of dropped) forget(file);
      return [...dropped].sort(compareText);
    },
    imports: (file) => [...reachedFrom(map, names.recall(file))].sort(compareText),
    files: () => [...map.records.keys()].sort(compareText),
    hashOf: (file) => map.records.get(names.recall(file))?.hash,
    lookedIn: (file) => {
      const target = names.recall(file);
      const records = [target, ...reachedFrom(map, target)].map((reached) => map.records.get(reached));
      return [...new Set(records.flatMap((record) => [...(record?.lookedIn ?? [])]))].sort(compareText);
    },
    derived: new WeakMap(),
    display,
    mapError: (error) => {
      try {
        return mapError(error);
      } catch {
        // Content may throw a proxy that throws at every look.
        return { message: describeThrown(error) };
      }
    },
    warm: async () => {
      await ready();
    },
    get diagnostics() {
      return uniqueDiagnostics(cache.diagnostics);
    },
    close: async () => {
      deadlines.close();
      cache.flush();
      map.records.clear();
      texts.clear();
    },
  };
}

/** What the file system says about a path that is no regular file; undefined when something else lies there. */
function absence(file: string): unknown {
  try {
    statSync(file);
    return undefined;
  } catch (error) {
    return error;
  }
}
