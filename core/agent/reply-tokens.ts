import { isBlank } from "./json-scan.ts";

/** What may stand around the object of a reply. `next`: the place behind it. */
export type ReplyTag =
  /** Reasoning begins; `until` finds its end. */
  | { readonly kind: "thinking"; readonly until: RegExp; readonly next: number }
  /** Reasoning ends whose beginning was not written: the opening tag may be in the prompt's template. */
  | { readonly kind: "thought"; readonly next: number }
  /** A channel token, with the channel's name. */
  | { readonly kind: "token"; readonly next: number }
  /** The markup of a native call begins. */
  | { readonly kind: "call" };

const TAG =
  /<(?:(\/?)think(?:ing)?>|\|([a-z_]{1,24})\|>|(?:tool_call|function|(?:[a-z]{1,8}:)?(?:function_calls|invoke))(?=[\s=>]))/iy;
/** What may become one when more has come. */
const TAG_BEGINNING = /^<[/|]?[a-z_:]{0,24}\|?$/i;
const MAX_TAG = 40;
/** Tokens that a name follows, which belongs to them. */
const NAMED = new Set(["channel", "start", "constrain", "im_start", "start_header_id"]);
const NAME = /^ ?(?:assistant|analysis|commentary|final|json)/i;
const NAMES = ["assistant", "analysis", "commentary", "final", "json"];
const MAX_NAME = 12;

const THINKING_END = /<\/think(?:ing)?>/gi;
/** The token that ends a channel may begin the next one, so it is not a part of the match. */
const CHANNEL_END = /(?=<\|(?:end|start|channel|return|call|im_end|im_start)\|>)/gi;
const MAX_END = 14;

/** The tag at a `<`. "cut": more has to come before that can be told; undefined: it is none. */
export function readTag(text: string, at: number, isLast: boolean): ReplyTag | "cut" | undefined {
  if (!isLast && text.length - at <= MAX_TAG && TAG_BEGINNING.test(text.slice(at))) return "cut";
  TAG.lastIndex = at;
  const match = TAG.exec(text);
  if (!match) return undefined;
  const [whole, slash, token] = match;
  const next = at + whole.length;
  if (slash !== undefined)
    return slash === "" ? { kind: "thinking", until: THINKING_END, next } : { kind: "thought", next };
  return token === undefined ? { kind: "call" } : readToken(token.toLowerCase(), text, { next, isLast });
}

/** A channel token and its name, where it has one. What is on the channel for analysis is reasoning. */
function readToken(token: string, text: string, { next, isLast }: { next: number; isLast: boolean }): ReplyTag | "cut" {
  if (!NAMED.has(token)) return { kind: "token", next };
  const rest = text.slice(next, next + MAX_NAME);
  const name = NAME.exec(rest)?.[0] ?? "";
  const begun = rest.trimStart().toLowerCase();
  if (name === "" && !isLast && NAMES.some((known) => known.startsWith(begun))) return "cut";
  const isReasoning = token === "channel" && name.trim().toLowerCase() === "analysis";
  const behind = next + name.length;
  return isReasoning ? { kind: "thinking", until: CHANNEL_END, next: behind } : { kind: "token", next: behind };
}

/** Skips reasoning. `over`: its end was found. Otherwise the last few characters are left: the end may be cut in two. */
export function skipThinking(
  text: string,
  at: number,
  { until, isLast }: { readonly until: RegExp; readonly isLast: boolean },
): { readonly next: number; readonly over: boolean } {
  until.lastIndex = at;
  const match = until.exec(text);
  if (match) return { next: match.index + match[0].length, over: true };
  return { next: isLast ? text.length : Math.max(at, text.length - MAX_END), over: false };
}

/** A reply in plain words without the reasoning that local models leave at its beginning. */
export function withoutReasoning(text: string): string {
  let at = 0;
  for (;;) {
    while (isBlank(text.charCodeAt(at))) at++;
    const tag = text[at] === "<" ? readTag(text, at, true) : undefined;
    if (tag === undefined || tag === "cut" || tag.kind === "call") return text.slice(at);
    at = tag.kind === "thinking" ? skipThinking(text, tag.next, { until: tag.until, isLast: true }).next : tag.next;
  }
}

const RUN = /`+|~+/y;
const INFO = /[ \t]*[\w+-]*/y;

/** The run of backticks or tildes at a place; "cut": more of them may come. */
export function readRun(text: string, at: number, isLast: boolean): string | "cut" {
  RUN.lastIndex = at;
  const run = RUN.exec(text)?.[0] ?? "";
  return at + run.length === text.length && !isLast ? "cut" : run;
}

/** Whether a run opens a code fence: three or more, and at most one word behind them. `next`: the place behind the word. */
export function readFence(
  text: string,
  at: number,
  { run, isLast }: { readonly run: string; readonly isLast: boolean },
): { readonly next: number } | "cut" | undefined {
  if (run.length < 3) return undefined;
  INFO.lastIndex = at + run.length;
  const next = at + run.length + (INFO.exec(text)?.[0].length ?? 0);
  if (next === text.length) return isLast ? undefined : "cut";
  return isBlank(text.charCodeAt(next)) || /[{[]/.test(text.charAt(next)) ? { next } : undefined;
}
