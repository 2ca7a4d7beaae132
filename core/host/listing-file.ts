import { readFileSync, type Stats, statSync } from "node:fs";
import type { Diagnostic } from "../diagnostics.ts";
import { signature } from "../discovery/listing.ts";
import { look } from "../discovery/look.ts";
import { writeCacheFile } from "../loading/atomic-file.ts";

/** What a listing was made of, in the order of `paths`. */
export interface ListingSources {
  /** Absolute. */
  readonly paths: readonly string[];
  /** For each path its times, its size and its inode, all 0 where nothing lies there. */
  readonly stamps: Float64Array;
}

/** A listing as the file holds it. */
export interface ListingFile {
  /** What it answers. */
  readonly question: string;
  readonly sources: ListingSources;
  /** The JSON of the listing. */
  readonly text: string;
}

/** The first line of the file, as JSON; after it come the stamps, the paths and the text. */
interface Head {
  readonly version: number;
  readonly question: string;
  readonly paths: number;
  /** How many bytes the paths take. */
  readonly names: number;
  /** Checksum of all that follows the line. */
  readonly crc: number;
  /** Numbers are written as this machine holds them: one that reads otherwise gives another machine away. */
  readonly order: string;
}

/** Raise it whenever the form of the file changes. */
const VERSION = 1;
const FILE = "listing.cache";
const LINE_FEED = 10;
/** No path holds it. */
const END = "\0";
const NUMBERS = 3;
const QUIET = { throwIfNoEntry: false } as const;
const ORDER = Buffer.from(Float64Array.of(Math.PI).buffer).toString("hex");

/**
 * The JSON of the listing that is kept, if it answers the question and each path is still as it was. One that is missing,
 * damaged or of another version or machine is none.
 */
export function readListing(cacheDir: string, question: string): Buffer | undefined {
  try {
    const bytes = readFileSync(`${cacheDir}/${FILE}`);
    const start = bytes.indexOf(LINE_FEED) + 1;
    const head = JSON.parse(bytes.toString("utf8", 0, start)) as Head;
    if (head.version !== VERSION || head.order !== ORDER || head.question !== question) return undefined;
    if (crc(bytes.subarray(start)) !== head.crc) return undefined;
    const middle = start + 8 * NUMBERS * head.paths;
    const end = middle + head.names;
    // Copied, because numbers must lie at multiples of their size.
    const stamps = new Float64Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + middle));
    return areCurrent(bytes.toString("utf8", middle, end), stamps) ? bytes.subarray(end) : undefined;
  } catch {
    // It is only a cache: whatever is wrong with it, the listing is made anew.
    return undefined;
  }
}

/** Writes the file in one step. Gives what went wrong, if anything. */
export function writeListing(cacheDir: string, { question, sources, text }: ListingFile): Diagnostic | undefined {
  const { paths, stamps } = sources;
  const names = Buffer.from(paths.map((path) => `${path}${END}`).join(""));
  const body = Buffer.concat([Buffer.from(stamps.buffer), names, Buffer.from(text)]);
  const head: Head = {
    version: VERSION,
    question,
    paths: paths.length,
    names: names.length,
    crc: crc(body),
    order: ORDER,
  };
  return writeCacheFile(`${cacheDir}/${FILE}`, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]));
}

/** How {@link stampsOf} looks. */
interface Stamping {
  /** How many of the paths, the first ones, must be there: what is gone meanwhile was there when it was read. */
  readonly required: number;
  /** Whether something changed so late that another change could follow unseen. */
  isFresh(found: Stats): boolean;
}

/** Looks at what a listing was made of. @returns undefined where it cannot be known that nothing has changed since */
export function stampsOf(paths: readonly string[], { required, isFresh }: Stamping): Float64Array | undefined {
  const stamps = new Float64Array(NUMBERS * paths.length);
  for (const [at, path] of paths.entries()) {
    const found = look(path);
    if (found ? isFresh(found) : at < required) return undefined;
    if (found) stamps.set([signature(found), found.size, found.ino], NUMBERS * at);
  }
  return stamps;
}

/**
 * Runs over thousands of paths at every start, so it makes nothing of them but their names.
 * @throws where nobody lets us look
 */
function areCurrent(names: string, stamps: Float64Array): boolean {
  let start = 0;
  for (let at = 0; at < stamps.length; at += NUMBERS) {
    const end = names.indexOf(END, start);
    const found = statSync(names.slice(start, end), QUIET);
    start = end + 1;
    const isSame = found
      ? stamps[at] === signature(found) && stamps[at + 1] === found.size && stamps[at + 2] === found.ino
      : stamps[at] === 0;
    if (!isSame) return false;
  }
  return true;
}

/** The builtin is looked up when it is needed: it takes 2 ms to come. */
function crc(bytes: Buffer): number {
  return process.getBuiltinModule("node:zlib").crc32(bytes);
}
