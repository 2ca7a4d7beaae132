import path from "node:path";
import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import { addToShard, readShard, readShardMaps, type Shard, type ShardText } from "./cache-shard.ts";
import type { Transformed } from "./transform.ts";

/**
 * Transformed texts, by what they were made of. An entry is only ever a repetition of work, so a damaged,
 * foreign or outdated one is as good as none.
 */
export interface TransformCache {
  /** @param key of {@link transformKey} */
  get(key: string): ShardText | undefined;
  /** The source maps of an entry, last step first; undefined where they are not known any more. */
  mappings(key: string): readonly string[] | undefined;
  put(key: string, text: Transformed): void;
  /** Writes what was put since; also done by itself half a second after a {@link put}. */
  flush(): void;
  readonly diagnostics: readonly Diagnostic[];
}

/** The key of a source: its content hash and its dialect (the file's extension). */
export function transformKey(file: string, hashOfContent: string): string {
  return `${hashOfContent}${path.extname(file)}`;
}

/** A few dozen shards: a first call reads a small file, a load of everything reads few, a save rewrites one. */
const SHARDS = 64;
const FLUSH_AFTER_MS = 500;
/** No timer fires while a long run of loads does nothing but load. */
const MAX_UNWRITTEN = 2_000;
/** Without a directory only source maps are kept, for the positions of errors. */
const MAPS_IN_MEMORY = 4_096;

/** @param directory where the files lie; absent = nothing is kept but the source maps of what was put */
export function openTransformCache(directory: string | undefined): TransformCache {
  return directory === undefined ? memoryOnly() : onDisk(directory);
}

function onDisk(directory: string): TransformCache {
  const unwritten = new Map<string, Transformed>();
  // Kept until the next flush only: a load of everything asks each shard many times, then never again.
  const shards = new Map<string, Shard>();
  const diagnostics: Diagnostic[] = [];
  let timer: NodeJS.Timeout | undefined;

  const bases = Array.from({ length: SHARDS }, (_, n) => path.join(directory, n.toString(16).padStart(2, "0")));
  const baseOf = (key: string): string => bases[Number.parseInt(key.slice(0, 2), 16) % SHARDS] as string;
  const flushLater = (): void => {
    // Not put off by what comes meanwhile: where something is loaded again and again, it would never be written.
    timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    shards.clear();
    for (const [base, entries] of groupBy(unwritten, baseOf)) {
      const failure = addToShard(base, entries);
      if (failure) diagnostics.push(failure);
      else for (const key of entries.keys()) unwritten.delete(key);
    }
  };

  return {
    get: (key) => {
      const mine = unwritten.get(key);
      if (mine) return mine;
      const base = baseOf(key);
      let shard = shards.get(base);
      if (!shard) {
        shard = readShard(base);
        shards.set(base, shard);
        flushLater();
      }
      return shard.get(key);
    },
    mappings: (key) => unwritten.get(key)?.mappings ?? readShardMaps(baseOf(key), key),
    put: (key, text) => {
      unwritten.set(key, text);
      if (unwritten.size >= MAX_UNWRITTEN) flush();
      else flushLater();
    },
    flush,
    get diagnostics() {
      return uniqueDiagnostics(diagnostics);
    },
  };
}

function memoryOnly(): TransformCache {
  const maps = new Map<string, readonly string[]>();
  return {
    get: () => undefined,
    mappings: (key) => maps.get(key),
    put: (key, { mappings }) => {
      maps.delete(key);
      maps.set(key, mappings);
      const [oldest] = maps.keys();
      if (maps.size > MAPS_IN_MEMORY && oldest !== undefined) maps.delete(oldest);
    },
    flush: () => {},
    diagnostics: [],
  };
}

function groupBy(texts: ReadonlyMap<string, Transformed>, groupOf: (key: string) => string) {
  const groups = new Map<string, Map<string, Transformed>>();
  for (const [key, text] of texts) {
    const name = groupOf(key);
    const group = groups.get(name) ?? new Map<string, Transformed>();
    groups.set(name, group.set(key, text));
  }
  return groups;
}
