import { type Diagnostic, formatDiagnostic } from "../diagnostics.ts";
import { type Colors, colorsFor } from "./colors.ts";
import { usageError } from "./usage.ts";

/** Where a command reads and writes. `process` is one. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** @throws when the current directory is gone */
  cwd(): string;
}

/** What commands write with. With `--json`, stdout holds one JSON value and nothing else; `say` then goes to stderr. */
export interface Terminal extends Streams {
  readonly json: boolean;
  /** Text for people: stdout, or stderr with `--json`. A line break is added. */
  say(text: string): void;
  /** As {@link Terminal.say}, without the line break. */
  stream(text: string): void;
  /** Text for people that is no answer: progress, prompts, diagnostics; always stderr. */
  note(text: string): void;
  /** For what is written with {@link Terminal.note}. */
  readonly colors: Colors;
  /** The one JSON value of the command, called once: indented on a terminal, on one line for a program. */
  value(value: unknown): void;
  /** The same for a value whose JSON is known. */
  text(json: Uint8Array): void;
  /** One of many JSON values on stdout, on a line of its own. */
  line(value: unknown): void;
  /** Diagnostics for people, on stderr: `info` is left out, and each is told once. */
  report(diagnostics: readonly Diagnostic[]): void;
}

/** @throws HostError USAGE (usage) */
function currentDirectory(streams: Streams): string {
  try {
    return streams.cwd();
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw usageError(`the current directory is gone (${why}); change into one that exists`);
  }
}

/** Wraps the streams of a process for one command. A reader that went away (EPIPE) ends the writing quietly. */
export function openTerminal(streams: Streams, json: boolean): Terminal {
  // The streams' own methods are taken now: later the process guard stands in front of them, and what a command
  // shows while a tool runs must not count as that tool's output.
  const writers = new Map([streams.stdout, streams.stderr].map((stream) => [stream, stream.write.bind(stream)]));
  const write = (stream: NodeJS.WriteStream, text: string | Uint8Array): void => {
    if (!stream.destroyed && stream.writable) writers.get(stream)?.(text);
  };
  for (const stream of [streams.stdout, streams.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
  const value = (json: unknown): void =>
    write(streams.stdout, `${JSON.stringify(json, null, streams.stdout.isTTY ? 2 : undefined)}\n`);
  const answers = json ? streams.stderr : streams.stdout;
  const told = new Set<string>();
  const colors = colorsFor(streams.stderr, streams.env);
  return {
    stdin: streams.stdin,
    stdout: streams.stdout,
    stderr: streams.stderr,
    env: streams.env,
    cwd: () => currentDirectory(streams),
    json,
    colors,
    say: (text) => write(answers, `${text}\n`),
    stream: (text) => write(answers, text),
    note: (text) => write(streams.stderr, `${text}\n`),
    value,
    text(json) {
      if (streams.stdout.isTTY) value(JSON.parse(Buffer.from(json).toString("utf8")));
      else for (const part of [json, "\n"]) write(streams.stdout, part);
    },
    line: (value) => write(streams.stdout, `${JSON.stringify(value)}\n`),
    report(diagnostics) {
      for (const item of diagnostics) {
        const line = formatDiagnostic(item);
        if (item.severity === "info" || told.has(line)) continue;
        told.add(line);
        const mark = item.severity === "error" ? colors.red : colors.yellow;
        write(streams.stderr, `${line.replace(`${item.severity} ${item.code}`, mark)}\n`);
      }
    },
  };
}
