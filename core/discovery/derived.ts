import { readFileSync, type Stats, statSync } from "node:fs";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type DirNode, find, NOTHING } from "./dir-node.ts";
import { signature } from "./listing.ts";
import { slotAt, slotList } from "./slots.ts";
import { isFresh } from "./walk.ts";

/** Files of content that are read as text may have this many bytes: 1 MiB. */
const MAX_FILE_BYTES = 1_048_576;

/** What came out of a file. `value` is JSON. */
export interface Parsed<Value> {
  readonly value: Value;
  readonly diagnostics: readonly Diagnostic[];
}

/** A file of a scanned directory. */
export interface FilePlace {
  /** The directory that lists the file; its slots keep what was derived. undefined: nothing is kept. */
  readonly node: DirNode | undefined;
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  /** Display path. */
  readonly path: string;
}

/** Reads files once and keeps what came out of them, in the index as well, as long as their time and size stay. */
export interface FileReader {
  /**
   * @param parse makes a JSON value of the file's text; the same for every call on one file
   * @param otherwise the value when the file cannot be read; a diagnostic then says why
   */
  derive<Value>(place: FilePlace, parse: (text: string) => Parsed<Value>, otherwise: Value): Parsed<Value>;
  /** Whether slots were filled that no index holds yet. */
  readonly dirty: boolean;
  /** Says that an index holds them now. */
  markSaved(): void;
}

/** @param startedAt when the scan began, in ms: what changed after it is not kept */
export function createFileReader(startedAt: number): FileReader {
  let dirty = false;
  return {
    get dirty() {
      return dirty;
    },
    markSaved() {
      dirty = false;
    },
    derive(place, parse, otherwise) {
      const found = statSync(place.file, { throwIfNoEntry: false });
      if (found === undefined) return unreadable(place, "it is gone", otherwise);
      const { node } = place;
      const at = node ? find(node.files, place.name) : -1;
      const time = signature(found);
      const slot = node && at >= 0 ? slotAt(node.slots, at) : undefined;
      if (slot && slot.time === time && slot.size === found.size) return parseSlot<typeof otherwise>(slot.text);
      const text = readText(place, found);
      if (typeof text !== "string") return { value: otherwise, diagnostics: [text] };
      const parsed = parse(text);
      if (node && at >= 0) {
        const kept = !isFresh(found, startedAt);
        if (kept) dirty = true;
        const slots = slotList(node.slots, node.files.length);
        slots[at] = kept ? { time, size: found.size, text: slotText(parsed) } : undefined;
        node.slots = slots;
      }
      return parsed;
    },
  };
}

/** The text of a content file, or the diagnostic that says why there is none. */
export function readText({ file, path }: Pick<FilePlace, "file" | "path">, found?: Stats): string | Diagnostic {
  try {
    const stats = found ?? statSync(file);
    if (!stats.isFile()) {
      return diagnostic("NOT_A_FILE", {
        severity: "error",
        file: path,
        message: "expected a regular file, found something else",
      });
    }
    if (stats.size > MAX_FILE_BYTES) {
      const message = `expected at most ${MAX_FILE_BYTES} bytes (1 MiB), found ${stats.size}`;
      return diagnostic("FILE_TOO_LARGE", { file: path, message, hint: "Make the file smaller, or split it." });
    }
    const text = readFileSync(file, "utf8");
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  } catch (error) {
    return diagnostic("FILE_UNREADABLE", { file: path, message: `it could not be read: ${(error as Error).message}` });
  }
}

function unreadable<Value>({ path }: FilePlace, why: string, value: Value): Parsed<Value> {
  return {
    value,
    diagnostics: [diagnostic("FILE_UNREADABLE", { file: path, message: `it could not be read: ${why}` })],
  };
}

function slotText({ value, diagnostics }: Parsed<unknown>): string {
  return JSON.stringify(diagnostics.length === 0 ? [value] : [value, diagnostics]);
}

function parseSlot<Value>(text: string): Parsed<Value> {
  const [value, diagnostics = NOTHING] = JSON.parse(text) as [Value, (readonly Diagnostic[])?];
  return { value, diagnostics };
}
