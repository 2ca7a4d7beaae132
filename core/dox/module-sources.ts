import { posix } from "node:path";
import type { CallErrorCode } from "../sdk/errors.ts";
import type { Reader } from "./reader.ts";
import { type SourceFacts, sourceFacts } from "./source-facts.ts";

/** Where something stands in a source. */
export interface SourceAt {
  /** Display path. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
}

/** What a module and all that it imports relatively say together; see {@link SourceFacts}. */
export interface ModuleFacts {
  readonly given: ReadonlyMap<CallErrorCode, SourceAt>;
  readonly named: ReadonlySet<CallErrorCode>;
  readonly breaksAt: SourceAt | undefined;
  readonly breakLoopOpen: boolean;
  readonly words: ReadonlySet<string>;
}

/** A module and the files that it imports relatively, and so on; itself first. Display paths. */
export function sourcesOf(reader: Reader, module: string): readonly string[] {
  return [...walk(reader, module).keys()];
}

/** The facts of a module together with those of its helpers. */
export function moduleFacts(reader: Reader, module: string): ModuleFacts {
  const given = new Map<CallErrorCode, SourceAt>();
  const named = new Set<CallErrorCode>();
  const words = new Set<string>();
  let breaksAt: SourceAt | undefined;
  let breakLoopOpen = false;
  for (const [file, facts] of walk(reader, module)) {
    for (const [code, line] of facts.given) if (!given.has(code)) given.set(code, { file, line });
    for (const code of facts.named) named.add(code);
    for (const word of facts.words) words.add(word);
    if (facts.breaksAt !== undefined) breaksAt ??= { file, line: facts.breaksAt };
    breakLoopOpen ||= facts.breakLoopOpen;
  }
  return { given, named, words, breaksAt, breakLoopOpen };
}

function walk(reader: Reader, module: string): ReadonlyMap<string, SourceFacts> {
  const found = new Map<string, SourceFacts>();
  const waiting = [module];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const source = found.has(file) ? undefined : reader.text(file);
    if (source === undefined) continue;
    const facts = sourceFacts(source);
    found.set(file, facts);
    for (const specifier of facts.imports) {
      const target = resolved(reader, posix.join(posix.dirname(file), specifier));
      if (target !== undefined) waiting.push(target);
    }
  }
  return found;
}

/** The file that an import means: as it is written, with an ending, or the source of what it will be built to. */
function resolved(reader: Reader, path: string): string | undefined {
  const built = path.replace(/\.([cm]?)js$/u, ".$1ts");
  const guesses = [
    path,
    built,
    ...ENDINGS.map((ending) => `${path}${ending}`),
    ...ENDINGS.map((e) => `${path}/index${e}`),
  ];
  return guesses.find((guess) => reader.kind(guess) === "file");
}

const ENDINGS = [".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"];
