import { createRequire } from "node:module";
import type { Level, LevelWithSilent, Logger, pino } from "pino";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { frozenJson } from "../sdk/json.ts";
import type { ToolStatus } from "../sdk/result.ts";
import type { ToolLog } from "../sdk/tool.ts";
import type { Masker } from "./mask.ts";
import { atExit } from "./process-exit.ts";

/** One line for each call, whatever became of it. */
export interface CallLine {
  /** `<owner>.<tool id>`, for example `_files.word_count`. */
  readonly tool: string;
  readonly face: string;
  readonly status: ToolStatus;
  readonly durationMs: number;
  /** The error code, on an error. */
  readonly code?: string;
  /** The request's id. */
  readonly id: string;
  readonly generation: number;
  /** The name that was asked for, where it is not the tool's own. */
  readonly requested?: string;
}

/** The log of one host. */
export interface HostLog {
  call(line: CallLine): void;
  /** A logger for one call of a tool; its lines carry both names. @param tool as in {@link CallLine} */
  forTool(tool: string, id: string): ToolLog;
  /** Writes what is still in memory. */
  flush(): void;
  close(): Promise<void>;
}

/** What {@link createLog} takes. */
export interface LogOptions {
  /** Absolute; appended to, its directories are made. Absent = nothing is written and pino is never loaded. */
  readonly file?: string | undefined;
  /** Default `info`. */
  readonly level?: LevelWithSilent | undefined;
  /** Applied to every line. */
  readonly masker?: Masker | undefined;
  /** Is told once when the file cannot be written; calls go on without a log. */
  readonly report?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** Lines are gathered to so many bytes, but not longer than a moment: a log that lags is of no use to `tail -f`. */
const BUFFER_BYTES = 4096;
const FLUSH_AFTER_MS = 1000;

const SILENT: ToolLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Opens nothing yet: the file and pino come with the first line. */
export function createLog({ file, level = "info", masker, report }: LogOptions): HostLog {
  if (file === undefined) return { call() {}, forTool: () => SILENT, flush() {}, close: async () => {} };
  let sink: Sink | "failed" | "closed" | undefined;

  const fail = (error: unknown): undefined => {
    if (sink !== "failed") {
      const message = `the log cannot be written: ${error instanceof Error ? error.message : String(error)}`;
      report?.(diagnostic("LOG_UNWRITABLE", { file, message, hint: "Set log.file in usr/settings.yaml." }));
    }
    sink = "failed";
    return undefined;
  };

  const opened = (): Sink | undefined => {
    if (typeof sink === "string") return undefined;
    try {
      sink ??= openSink(file, level, fail);
    } catch (error) {
      return fail(error);
    }
    sink.touch();
    return sink;
  };

  const clean = masker ? (text: string) => masker.mask(text) : undefined;

  return {
    call(line) {
      opened()?.logger.info(clean ? cleanLine(line, clean) : line, "call");
    },
    forTool(tool, id) {
      const write = (at: Level) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
        // Apart from the line's own keys, so that no author's field can pass for one of them.
        const line = { tool, id, ...(fields && { fields: loggable(fields, clean) }) };
        opened()?.logger[at](line, clean ? clean(String(message)) : String(message));
      };
      return { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
    },
    flush() {
      if (typeof sink === "object") sink.flush();
    },
    async close() {
      const open = sink;
      sink = "closed";
      if (typeof open === "object") await open.close();
    },
  };
}

/**
 * Makes lines of JSON, each with its version and its time (ISO 8601, UTC), for a log that keeps them itself.
 * @param take is given each, with its line end
 */
export function createLineWriter(take: (line: string) => void): (line: object) => void {
  const create = createRequire(import.meta.url)("pino") as typeof pino;
  const options = { base: null, timestamp: create.stdTimeFunctions.isoTime, formatters: { level: () => ({ v: 1 }) } };
  const logger = create(options, { write: take });
  return (line) => logger.info(line);
}

/** What a model or a person chose; the rest are words of the host. Ids are kept, or no trace could be joined. */
function cleanLine(line: CallLine, clean: (text: string) => string): CallLine {
  const { requested } = line;
  const cleaned = { ...line, tool: clean(line.tool) };
  return requested === undefined ? cleaned : { ...cleaned, requested: clean(requested) };
}

interface Sink {
  readonly logger: Logger;
  /** Notes that a line comes. */
  touch(): void;
  flush(): void;
  close(): Promise<void>;
}

function openSink(file: string, level: LevelWithSilent, onError: (error: unknown) => void): Sink {
  const create = createRequire(import.meta.url)("pino") as typeof pino;
  const destination = create.destination({ dest: file, sync: true, minLength: BUFFER_BYTES, mkdir: true });
  destination.on("error", onError);
  const logger = create({ level, base: { pid: process.pid } }, destination);
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    try {
      destination.flushSync();
    } catch (error) {
      onError(error);
    }
  };
  const release = atExit(flush);

  return {
    logger,
    touch() {
      timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    },
    flush,
    async close() {
      flush();
      release();
      await new Promise<void>((resolve) => {
        destination.once("close", resolve);
        destination.destroy();
      });
    },
  };
}

/** What an author hands to a logger may be anything; what is not JSON is told in words. */
function loggable(fields: object, clean: ((text: string) => string) | undefined): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const plain = value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;
    const checked = frozenJson(plain, clean);
    const name = clean ? clean(key) : key;
    line[name] = "value" in checked ? checked.value : `not JSON: ${checked.fault.found}`;
  }
  return line;
}
