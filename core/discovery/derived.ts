import { readFileSync, type Stats, statSync } from "node:fs";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type DirNode, find, NOTHING } from "./dir-node.ts";
import { signature } from "./listing.ts";
import { look } from "./look.ts";
import { joinDisplay } from "./paths.ts";
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
  /** Display path of the directory. */
  readonly shown: string;
}

/** Makes a JSON value of a file's text; the same for every call on one file. `path` is its display path. */
export type Parse<Value> = (text: string, path: string) => Parsed<Value>;

/** Reads files once and keeps what came out of them, in the index as well, as long as their time and size stay. */
export interface FileReader {
  /** @param otherwise the value when the file cannot be read; a diagnostic then says why */
  derive<Value>(place: FilePlace, parse: Parse<Value>, otherwise: Value): Parsed<Value>;
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
      const { node, name, file } = place;
      const found = look(file);
      const at = node === undefined ? -1 : find(node.files, name);
      if (found !== undefined && at >= 0) {
        const slot = slotAt((node as DirNode).slots, at);
        if (slot !== undefined && slot.size === found.size && slot.time === signature(found))
          return parseSlot(slot.text);
      }
      const path = joinDisplay(place.shown, name);
      const text = readText({ file, path }, found);
      if (typeof text !== "string") return { value: otherwise, diagnostics: [text] };
      const parsed = parse(text, path);
      if (found && node && at >= 0) dirty = keep({ node, at, found, startedAt }, parsed) || dirty;
      return parsed;
    },
  };
}

interface Keeping {
  readonly node: DirNode;
  readonly at: number;
  readonly found: Stats;
  readonly startedAt: number;
}

/** Whether it was kept: what changed after the scan began is not. */
function keep({ node, at, found, startedAt }: Keeping, parsed: Parsed<unknown>): boolean {
  const kept = !isFresh(found, startedAt);
  const slots = slotList(node.slots, node.files.length);
  slots[at] = kept ? { time: signature(found), size: found.size, text: slotText(parsed) } : undefined;
  node.slots = slots;
  return kept;
}

/** The text of a content file, or the diagnostic that says why there is none. */
export function readText(
  { file, path }: { readonly file: string; readonly path: string },
  found?: Stats,
): string | Diagnostic {
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
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "it is gone" : message;
    return diagnostic("FILE_UNREADABLE", { file: path, message: `it could not be read: ${why}` });
  }
}

function slotText({ value, diagnostics }: Parsed<unknown>): string {
  return JSON.stringify(diagnostics.length === 0 ? [value] : [value, diagnostics]);
}

function parseSlot<Value>(text: string): Parsed<Value> {
  const slot = JSON.parse(text) as readonly [Value, (readonly Diagnostic[])?];
  return { value: slot[0], diagnostics: slot[1] ?? NOTHING };
}
