import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

/** Ctrl-C at the prompt throws away what was typed, and ends the chat where nothing was. */
export function leave(lines: Interface): void {
  if (lines.line === "") lines.close();
  else clear(lines);
}

/** Throws away what was typed. */
export function clear(lines: Interface): void {
  lines.write(null, { ctrl: true, name: "e" });
  lines.write(null, { ctrl: true, name: "u" });
}

/** Takes the prompt and what was typed off the screen; the line itself stays. */
export function erase(lines: Interface, output: Writable): void {
  moveCursor(output, 0, -lines.getCursorPos().rows);
  cursorTo(output, 0);
  clearScreenDown(output);
}

/** Where readline writes: the terminal, past whoever captures what tools print there. */
export function createEcho(terminal: Terminal, shown: (text: string) => string): { output: Writable; close(): void } {
  const { stdout } = terminal;
  const output = new Writable({
    write(piece, _, done) {
      const text = shown(String(piece));
      if (text !== "") terminal.stream(text);
      done();
    },
  });
  const size = (key: "columns" | "rows") => ({ get: () => stdout[key] });
  Object.defineProperties(output, { isTTY: { value: true }, columns: size("columns"), rows: size("rows") });
  const resized = (): void => void output.emit("resize");
  stdout.on("resize", resized);
  return { output, close: () => void stdout.off("resize", resized) };
}
