import { PassThrough } from "node:stream";
import { main } from "../../core/cli/command-line.ts";
import { bareEnvironment, trusting } from "./cli.ts";

/** A command line in this process that believes it sits at a terminal. */
export interface Sitting {
  /** Sends keys; `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D. */
  type(keys: string): void;
  /** Resolves when `pattern` is on the screen below what was seen before, and rejects when the command ends without it. */
  shows(pattern: RegExp): Promise<void>;
  /** The exit code. */
  readonly code: Promise<number>;
  /** Everything that was written, both streams in their order. */
  screen(): string;
}

/** Starts `argv` with streams that say that they are a terminal. */
export function sitDown(
  argv: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Readonly<Record<string, string>> },
): Sitting {
  const written: string[] = [];
  const waiting = new Set<() => void>();
  const keys = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => keys });
  let ended = false;
  let seen = 0;
  const changed = (): void => {
    for (const check of waiting) check();
  };
  const output = () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
    stream.on("data", (piece: Buffer) => {
      written.push(piece.toString());
      changed();
    });
    return stream as unknown as NodeJS.WriteStream;
  };
  const streams = {
    stdin: keys as unknown as NodeJS.ReadStream,
    stdout: output(),
    stderr: output(),
    env: bareEnvironment(env),
    cwd: () => cwd,
  };
  const code = main(trusting(argv), streams).finally(() => {
    ended = true;
    changed();
  });
  return {
    type: (text) => void keys.write(text),
    code,
    screen: () => written.join(""),
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const text = written.join("").slice(seen);
          const found = pattern.exec(text);
          if (!found && !ended) return;
          waiting.delete(check);
          seen += found ? found.index + found[0].length : 0;
          if (found) resolve();
          else reject(new Error(`the command ended without ${pattern}; it wrote:\n${text}`));
        };
        waiting.add(check);
        check();
      }),
  };
}
