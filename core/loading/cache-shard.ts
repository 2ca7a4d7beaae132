import { existsSync, readFileSync } from "node:fs";
import type { Diagnostic } from "../diagnostics.ts";
import { checksum } from "../discovery/content-hash.ts";
import { writeCacheFile } from "./atomic-file.ts";
import { TRANSFORM_VERSION, type Transformed } from "./transform.ts";

/**
 * One shard of the transform cache is two files. `<name>.code`: a line of JSON that says what follows, then the
 * texts one after the other, so that a text is found without parsing the others. `<name>.maps`: their source
 * maps as JSON, read only where an error is reported.
 */
export interface Shard {
  /** undefined: not there, or damaged. */
  get(key: string): ShardText | undefined;
  /** Oldest first. */
  readonly entries: ReadonlyMap<string, ShardText>;
}

/** A transformed text without its source maps. */
export interface ShardText {
  readonly form: Transformed["form"];
  readonly code: string;
}

/** Older entries go first. */
const MAX_ENTRIES = 512;
const MAX_CHARS = 4_000_000;

interface Head {
  readonly version: string;
  /** key, form, length and checksum of each text, oldest first. */
  readonly entries: readonly (readonly [string, Transformed["form"], number, string])[];
}

/** What is not there, damaged or of another version reads as empty. */
export function readShard(base: string): Shard {
  const text = readText(`${base}.code`);
  const end = Math.max(0, text.indexOf("\n"));
  const head = readHead(text.slice(0, end));
  const places = new Map<string, { form: Transformed["form"]; start: number; length: number; sum: string }>();
  let start = end + 1;
  for (const [key, form, length, sum] of head) {
    places.set(key, { form, start, length, sum });
    start += length;
  }
  const get = (key: string): ShardText | undefined => {
    const place = places.get(key);
    if (!place) return undefined;
    const code = text.slice(place.start, place.start + place.length);
    return checksum(code) === place.sum ? { form: place.form, code } : undefined;
  };
  return {
    get,
    get entries() {
      const all = [...places.keys()].map((key) => [key, get(key)] as const);
      return new Map(all.filter((entry): entry is readonly [string, ShardText] => entry[1] !== undefined));
    },
  };
}

/** The source maps of one entry, last step first. */
export function readShardMaps(base: string, key: string): readonly string[] | undefined {
  const maps: unknown = mapsOf(base)[key];
  return Array.isArray(maps) && maps.every((map) => typeof map === "string") ? maps : undefined;
}

/** Adds entries to what is on the disk now: another process may have added others. */
export function addToShard(base: string, added: ReadonlyMap<string, Transformed>): Diagnostic | undefined {
  const texts = new Map<string, ShardText>(readShard(base).entries);
  const maps = mapsOf(base);
  for (const [key, { form, code, mappings }] of added) {
    texts.delete(key);
    texts.set(key, { form, code });
    maps[key] = mappings;
  }
  const kept = newest(texts);
  const head: Head = {
    version: TRANSFORM_VERSION,
    entries: kept.map(([key, { form, code }]) => [key, form, code.length, checksum(code)]),
  };
  const keptMaps = Object.fromEntries(kept.map(([key]) => [key, maps[key] ?? []]));
  // The maps first: a text without maps would report wrong lines, maps without a text report none.
  return (
    writeCacheFile(`${base}.maps`, JSON.stringify({ version: TRANSFORM_VERSION, maps: keptMaps })) ??
    writeCacheFile(`${base}.code`, `${JSON.stringify(head)}\n${kept.map(([, { code }]) => code).join("")}`)
  );
}

function readHead(line: string): Head["entries"] {
  const head = parseObject(line) as Partial<Head> | undefined;
  if (head?.version !== TRANSFORM_VERSION || !Array.isArray(head.entries)) return [];
  const sound = head.entries.every((entry: unknown) => Array.isArray(entry) && Number.isSafeInteger(entry[2]));
  return sound ? head.entries : [];
}

function newest(texts: ReadonlyMap<string, ShardText>): [string, ShardText][] {
  const kept: [string, ShardText][] = [];
  let chars = 0;
  for (const entry of [...texts].reverse()) {
    chars += entry[1].code.length;
    if (kept.length > 0 && (kept.length >= MAX_ENTRIES || chars > MAX_CHARS)) break;
    kept.push(entry);
  }
  return kept.reverse();
}

function mapsOf(base: string): Record<string, readonly string[]> {
  const file = parseObject(readText(`${base}.maps`)) as
    | { version?: string; maps?: Record<string, readonly string[]> }
    | undefined;
  return file?.version === TRANSFORM_VERSION && file.maps ? file.maps : {};
}

/** A cache that cannot be read is an empty one. */
function readText(file: string): string {
  try {
    // Mostly there is none, and an error takes longer to make than all the rest.
    return existsSync(file) ? readFileSync(file, "utf8") : "";
  } catch {
    return "";
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
