import { Console } from "node:console";
import { Writable } from "node:stream";

type StreamName = "stdout" | "stderr";

/** Who takes what is printed at this moment; undefined when nobody does and it goes where it always went. */
export type CurrentPrinter = () => ((stream: StreamName, text: string) => void) | undefined;

/**
 * Puts itself between `process.stdout`, `process.stderr`, `console` and their users.
 * @returns a function that takes it out again, except where somebody else has put himself over it since
 */
export function captureOutput(current: CurrentPrinter): () => void {
  const restores = [captureStream("stdout", current), captureStream("stderr", current), captureConsole(current)];
  return () => {
    for (const restore of restores) restore();
  };
}

function captureStream(name: StreamName, current: CurrentPrinter): () => void {
  const stream = process[name];
  const original = stream.write;
  const wasOwn = Object.hasOwn(stream, "write");
  const write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const print = current();
    if (!print) return Reflect.apply(original, stream, [chunk, ...rest]) as boolean;
    const encoding = typeof rest[0] === "string" ? (rest[0] as BufferEncoding) : "utf8";
    print(name, typeof chunk === "string" ? textOf(chunk, encoding) : Buffer.from(chunk).toString("utf8"));
    const done = rest.at(-1);
    if (typeof done === "function") process.nextTick(done as () => void);
    return true;
  };
  stream.write = write as typeof original;
  return () => {
    if (stream.write !== write) return;
    if (wasOwn) stream.write = original;
    else Reflect.deleteProperty(stream, "write");
  };
}

/** A string that stands for bytes is shown as the text that these bytes are. */
function textOf(chunk: string, encoding: BufferEncoding): string {
  return encoding === "hex" || encoding === "base64" ? Buffer.from(chunk, encoding).toString("utf8") : chunk;
}

/** The console is taken as well: where it was replaced (a test runner does) it does not end in the process's streams. */
function captureConsole(current: CurrentPrinter): () => void {
  const sink = (name: StreamName) =>
    new Writable({
      decodeStrings: false,
      write(chunk: string, _encoding, done) {
        current()?.(name, chunk);
        done();
      },
    });
  const capturing = new Console({ stdout: sink("stdout"), stderr: sink("stderr") });
  const methods = console as unknown as Record<string, unknown>;
  const originals = new Map<string, [original: unknown, mine: unknown]>();
  for (const [name, own] of Object.entries(capturing) as [string, unknown][]) {
    const original = methods[name];
    if (typeof own !== "function" || typeof original !== "function") continue;
    const mine = (...args: unknown[]): unknown => Reflect.apply(current() ? own : original, console, args);
    methods[name] = mine;
    originals.set(name, [original, mine]);
  }
  return () => {
    for (const [name, [original, mine]] of originals) if (methods[name] === mine) methods[name] = original;
  };
}
