import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import { CASSETTE_HEAD, CASSETTE_TAIL, type Exchange, exchangeText, looksLikeCassette } from "./cassette.ts";

/** A cassette that is being written; after each exchange it is a whole one. */
export interface Tape {
  /** Never throws: whoever ends an exchange may be in the middle of stopping. */
  append(exchange: Exchange): void;
  /** @throws HostError CASSETTE_UNWRITABLE when something could not be written */
  check(): void;
}

/** What a tape is made of. */
export interface TapeOptions {
  /** Absolute. */
  readonly file: string;
  /** How messages name it. */
  readonly shown: string;
  report(diagnostic: Diagnostic): void;
}

/**
 * Begins a cassette. One that is there is replaced; any other file is left alone.
 * @throws HostError CASSETTE_UNWRITABLE
 */
export function beginTape({ file, shown, report }: TapeOptions): Tape {
  let failure: Diagnostic | undefined;
  let at = 0;
  let empty = true;
  const write = (text: string): void => {
    const handle = openSync(file, "r+");
    try {
      at += writeSync(handle, text, at);
      writeSync(handle, CASSETTE_TAIL, at);
    } finally {
      closeSync(handle);
    }
  };
  const check = (): void => {
    if (failure) throw hostError(failure);
  };

  try {
    if (isSomethingElse(file)) failure = unwritable(shown, "found a file that is no cassette");
    else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "");
      write(CASSETTE_HEAD);
    }
  } catch (error) {
    failure = unwritable(shown, `found ${wordsOf(error)}`);
  }
  check();
  return {
    check,
    append(exchange) {
      if (failure) return;
      try {
        write(`${empty ? "" : ","}\n${exchangeText(exchange)}`);
        empty = false;
      } catch (error) {
        failure = unwritable(shown, `found ${wordsOf(error)}`);
        report(failure);
      }
    },
  };
}

function isSomethingElse(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0 && !looksLikeCassette(readFileSync(file, "utf8"));
}

function unwritable(file: string, found: string): Diagnostic {
  return diagnostic("CASSETTE_UNWRITABLE", {
    file,
    message: `expected a file that a cassette can be written to, ${found}`,
    hint: "Name another file in TOOLROOM_CASSETTE=record:FILE.",
  });
}

function wordsOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
