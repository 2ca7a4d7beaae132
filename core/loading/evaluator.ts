import { pathToFileURL } from "node:url";
import type { SourceText, Texts } from "../discovery/texts.ts";
import type { Engine } from "./jiti.ts";
import { parseJsonModule } from "./json-module.ts";
import { syntaxError, unreadable } from "./load-faults.ts";
import { type ModuleKind, moduleKind } from "./module-kind.ts";
import {
  createRecord,
  type Failure,
  type ModuleMap,
  type ModuleRecord,
  waitsFor,
  withDependents,
} from "./module-map.ts";
import { commonJsNamespace, type Exports } from "./namespaces.ts";
import { commonJsText } from "./prelude.ts";
import type { Resolver } from "./resolve.ts";
import { createRuntime, type RuntimeContext } from "./runtime.ts";
import { ownTransformed, type Transform, type Transformed } from "./transform.ts";
import { type TransformCache, transformKey } from "./transform-cache.ts";

/** Evaluates content files, each once until it is taken out of the map. */
export interface Evaluator {
  /**
   * The running or finished evaluation of `file`, or a new one. A failure is joined only where it is newer than
   * `since`: within one load a broken module fails once, the next load tries again.
   */
  join(file: string, since: number): ModuleRecord;
  /** What `require` of `file` gives to `importer`, evaluated at once where it is not there. */
  require(file: string, importer: ModuleRecord): unknown;
}

/** What {@link createEvaluator} is made of. */
export interface EvaluatorParts {
  readonly map: ModuleMap;
  readonly texts: Texts;
  /** The evaluator that serves a module's later imports, and whose module a namespace is: of all loaders of a host. */
  readonly homes: Homes;
  readonly engine: Engine;
  readonly resolver: Resolver;
  readonly sdk: Exports;
  readonly cache: TransformCache;
  /** Loads the transformer; asked only for a text that the cache does not have. */
  transform(): Promise<Transform>;
  display(file: string): string;
  /** See `LoaderBaseOptions`. */
  readonly evaluating?: ((file: string) => () => void) | undefined;
  /** Says in a diagnostic why an evaluation failed. */
  blame(record: ModuleRecord, error: unknown): Failure["diagnostic"];
}

/** What the loaders of one host know together. A module that did not change goes on in the next loader. */
export interface Homes {
  /** Where what a module imports from now on is looked for. */
  readonly evaluators: WeakMap<ModuleRecord, Evaluator>;
  /** Whose namespace this is. */
  readonly owners: WeakMap<Exports, ModuleRecord>;
}

export function createEvaluator(parts: EvaluatorParts): Evaluator {
  const { map, engine, cache, display } = parts;
  const { evaluators, owners } = parts.homes;

  const join = (file: string, since: number): ModuleRecord => {
    const known = map.records.get(file);
    if (known && !(known.failure && known.failure.at < since)) return known;
    const record = begin(file);
    // Not at once: who joins has to be seen waiting before anything of it runs, or circles are missed.
    record.settled = Promise.resolve(record)
      .then(evaluate)
      .then(
        () => finish(record),
        (error: unknown) => {
          throw fail(record, error);
        },
      );
    // Whoever imports it is told; nobody may be left to import it.
    record.settled.catch(() => {});
    return record;
  };

  const begin = (file: string): ModuleRecord => {
    const record = createRecord(map, file);
    map.records.set(file, record);
    owners.set(record.exports, record);
    evaluators.set(record, evaluator);
    return record;
  };

  /** A record that the map does not know. */
  const aside = (file: string): ModuleRecord => {
    const record = createRecord(map, file);
    evaluators.set(record, evaluator);
    return record;
  };

  const finish = (record: ModuleRecord): void => {
    // A circle that it is part of may have found a fault in it meanwhile.
    if (record.failure) throw record.failure.error;
    try {
      for (const { check } of record.lent) check();
    } catch (error) {
      throw fail(record, error);
    }
    record.state = "done";
    record.code = undefined;
  };

  const fail = (record: ModuleRecord, error: unknown): unknown => {
    record.state = "failed";
    record.failure ??= { error, diagnostic: parts.blame(record, error), at: map.tick() };
    record.code = undefined;
    // A failure is not kept, and neither is the text that it came of: the next load looks again.
    parts.texts.forget(record.file);
    // Who was given its namespace early ran with what will never come: it fails too, or is not served again.
    for (const { to } of record.lent) if (to.state === "pending") to.failure ??= record.failure;
    const borrowers = record.lent.map(({ to }) => to.file);
    for (const file of borrowers.length > 0 ? withDependents(map, borrowers) : []) {
      if (map.records.get(file)?.state === "done") map.records.delete(file);
    }
    return error;
  };

  const evaluate = async (record: ModuleRecord): Promise<void> => {
    const { file } = record;
    const { source, kind } = open(record);
    if (kind === "json") evaluateJson(record, source);
    else if (kind === "commonjs") evaluateSync(record, commonJsText(source), "plain");
    else if (kind === "module") await evaluateModule(record, source);
    else record.required = record.exports = (await import(pathToFileURL(file).href)) as Exports;
  };

  const open = (record: ModuleRecord): { readonly source: string; readonly kind: ModuleKind } => {
    const { text: source, hash } = readSource(record.file, parts);
    record.hash = hash;
    return { source, kind: moduleKind(record.file, () => source) };
  };

  const evaluateModule = async (record: ModuleRecord, source: string): Promise<void> => {
    const key = transformKey(record.file, record.hash ?? "");
    const text = cache.get(key) ?? (await transformed(record.file, source, key));
    record.text = { key };
    try {
      await run(record, text);
    } catch (error) {
      if (record.module || text.form === "own" || !isSyntaxError(error)) throw error;
      // This version of V8 does not know what oxc let pass: the slower transformer may.
      const own = ownTransformed(engine.ownTransform(source, record.file, "async"), "async");
      if ("fault" in own) throw syntaxError(record.file, own.fault, display);
      cache.put(key, own);
      await run(record, own);
    }
  };

  const transformed = async (file: string, source: string, key: string): Promise<Transformed> => {
    const transform = await parts.transform();
    const result = transform(source, file);
    if ("fault" in result) throw syntaxError(file, result.fault, display);
    cache.put(key, result);
    return result;
  };

  const run = async (record: ModuleRecord, text: Pick<Transformed, "form" | "code">): Promise<void> => {
    record.code = text.code;
    let before: unknown;
    const evaluated = parts.evaluating?.(record.file);
    try {
      await engine.evaluate(text.code, record.file, (module) => {
        record.module = module;
        before = module.exports;
        return createRuntime(record, context);
      });
    } finally {
      evaluated?.();
    }
    const written: unknown = record.module?.exports;
    const isCommonJs = written !== before || Object.keys(before as object).length > 0;
    if (isCommonJs && Object.keys(record.exports).length === 0) {
      fillCommonJs(record, written, written !== before);
    } else {
      record.required = record.exports;
    }
  };

  const evaluateSync = (record: ModuleRecord, text: string, place: NonNullable<ModuleRecord["text"]>): void => {
    record.sync = true;
    record.text = place;
    let before: unknown;
    let written: unknown;
    const evaluated = parts.evaluating?.(record.file);
    try {
      written = engine.evaluateSync(text, record.file, (module) => {
        record.module = module;
        before = module.exports;
        return createRuntime(record, context);
      });
    } finally {
      evaluated?.();
    }
    fillCommonJs(record, written, written !== before);
  };

  /** TypeScript or an ES module, for `require`: only jiti's own transformer makes such text synchronous. */
  const evaluateForeign = (record: ModuleRecord, source: string): void => {
    const { file } = record;
    const key = transformKey(file, `${record.hash}.sync`);
    let text = cache.get(key);
    if (!text) {
      const own = ownTransformed(engine.ownTransform(source, file, "sync"), "sync");
      if ("fault" in own) throw syntaxError(file, own.fault, display);
      cache.put(key, own);
      text = own;
    }
    evaluateSync(record, text.code, { key });
  };

  const evaluateJson = (record: ModuleRecord, source: string): void => {
    const parsed = parseJsonModule(source);
    if ("fault" in parsed) throw syntaxError(record.file, parsed.fault, display);
    fillCommonJs(record, parsed.value, true);
  };

  const fillCommonJs = (record: ModuleRecord, value: unknown, reassigned: boolean): void => {
    record.required = value;
    record.exports = commonJsNamespace(value, reassigned);
  };

  const requireContent = (file: string, importer: ModuleRecord): unknown => {
    const known = map.records.get(file);
    if (known?.state === "done") return known.required;
    if (known?.failure && known.failure.at >= importer.startedAt) throw known.failure.error;
    if (known?.state === "pending" && known.sync) return known.module?.exports;
    if (known?.state === "pending" && waitsFor(known, importer)) return known.exports;
    // One that is being imported cannot be waited for here: this importer gets an evaluation of its own.
    const record = known?.state === "pending" ? aside(file) : begin(file);
    try {
      evaluateForRequire(record);
      finish(record);
      return record.required;
    } catch (error) {
      throw fail(record, error);
    }
  };

  const evaluateForRequire = (record: ModuleRecord): void => {
    const { file } = record;
    const { source, kind } = open(record);
    if (kind === "json") evaluateJson(record, source);
    else if (kind === "commonjs") evaluateSync(record, commonJsText(source), "plain");
    else if (kind === "module") evaluateForeign(record, source);
    else throw unreadable(file, new Error("a kind of file that only import can load"), display);
  };

  const context: RuntimeContext = {
    resolver: parts.resolver,
    sdk: parts.sdk,
    display,
    join: (file, importer) => homeOf(importer).join(file, importer.startedAt),
    require: (file, importer) => homeOf(importer).require(file, importer),
    ownerOf: (namespace) => owners.get(namespace),
  };
  const homeOf = (importer: ModuleRecord): Evaluator => evaluators.get(importer) ?? evaluator;
  const evaluator: Evaluator = { join, require: requireContent };
  return evaluator;
}

/** The text of a file that was found to be a regular one. */
function readSource(file: string, { texts, display }: Pick<EvaluatorParts, "texts" | "display">): SourceText {
  try {
    return texts.read(file);
  } catch (error) {
    throw unreadable(file, error, display);
  }
}

function isSyntaxError(error: unknown): boolean {
  return error instanceof SyntaxError || (error as { name?: unknown } | undefined)?.name === "SyntaxError";
}
