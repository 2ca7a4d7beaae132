import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Tree } from "./dir-node.ts";
import { packTree, unpackTree } from "./index-format.ts";

/** Raise it whenever the form of the index changes, or what is derived from a file: older ones are then rebuilt. */
const INDEX_VERSION = 5;

const FILE = "discovery.index";
const LINE_FEED = 10;

/** Which index: the directory it lies in, and the trees it must be of. */
export interface IndexPlace {
  readonly cacheDir: string;
  readonly root: string;
  readonly home: string;
}

/** The first line of the file, as JSON. */
interface Header {
  readonly version: number;
  readonly root: string;
  readonly home: string;
  /** How many times and counts follow the line; after them comes the text. */
  readonly times: number;
  readonly counts: number;
  /** Checksum of all that follows the line. */
  readonly crc: number;
  /** Numbers are written as this machine holds them: a number that reads otherwise gives another machine away. */
  readonly order: string;
}

const ORDER = Buffer.from(Float64Array.of(Math.PI).buffer).toString("hex");

/**
 * Reads the index, or gives undefined when there is none, it is damaged, or it is of another root, home,
 * version or machine. What it says of a directory holds only as long as the directory's time is the same.
 */
export function readIndex(place: IndexPlace): Tree | undefined {
  try {
    const bytes = readFileSync(`${place.cacheDir}/${FILE}`);
    const start = bytes.indexOf(LINE_FEED) + 1;
    const header = JSON.parse(bytes.toString("utf8", 0, start)) as Header;
    if (header.version !== INDEX_VERSION || header.root !== place.root || header.home !== place.home) return undefined;
    if (header.order !== ORDER || crc32(bytes.subarray(start)) !== header.crc) return undefined;
    const middle = start + 8 * header.times;
    const end = middle + 4 * header.counts;
    // Copied, because numbers must lie at multiples of their size.
    const part = (from: number, to: number) => bytes.buffer.slice(bytes.byteOffset + from, bytes.byteOffset + to);
    const times = new Float64Array(part(start, middle));
    const counts = new Int32Array(part(middle, end));
    return unpackTree({ times, counts, text: bytes.toString("utf8", end) }, place.home === place.root);
  } catch {
    // It is only a cache: whatever is wrong with it, it is built anew.
    return undefined;
  }
}

/** Writes the index in one step, so that a reader sees the old one or the new one. Gives what went wrong, if anything. */
export function writeIndex({ cacheDir, root, home }: IndexPlace, tree: Tree): Diagnostic | undefined {
  const { times, counts, text } = packTree(tree);
  const body = Buffer.concat([Buffer.from(times.buffer), Buffer.from(counts.buffer), Buffer.from(text)]);
  const sizes = { times: times.length, counts: counts.length };
  const header: Header = { version: INDEX_VERSION, root, home, ...sizes, crc: crc32(body), order: ORDER };
  const draft = `${cacheDir}/${FILE}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
  try {
    mkdirSync(cacheDir, { recursive: true });
    writeFileSync(draft, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]));
    renameSync(draft, `${cacheDir}/${FILE}`);
    return undefined;
  } catch (error) {
    discard(draft);
    const message = `the index of the content could not be written: ${(error as Error).message}`;
    const hint = "Make the directory writable; until then every start scans the content.";
    return diagnostic("CACHE_UNWRITABLE", { file: cacheDir, message, hint });
  }
}

function discard(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {
    // It was never made: what kept it from being written is told already.
  }
}
