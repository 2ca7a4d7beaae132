import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Duplex, Readable } from "node:stream";
import type { Masker } from "../governance/mask.ts";
import { endGroup, killGroup } from "./group.ts";
import { createOutput, type Output, type OverflowFile } from "./output.ts";
import { closePipes, type StreamPipes } from "./pipes.ts";

/** One of the two streams of a process. */
export type StreamName = "stdout" | "stderr";

/** What is started. All paths are absolute. */
export interface ChildOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of the host. */
  readonly masker: Masker;
  /** Somebody may type. Default: it reads nothing from its standard input. */
  readonly hasKeyboard?: boolean | undefined;
  /** It is sent messages by descriptor 3, each ended by a NUL, and answers by descriptor 4. */
  readonly hasControl?: boolean | undefined;
  /** What it can read from the descriptors behind those, one after the other. */
  readonly data?: readonly string[] | undefined;
  /** What its output goes through. Absent: sockets. */
  readonly pipes?: StreamPipes | undefined;
  /** See `EndingGroup`. */
  readonly holder?: string | undefined;
  /** A file for what is more than is kept of a stream. */
  overflow(stream: StreamName): OverflowFile | undefined;
  /** Told what came, masked, whenever something did. */
  readonly onOutput?: ((text: string) => void) | undefined;
  /** Told of each answer on descriptor 4. */
  readonly onReply?: (() => void) | undefined;
}

/** How a process ended. */
export interface ChildEnd {
  /** By custom 128 and the signal's number where a signal ended it; null where it did not start. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What the system said where it could not be started. */
  readonly failure?: NodeJS.ErrnoException;
}

/** A process that was started, with all that it starts. */
export interface Child {
  readonly stdout: Output;
  readonly stderr: Output;
  /** Resolves when it has ended, its output is read, and nothing of its group is left. Never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** What it answered on descriptor 4. */
  readonly replies: readonly string[];
  /** Ends it and its group; see {@link ended}. */
  end(): void;
  /** Kills it and its group, now. */
  kill(): void;
  type(text: string): void;
  send(message: string): void;
}

/** The first descriptor of {@link ChildOptions.data}. */
export function firstDataDescriptor({ hasControl = false }: Pick<ChildOptions, "hasControl">): number {
  return hasControl ? 5 : 3;
}

/** Something may write without an end. */
const MOST_LOOKS = 1_000;

/** How long something that outlives the process may go on to write before it is ended, too. */
const DRAIN_MS = 250;

/**
 * Starts a process in a session and a group of its own, without a terminal. When it has ended, what is left of its group is
 * ended as well.
 */
export function startChild(options: ChildOptions): Child {
  const { masker, overflow, hasControl = false, hasKeyboard = false, data = [], holder } = options;
  const output = (stream: StreamName): Output =>
    createOutput({ mask: masker.stream(), overflow: () => overflow(stream) });
  const streams = { stdout: output("stdout"), stderr: output("stderr") };
  const replies: string[] = [];
  let pieces = 0;
  const more = Array.from({ length: data.length + (hasControl ? 2 : 0) }, () => "pipe" as const);
  const process = spawnWith(options, [hasKeyboard ? "pipe" : "ignore", ...outputs(options.pipes), ...more]);
  const readers = readersOf(process, options.pipes);
  const { pid } = process;
  const drained = (["stdout", "stderr"] as const).map((name) =>
    readAll(readers[name], (chunk) => {
      pieces++;
      const shown = streams[name].push(chunk);
      if (shown !== "") options.onOutput?.(shown);
    }),
  );
  process.stdin?.on("error", ignoreClosed);
  for (const [index, text] of data.entries()) give(process, firstDataDescriptor(options) + index, text);
  if (hasControl) {
    listen(process, (answers) =>
      whenQuiet(
        () => pieces,
        () => {
          replies.push(...answers);
          options.onReply?.();
        },
      ),
    );
  }

  const finish = async (): Promise<void> => {
    const read = Promise.all(drained);
    if (pid !== undefined) {
      const drain = timeLimit(DRAIN_MS);
      await Promise.race([read, drain.over]);
      drain.clear();
      await endGroup({ id: pid, holder });
    }
    // A loop that was busy may not have looked at what lies ready. What left the group, and holds the streams, is not waited for.
    await Promise.race([read, new Promise<void>((resolve) => whenQuiet(() => pieces, resolve))]);
    for (const stream of [...process.stdio, ...Object.values(readers)]) (stream as Duplex | null)?.destroy();
    await read;
    for (const stream of Object.values(streams)) {
      const shown = stream.end();
      if (shown !== "") options.onOutput?.(shown);
    }
  };
  const exited = new Promise<ChildEnd>((resolve) => {
    process.once("error", (failure) => {
      if (pid === undefined) resolve({ exitCode: null, signal: null, failure });
    });
    process.once("exit", (code, signal) => resolve(endOf(code, signal, holder !== undefined)));
  });
  return {
    ...streams,
    replies,
    ended: exited.then(async (end) => {
      await finish();
      return end;
    }),
    end() {
      if (pid !== undefined) void endGroup({ id: pid, holder });
    },
    kill: () => pid !== undefined && killGroup(pid),
    type: (text) => void process.stdin?.write(text),
    send: (message) => void (process.stdio[3] as Duplex).write(`${message}\0`),
  };
}

type Stdio = "pipe" | "ignore" | number;

function outputs(pipes: StreamPipes | undefined): readonly Stdio[] {
  return pipes ? [pipes.stdout.writeEnd, pipes.stderr.writeEnd] : ["pipe", "pipe"];
}

/** @throws what `spawn` throws of arguments that the system does not take */
function spawnWith({ file, args, cwd, env, pipes }: ChildOptions, stdio: readonly Stdio[]): ChildProcess {
  try {
    return spawn(file, [...args], { cwd, env, detached: true, stdio: [...stdio] });
  } catch (error) {
    if (pipes) closePipes(pipes);
    throw error;
  }
}

/** The process alone has the other ends from now on, so that they end with it. */
function readersOf(process: ChildProcess, pipes: StreamPipes | undefined): Readonly<Record<StreamName, Readable>> {
  if (!pipes) return { stdout: process.stdout as Readable, stderr: process.stderr as Readable };
  const reader = ({ readEnd, writeEnd }: StreamPipes["stdout"]): Readable => {
    closeSync(writeEnd);
    return new Socket({ fd: readEnd, readable: true, writable: false });
  };
  return { stdout: reader(pipes.stdout), stderr: reader(pipes.stderr) };
}

/** Resolves when the stream has ended, however that comes. */
function readAll(stream: Readable, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.on("data", take).once("close", () => resolve());
    stream.on("error", () => stream.destroy());
  });
}

function give(process: ChildProcess, descriptor: number, text: string): void {
  const stream = process.stdio[descriptor] as Duplex;
  stream.on("error", ignoreClosed);
  stream.end(text);
}

function listen(process: ChildProcess, take: (answers: readonly string[]) => void): void {
  let begun = "";
  (process.stdio[3] as Duplex).on("error", ignoreClosed);
  const answers = process.stdio[4] as Duplex;
  answers.on("error", ignoreClosed);
  answers.setEncoding("utf8").on("data", (text: string) => {
    const whole = (begun + text).split("\0");
    begun = whole.pop() ?? "";
    if (whole.length > 0) take(whole);
  });
}

/**
 * What was written before an answer is read before it is told: it lies ready by then, so it comes with the next look at all
 * that is ready.
 */
function whenQuiet(pieces: () => number, tell: () => void, looks = MOST_LOOKS): void {
  const seen = pieces();
  setImmediate(() =>
    setImmediate(() => {
      if (pieces() === seen || looks === 0) tell();
      else whenQuiet(pieces, tell, looks - 1);
    }),
  );
}

/** Whoever does not read what he is given has ended, which is told elsewhere. */
function ignoreClosed(): void {}

/** @param isHeld who holds it tells the end by signal as a shell does */
function endOf(code: number | null, signal: NodeJS.Signals | null, isHeld: boolean): ChildEnd {
  if (signal) return { exitCode: 128 + constants.signals[signal], signal };
  const name = isHeld && code !== null && code > 128 ? signalNamed(code - 128) : undefined;
  return { exitCode: code, signal: name ?? null };
}

function signalNamed(number: number): NodeJS.Signals | undefined {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] as NodeJS.Signals | undefined;
}

function timeLimit(ms: number): { readonly over: Promise<void>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return { over, clear: () => clearTimeout(timer) };
}
