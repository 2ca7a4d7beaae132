import { createRootScanner, isBlank, type RootScanner } from "./json-scan.ts";
import { readFence, readRun, readTag, skipThinking } from "./reply-tokens.ts";

/** What the text of a reply turned out to be. `at` and `start` are offsets in it. */
export type ReplyScan =
  /** Exactly one object, bare or in one fence. `json`: its text, without invisible characters between its tokens. */
  | { readonly kind: "object"; readonly json: string; readonly start: number }
  /** Nothing, or nothing but reasoning. */
  | { readonly kind: "empty"; readonly reasoned: boolean }
  /** Markup of a native call got into the text at `at`. */
  | { readonly kind: "leaked"; readonly at: number; readonly hasProse: boolean }
  /** Text before the object that begins at `start`; there may be none. */
  | { readonly kind: "before"; readonly at: number; readonly start: number | undefined }
  /**
   * `list`: a list instead of an object. `open`: it is never closed. `brackets`: another one was expected. `after`: text
   * follows it. `second`: another value follows it. `fence`: the code fence is not closed.
   */
  | { readonly kind: "list" | "open" | "brackets" | "after" | "second" | "fence"; readonly at: number };

/** Reads the text of one reply while it is streamed. */
export interface ReplyScanner {
  /** @returns false once nothing that may still come can make the reply one request: the rest need not be read */
  push(piece: string): boolean;
  /** The text is complete. @param whole all pieces, joined */
  end(whole: string): ReplyScan;
  /** Where the object or list lies as far as it is read, and what would close it. */
  found(): { readonly start: number; readonly end: number; readonly closers: string } | undefined;
  /** How many characters were looked at; those that had to wait for the next piece count again. */
  readonly looked: number;
}

const PROSE_STOP = /[{<]/g;

/**
 * Begins with nothing read. What was read is not read again, but for a tag or a fence that a piece cut in two, so the
 * work grows with the length of the text and not with the number of its pieces.
 */
export function createReplyScanner(): ReplyScanner {
  /** What is still to be read, and its place in the reply. */
  let text = "";
  let base = 0;
  let looked = 0;
  let root: RootScanner | undefined;
  let start = 0;
  /** Where text begins that is neither the object nor anything that may stand around it. */
  let prose: number | undefined;
  let thinking: RegExp | undefined;
  let reasoned = false;
  let fence: { readonly at: number; readonly mark: string; closed: boolean } | undefined;
  let verdict: ReplyScan | undefined;

  const decide = (scan: ReplyScan): number => {
    verdict = scan;
    return text.length;
  };
  const isAfter = () => root?.state === "closed";

  // Each of these reads from a place and gives the next one; undefined where more has to come first.
  const inRoot = (scanner: RootScanner, at: number): number => {
    const next = scanner.read(text, at);
    if (scanner.state === "broken") return decide({ kind: "brackets", at: base + next });
    if (scanner.state === "prose") root = undefined;
    return next;
  };
  const anything = (at: number): number => {
    const char = text.charAt(at);
    if (isAfter()) return decide({ kind: char === "{" || char === "[" ? "second" : "after", at: base + at });
    if (char === "{" || (char === "[" && prose === undefined)) {
      root = createRootScanner(prose !== undefined);
      start = base + at;
      return inRoot(root, at);
    }
    prose ??= base + at;
    PROSE_STOP.lastIndex = at + 1;
    return PROSE_STOP.exec(text)?.index ?? text.length;
  };
  const tag = (at: number, isLast: boolean): number | undefined => {
    const found = readTag(text, at, isLast);
    if (found === "cut") return undefined;
    if (found === undefined || (found.kind === "call" && isAfter())) return anything(at);
    if (found.kind === "call") return decide({ kind: "leaked", at: base + at, hasProse: prose !== undefined });
    if (found.kind !== "token") reasoned = true;
    if (found.kind === "thinking") thinking = found.until;
    if (found.kind === "thought" && !isAfter()) prose = undefined;
    return found.next;
  };
  const marks = (at: number, isLast: boolean): number | undefined => {
    const run = readRun(text, at, isLast);
    if (run === "cut") return undefined;
    if (isAfter()) {
      if (!fence || fence.closed || !run.startsWith(fence.mark)) return anything(at);
      fence.closed = true;
      return at + run.length;
    }
    const opened = fence || prose !== undefined ? undefined : readFence(text, at, { run, isLast });
    if (opened === "cut") return undefined;
    if (!opened) return anything(at);
    fence = { at: base + at, mark: run, closed: false };
    return opened.next;
  };
  const step = (at: number, isLast: boolean): number | undefined => {
    if (thinking) {
      const { next, over } = skipThinking(text, at, { until: thinking, isLast });
      if (over) thinking = undefined;
      return over || next > at ? next : undefined;
    }
    if (root?.state === "open") return inRoot(root, at);
    const code = text.charCodeAt(at);
    if (isBlank(code)) return at + 1;
    if (code === 60) return tag(at, isLast);
    return code === 96 || code === 126 ? marks(at, isLast) : anything(at);
  };
  const read = (isLast: boolean, from: number): void => {
    let at = from;
    while (at < text.length && !verdict) {
      const next = step(at, isLast);
      if (next === undefined) break;
      at = next;
    }
    base += at;
    text = at === text.length ? "" : text.slice(at);
  };

  const conclude = (whole: string): ReplyScan => {
    if (!root && (prose ?? fence) !== undefined)
      return { kind: "before", at: prose ?? fence?.at ?? 0, start: undefined };
    if (!root) return { kind: "empty", reasoned };
    if (root.state === "open") return { kind: "open", at: start };
    if (prose !== undefined) return { kind: "before", at: prose, start };
    if (fence && !fence.closed) return { kind: "fence", at: fence.at };
    const json = whole.slice(start, start + root.length);
    return json[0] === "["
      ? { kind: "list", at: start }
      : { kind: "object", json: without(json, root.invisible), start };
  };

  return {
    get looked() {
      return looked;
    },
    push(piece) {
      // Nearly all pieces lie inside of a string from end to end, and there are many.
      const inside = root !== undefined && text === "" ? root.readString(piece) : 0;
      if (inside > 0 && inside === piece.length) {
        base += inside;
        looked += inside;
        return true;
      }
      if (!verdict) {
        text = text === "" ? piece : text + piece;
        looked += text.length;
        read(false, inside);
      }
      // Markup is read to its end: it may be a call that can be recovered.
      return mayGoOn(verdict);
    },
    end(whole) {
      looked += text.length;
      read(true, 0);
      return verdict ?? conclude(whole);
    },
    found: () => root && { start, end: start + root.length, closers: root.closers() },
  };
}

function mayGoOn(verdict: ReplyScan | undefined): boolean {
  return verdict === undefined || verdict.kind === "leaked";
}

function without(text: string, offsets: readonly number[]): string {
  if (offsets.length === 0) return text;
  let from = 0;
  const kept = offsets.map((offset) => {
    const part = text.slice(from, offset);
    from = offset + 1;
    return part;
  });
  return kept.join("") + text.slice(from);
}
