import { type Stats, statSync } from "node:fs";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type DirNode, find, NOTHING } from "./dir-node.ts";
import { signature } from "./listing.ts";
import { look } from "./look.ts";
import { joinDisplay } from "./paths.ts";
import { slotAt, slotList } from "./slots.ts";
import { type SourceText, type Texts, textAt } from "./texts.ts";
import { isFresh } from "./walk.ts";

/** Files of content that are read as text may have this many bytes: 1 MiB. */
export const MAX_FILE_BYTES = 1_048_576;

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

/** What {@link createFileReader} takes. */
export interface FileReaderOptions {
  /** When the scan began, in ms: what changed after it is not kept. */
  readonly startedAt: number;
  /** What is in use of a file goes before what it holds. */
  readonly texts: Texts;
  /** Whether the text of a file that is read stays in use. */
  readonly keepsTexts: boolean;
  /** Whether what is kept of a file may be taken without a look at it. */
  untouched?(file: string): boolean;
}

export function createFileReader({ startedAt, texts, keepsTexts, untouched }: FileReaderOptions): FileReader {
  let dirty = false;
  const read = keepsTexts ? (file: string, found: Stats) => texts.readAs(file, found).text : textAt;

  const derive: FileReader["derive"] = (place, parse, otherwise) => {
    const { node, name, file } = place;
    const at = node === undefined ? -1 : find(node.files, name);
    const slot = at < 0 ? undefined : slotAt((node as DirNode).slots, at);
    const isOf = texts.isOf(file, slot);
    if (slot !== undefined && (isOf || (isOf === undefined && untouched?.(file)))) return parseSlot(slot.text);
    const path = joinDisplay(place.shown, name);
    const used = texts.get(file);
    if (used) return parseOnce(used, { parse, path, derived: texts.derived });
    const found = look(file);
    if (slot !== undefined && found && slot.size === found.size && slot.time === signature(found))
      return parseSlot(slot.text);
    const text = readText({ file, path }, { found, read });
    if (typeof text !== "string") return { value: otherwise, diagnostics: [text] };
    const parsed = parse(text, path);
    if (found && node && at >= 0) dirty = keep({ node, at, found, startedAt }, parsed) || dirty;
    return parsed;
  };

  return {
    get dirty() {
      return dirty;
    },
    markSaved() {
      dirty = false;
    },
    derive,
  };
}

/** A text in use is parsed once, however many views are made of it. */
function parseOnce<Value>(
  used: SourceText,
  { parse, path, derived }: { readonly parse: Parse<Value>; readonly path: string; readonly derived: Texts["derived"] },
): Parsed<Value> {
  const made = derived.get(used) ?? new Map<unknown, unknown>();
  derived.set(used, made);
  const parsed = (made.get(parse) as Parsed<Value> | undefined) ?? parse(used.text, path);
  made.set(parse, parsed);
  return parsed;
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

/**
 * The text of a content file, or the diagnostic that says why there is none.
 * @param options `found`: what a look at the file gave; `read`: reads a file that is small enough
 */
export function readText(
  { file, path }: { readonly file: string; readonly path: string },
  {
    found,
    read = textAt,
  }: { readonly found?: Stats | undefined; readonly read?: (file: string, found: Stats) => string },
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
    return read(file, stats);
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
