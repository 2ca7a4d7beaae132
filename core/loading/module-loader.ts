import { statSync } from "node:fs";
import { compareText, type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { createTexts, type Texts } from "../discovery/texts.ts";
import { untouchedBy } from "../discovery/touched.ts";
import type { JsonSchema, SchemaSource } from "../sdk/schema.ts";
import { createAuthorStack } from "./author-stack.ts";
import { blame } from "./blame.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { describeThrown, isErrorLike, isLoadError, type LoadError } from "./load-error.ts";
import { timedOut, unreadable } from "./load-faults.ts";
import { createLoaderBase, type LoaderBase, type LoaderBaseOptions, type LoaderCore } from "./loader-base.ts";
import {
  createModuleMap,
  hangingRecord,
  importChain,
  type ModuleMap,
  type ModuleRecord,
  reachedFrom,
  waitsFor,
  withDependents,
} from "./module-map.ts";
import { createResolver } from "./resolve.ts";

/** What {@link openModuleLoader} needs. */
export interface ModuleLoaderOptions extends LoaderBaseOptions {
  /** The texts of files; default: none is read yet. */
  readonly texts?: Texts;
}

/** What makes the next loader differ: see {@link ModuleLoader.fork}. */
export interface LoaderFork {
  /** Absolute paths of files and directories that changed: what lies below them is loaded again. */
  readonly changed: Iterable<string>;
  /** Default: those of this loader, without what changed. */
  readonly texts?: Texts;
  /** Default: those of this loader. */
  readonly contentRoots?: readonly string[];
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

/** Loads content modules of every kind, each once: another version is another loader's. */
export interface ModuleLoader {
  /** Loads `file` and all it imports, or joins the load that runs. Never rejects; a failure is not kept. */
  import(file: string): Promise<ModuleOutcome>;
  /**
   * The loader of the next generation. A module that did not change, and imports none that did, is the same one in
   * both; this loader goes on as it is. The two share the cache, and each is closed by itself.
   */
  fork(next: LoaderFork): ModuleLoader;
  /** The content files that `file` reached at its last load, transitively: absolute real paths, sorted. */
  imports(file: string): readonly string[];
  /** The content files whose texts are in use: absolute real paths, sorted. */
  files(): readonly string[];
  /** The hash of the text that the last load of `file` read (`contentHash`); undefined when it read none. */
  hashOf(file: string): string | undefined;
  /** What `file` evaluated to, where it is loaded: another object for another evaluation. */
  namespace(file: string): object | undefined;
  /** The directories in which `file` or what it imports missed an import: a file that appears there may mend it. */
  lookedIn(file: string): readonly string[];
  /** What is derived from a namespace, for as long as that lives. */
  readonly derived: WeakMap<object, unknown>;
  /** The JSON Schema of a schema that a loaded module exports. @throws Error when it has no JSON form */
  toJsonSchema(schema: SchemaSource): JsonSchema;
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

/** A loader with its own module map: two that are opened share nothing but Node's own modules. */
export function openModuleLoader(options: ModuleLoaderOptions): ModuleLoader {
  const { contentRoots, texts = createTexts() } = options;
  return createLoader(createLoaderBase(options), { map: createModuleMap(), texts, contentRoots });
}

/** What is a loader's own. */
interface LoaderParts {
  readonly map: ModuleMap;
  readonly texts: Texts;
  readonly contentRoots: readonly string[];
}

function createLoader(base: LoaderBase, { map, texts, contentRoots }: LoaderParts): ModuleLoader {
  const { cache, deadlines, deadlineMs, names, former } = base;
  const { display } = names;
  const stack = createAuthorStack({ map, cache, display, formerText: (file) => former.get(file) });
  let evaluator: Evaluator | undefined;
  base.opened();

  const evaluatorOn = ({ engine, sdk, transform }: LoaderCore): Evaluator => {
    evaluator ??= createEvaluator({
      map,
      texts,
      homes: base.homes,
      engine,
      cache,
      display,
      evaluating: base.evaluating,
      resolver: createResolver(engine, contentRoots, (file) => texts.get(file) !== undefined),
      sdk,
      transform,
      blame: (record, error) => blame(record, error, { map, stack, display }),
    });
    return evaluator;
  };
  const ready = async (): Promise<Evaluator> => evaluator ?? evaluatorOn(await base.core());
  const core = base.coreNow();
  // What goes on from the loader before imports from this one.
  if (core) for (const record of map.records.values()) base.homes.evaluators.set(record, evaluatorOn(core));

  const load = async (file: string): Promise<ModuleOutcome> => {
    const loaded = map.records.get(names.recall(file));
    if (loaded?.state === "done") return { exports: loaded.exports };
    const target = names.find(file) ?? (texts.get(file) && file);
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
    if (text) former.set(file, text);
    map.records.delete(file);
    texts.forget(file);
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
    fork: (next) => {
      const changed = [...next.changed].flatMap((file) => [file, names.recall(file)]);
      const untouched = untouchedBy(changed);
      const dropped = withDependents(
        map,
        [...map.records.keys()].filter((file) => !untouched(file)),
      );
      const staying = [...map.records.values()].filter(({ file, state }) => state === "done" && !dropped.has(file));
      return createLoader(base, {
        map: createModuleMap(staying, map.tick()),
        texts: next.texts ?? texts.fork(changed),
        contentRoots: next.contentRoots ?? contentRoots,
      });
    },
    imports: (file) => [...reachedFrom(map, names.recall(file))].sort(compareText),
    files: () => [...map.records.keys()].sort(compareText),
    hashOf: (file) => map.records.get(names.recall(file))?.hash,
    namespace: (file) => {
      const record = map.records.get(names.recall(file));
      return record?.state === "done" ? record.exports : undefined;
    },
    lookedIn: (file) => {
      const target = names.recall(file);
      const records = [target, ...reachedFrom(map, target)].map((reached) => map.records.get(reached));
      return [...new Set(records.flatMap((record) => [...(record?.lookedIn ?? [])]))].sort(compareText);
    },
    derived: base.derived,
    // Whatever was loaded waited for it.
    toJsonSchema: (schema) => (base.coreNow() as LoaderCore).toJsonSchema(schema),
    display,
    mapError: (error) => {
      try {
        return mapError(error);
      } catch {
        // Content may throw a proxy that throws at every look.
        return { message: describeThrown(error) };
      }
    },
    warm: async () => void (await ready()),
    get diagnostics() {
      return uniqueDiagnostics(cache.diagnostics);
    },
    close: async () => {
      for (const { file, text } of map.records.values()) if (text) former.set(file, text);
      map.records.clear();
      base.closed();
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
