import { readFileSync, type Stats, statSync } from "node:fs";
import type { Diagnostic } from "../diagnostics.ts";
import { contentHash } from "./content-hash.ts";
import { createForkedMap, type ForkedMap } from "./forked-map.ts";
import { signature } from "./listing.ts";
import { look } from "./look.ts";
import { untouchedBy } from "./touched.ts";
import { isFresh } from "./walk.ts";

/** The text of a file, without a byte-order mark. */
export interface SourceText {
  readonly text: string;
  /** `contentHash` of the text. */
  readonly hash: string;
}

/** A text that is served although the file holds another, or is gone. */
export interface HeldText extends SourceText {
  /** The hash of what lies there instead; undefined where nothing does. */
  readonly instead: string | undefined;
  /** What is wrong with that; absent where nothing is, as after a rollback. */
  readonly why?: Diagnostic;
}

/**
 * The texts of content files as one generation uses them. What was read once stays as it was read, so that
 * everything in a generation is of one piece; files are known by the absolute path by which they are read.
 */
export interface Texts {
  /** The text that is in use. */
  get(file: string): SourceText | undefined;
  /** The text that is in use, else what the file holds, which then stays; it counts as served. @throws what reading throws */
  read(file: string): SourceText;
  /** As {@link Texts.read}, of a file that was looked at and is not served yet. */
  readAs(file: string, found: Stats): SourceText;
  /** Whether times and size of the slot are those of the text in use. undefined: no text is in use. */
  isOf(file: string, slot: { readonly time: number; readonly size: number } | undefined): boolean | undefined;
  /** Calls and models get something that is made of the file. */
  serve(file: string): void;
  /** The files of which something was served, here or in the generations before; the same set where none was added. */
  readonly served: ReadonlySet<string>;
  /** What a file holds is read again at the next use; what it held is remembered as nothing that can be used. */
  forget(file: string): void;
  /** What was made of texts, in this generation and those before. */
  readonly derived: WeakMap<SourceText, Map<unknown, unknown>>;
  /** Serves a text whatever the disk holds. */
  hold(file: string, text: HeldText): void;
  /** The files whose text is held, with the text. */
  readonly held: ReadonlyMap<string, HeldText>;
  /** The files with a text in use. */
  files(): readonly string[];
  /** The same, with the hash of the text. */
  hashes(): ReadonlyMap<string, string>;
  /** Whether a text of the file is in use, or was given up because it could not be used. */
  knows(file: string): boolean;
  /** The files that are known in this sense. */
  known(): readonly string[];
  /**
   * Of the given files (default: all that are known) those that hold something else now, or nothing. Times and size
   * vouch for what was read long enough after its last change; else the content decides. Where a text was refused, or
   * another one is held, a file is among them when it does not hold any more what was refused.
   */
  outdated(files?: Iterable<string>): readonly string[];
  /** The texts of the next generation: all but those of `changed` and what lies below it, read when they are needed. */
  fork(changed: Iterable<string>): Texts;
}

interface Entry extends SourceText {
  /** Signature and size of the file; 0 where they vouch for nothing. */
  time: number;
  size: number;
}

/** @param now the clock, in ms since the epoch */
export function createTexts(now: () => number = Date.now): Texts {
  return textsOf({
    entries: createForkedMap(),
    held: new Map(),
    refused: new Map(),
    before: new Map(),
    served: new Set(),
    isShared: false,
    derived: new WeakMap(),
    now,
  });
}

interface TextsParts {
  readonly entries: ForkedMap<string, Entry>;
  readonly held: Map<string, HeldText>;
  /** The hashes of what was read and could not be used. */
  readonly refused: Map<string, string>;
  /** What was read to see that it is another text than that of the generation before, with the signature of the file. */
  readonly before: Map<string, { readonly entry: Entry; readonly time: number }>;
  readonly served: Set<string>;
  readonly isShared: boolean;
  readonly derived: Texts["derived"];
  now(): number;
}

function textsOf({ entries, held, refused, before, derived, now, ...given }: TextsParts): Texts {
  // The generations share it as long as nothing is added: so it is known that nothing was.
  let { served, isShared } = given;
  let ahead: TextsParts["before"] = new Map();
  const serve = (file: string): void => {
    if (served.has(file)) return;
    if (isShared) served = new Set(served);
    isShared = false;
    served.add(file);
  };
  const readAs = (file: string, found: Stats): SourceText => {
    const known = get(file);
    if (known) return known;
    const startedAt = now();
    const entry = readBefore(file, found) ?? entryOf(textAt(file), found, startedAt);
    entries.set(file, entry);
    refused.delete(file);
    before.delete(file);
    return entry;
  };
  const readBefore = (file: string, found: Stats): Entry | undefined => {
    const read = before.get(file);
    return read && read.time === signature(found) && read.entry.size === found.size ? read.entry : undefined;
  };
  const get = (file: string): SourceText | undefined => held.get(file) ?? entries.get(file);

  const files = (): readonly string[] => [...new Set([...entries.keys(), ...held.keys()])];

  const isOutdated = (file: string): boolean => {
    const kept = held.get(file);
    if (kept) return hashAt(file) !== kept.instead;
    const entry = entries.get(file);
    const useless = refused.get(file);
    if (!entry && useless !== undefined) return hashAt(file) !== useless;
    const found = look(file);
    if (!entry || !found?.isFile()) return true;
    if (entry.time === signature(found) && entry.size === found.size) return false;
    const fresh = readNow(file, found);
    if (fresh?.hash !== entry.hash) {
      if (fresh) ahead.set(file, { entry: fresh, time: signature(found) });
      return true;
    }
    if (fresh.time !== 0) {
      entry.time = fresh.time;
      entry.size = fresh.size;
    }
    return false;
  };
  const readNow = (file: string, found: Stats): Entry | undefined => {
    const startedAt = now();
    try {
      return entryOf(textAt(file), found, startedAt);
    } catch {
      // It has no content to vouch for.
      return undefined;
    }
  };

  const knows = (file: string): boolean => get(file) !== undefined || refused.has(file);

  const known = (): readonly string[] => [...new Set([...entries.keys(), ...held.keys(), ...refused.keys()])];

  /** Where files were written there is nothing below to look for. */
  const goneBy = (changed: readonly string[]): readonly string[] => {
    if (changed.every(knows)) return changed;
    const untouched = untouchedBy(changed);
    return known().filter((file) => !untouched(file));
  };

  return {
    get,
    read(file) {
      const text = get(file) ?? readAs(file, statSync(file));
      serve(file);
      return text;
    },
    readAs,
    isOf(file, slot) {
      if (held.has(file)) return false;
      const entry = entries.get(file);
      return entry && slot !== undefined && entry.time !== 0 && entry.time === slot.time && entry.size === slot.size;
    },
    serve,
    get served() {
      return served;
    },
    derived,
    forget: (file) => {
      const entry = entries.get(file);
      if (entry) refused.set(file, entry.hash);
      entries.delete(file);
    },
    hold: (file, text) => void held.set(file, text),
    held,
    files,
    hashes: () => new Map(files().map((file) => [file, get(file)?.hash ?? ""])),
    knows,
    known,
    outdated: (some = known()) => [...new Set(some)].filter(isOutdated),
    fork(changed) {
      const gone = goneBy([...changed]);
      const parts = { entries: entries.fork(), held: new Map(held), refused: new Map(refused) };
      for (const texts of Object.values(parts)) for (const file of gone) texts.delete(file);
      isShared = true;
      const read = ahead;
      ahead = new Map();
      return textsOf({ ...parts, before: read, served, isShared, derived, now });
    },
  };
}

function entryOf(text: string, found: Stats, startedAt: number): Entry {
  const vouches = !isFresh(found, startedAt);
  let hash: string | undefined;
  return {
    text,
    get hash() {
      hash ??= contentHash(text);
      return hash;
    },
    time: vouches ? signature(found) : 0,
    size: found.size,
  };
}

/** What a file holds now, without a byte-order mark. @throws what reading throws */
export function textAt(file: string): string {
  const text = readFileSync(file, "utf8");
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

/** The hash of what a file holds now; undefined for one that cannot be read: it has no content to vouch for. */
export function hashAt(file: string): string | undefined {
  try {
    return contentHash(textAt(file));
  } catch {
    return undefined;
  }
}
