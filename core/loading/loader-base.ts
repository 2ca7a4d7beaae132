import path from "node:path";
import type { JsonSchema, SchemaSource } from "../sdk/schema.ts";
import { createDeadlines, type Deadlines } from "./deadlines.ts";
import type { Homes } from "./evaluator.ts";
import { createFileNames, type FileNames } from "./file-names.ts";
import { createEngine, type Engine } from "./jiti.ts";
import type { ModuleRecord } from "./module-map.ts";
import { type Exports, namespaceOf } from "./namespaces.ts";
import { openTransform, type Transform } from "./transform.ts";
import { openTransformCache, type TransformCache } from "./transform-cache.ts";

/** What {@link createLoaderBase} needs. */
export interface LoaderBaseOptions {
  /** The module that content gets for `import … from "toolroom"`; asked once, at the first load. */
  sdk(): Promise<Readonly<Record<string, unknown>>>;
  /** Absolute directories whose modules are content; the rest is Node's. */
  readonly contentRoots: readonly string[];
  /** Where transformed texts are kept between processes, in `modules/`; absent = they are not. */
  readonly cacheDir?: string;
  /** How long the top level of a module and of all that it imports may take; default 10,000 ms. */
  readonly deadlineMs?: number;
  /** How a file is named in diagnostics. */
  display(file: string): string;
  /** Told of each content file whose top level begins; what it returns is called when that has settled. */
  readonly evaluating?: (file: string) => () => void;
}

/** What the first load waits for. */
export interface LoaderCore {
  readonly engine: Engine;
  readonly sdk: Exports;
  /** Of the SDK, which brings zod along. */
  toJsonSchema(schema: SchemaSource): JsonSchema;
  /** Loads the transformer at the first use. */
  transform(): Promise<Transform>;
}

/** What the loaders of one host share. It ends with the last of them. */
export interface LoaderBase {
  readonly deadlineMs: number;
  readonly deadlines: Deadlines;
  readonly cache: TransformCache;
  readonly names: FileNames;
  readonly homes: Homes;
  /** Where the texts of forgotten modules came from: errors of a retired one are still read. */
  readonly former: Map<string, NonNullable<ModuleRecord["text"]>>;
  readonly derived: WeakMap<object, unknown>;
  readonly evaluating: LoaderBaseOptions["evaluating"];
  core(): Promise<LoaderCore>;
  /** What {@link LoaderBase.core} resolved with, where it did. */
  coreNow(): LoaderCore | undefined;
  /** One loader more. */
  opened(): void;
  /** One loader less. */
  closed(): void;
}

const DEADLINE_MS = 10_000;

export function createLoaderBase(options: LoaderBaseOptions): LoaderBase {
  const { deadlineMs = DEADLINE_MS } = options;
  const deadlines = createDeadlines(deadlineMs);
  const former: LoaderBase["former"] = new Map();
  const cache = openTransformCache(options.cacheDir && path.join(options.cacheDir, "modules"));
  let loaders = 0;
  let opening: Promise<LoaderCore> | undefined;
  let core: LoaderCore | undefined;

  const open = async (): Promise<LoaderCore> => {
    const loading = Promise.all([options.sdk(), import("../sdk/schema.ts")]);
    const engine = createEngine(path.resolve(options.contentRoots[0] ?? "."));
    let transform: Promise<Transform> | undefined;
    const [sdk, { toJsonSchema }] = await loading;
    core = {
      engine,
      sdk: namespaceOf(sdk),
      toJsonSchema,
      transform: () => {
        transform ??= openTransform((source, file) => engine.ownTransform(source, file, "async"));
        return transform;
      },
    };
    return core;
  };

  return {
    deadlineMs,
    deadlines,
    cache,
    names: createFileNames(options.display),
    homes: { evaluators: new WeakMap(), owners: new WeakMap() },
    former,
    derived: new WeakMap(),
    evaluating: options.evaluating,
    core: () => {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    coreNow: () => core,
    opened: () => {
      loaders += 1;
    },
    closed: () => {
      loaders -= 1;
      // Between generations the cache writes itself when nobody waits for it.
      if (loaders > 0) return;
      cache.flush();
      deadlines.close();
      former.clear();
    },
  };
}
