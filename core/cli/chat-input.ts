import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from "node:readline";
import { Writable } from "node:stream";
import type { Terminal } from "./terminal.ts";

/** What a person does while a turn runs. */
export interface TurnKeys {
  /** A line was typed. @returns false where nobody takes it any more: it then waits for {@link ChatInput.next} */
  line(text: string): boolean;
  /** Esc. */
  escape(): void;
  /** Ctrl-C, where the terminal gives it as a key. */
  interrupt(): void;
  /** Somebody began to type, or no longer does: what the turn writes would run into his line. */
  typing(active: boolean): void;
}

/** The lines of a chat, or of another command that is talked to: from a person at a terminal, or from a pipe. */
export interface ChatInput {
  /** A person sits at a terminal. */
  readonly interactive: boolean;
  /** The next line; undefined when there are no more. At a terminal it is asked for with a prompt. */
  next(): Promise<string | undefined>;
  /**
   * Does some work. At a terminal what is typed meanwhile goes to `keys`; lines of a pipe are messages of their own,
   * and wait.
   */
  during<T>(keys: TurnKeys, work: () => Promise<T>): Promise<T>;
  /** Writes something while nobody may have asked for it: over the prompt, which comes back below with what was typed. */
  aside(write: () => void): void;
  close(): void;
}

const PROMPT = "> ";
/** A lone Esc is told from the beginning of an arrow key by so long a silence. */
const ESCAPE_MS = 100;

/** Opens the input of a chat. In a plain pipe nothing is written by it. */
export function openChatInput(terminal: Terminal): ChatInput {
  const { stdin, stdout } = terminal;
  const interactive = stdin.isTTY === true && stdout.isTTY === true;
  const queue: string[] = [];
  let waiting: ((line: string | undefined) => void) | undefined;
  let keys: TurnKeys | undefined;
  let isTyping = false;
  let isOpen = true;

  const echo = createEcho(terminal, (text) => {
    // The first key of a line that is typed while a turn runs; Enter alone is none.
    if (!keys || isTyping) return text;
    if (/^[\r\n]*$/u.test(text)) return "";
    type(true);
    return `${PROMPT}${text}`;
  });
  const lines = createInterface({
    input: stdin,
    ...(interactive ? { output: echo.output, terminal: true, prompt: PROMPT } : { terminal: false }),
    escapeCodeTimeout: ESCAPE_MS,
  });
  const type = (active: boolean): void => {
    if (isTyping === active) return;
    isTyping = active;
    keys?.typing(active);
  };
  const give = (line: string | undefined): void => {
    const take = waiting;
    waiting = undefined;
    if (take) take(line);
    else if (line !== undefined) queue.push(line);
  };
  lines.on("line", (line) => {
    type(false);
    if (!interactive || !keys || line.trim() === "" || !keys.line(line)) give(line);
  });
  lines.on("close", () => {
    isOpen = false;
    type(false);
    give(undefined);
  });
  // A terminal in raw mode gives Ctrl-C as a key, which readline tells; it then sends no signal.
  lines.on("SIGINT", () => (keys ? keys.interrupt() : leave(lines)));
  const pressed = (_: unknown, key: { readonly name?: string } | undefined): void => {
    if (!keys) return;
    if (key?.name === "escape") keys.escape();
    // Everything was deleted again.
    if (isTyping && lines.line === "") {
      erase(lines, echo.output);
      type(false);
    }
  };
  if (interactive) stdin.on("keypress", pressed);

  return {
    interactive,
    async next() {
      const [line] = queue.splice(0, 1);
      if (line !== undefined) return line;
      if (!isOpen) return undefined;
      return await new Promise((resolve) => {
        waiting = resolve;
        // What was being typed when the turn ended is still there.
        if (interactive) lines.prompt(true);
      });
    },
    async during(turnKeys, work) {
      keys = turnKeys;
      try {
        return await work();
      } finally {
        if (isTyping) erase(lines, echo.output);
        type(false);
        keys = undefined;
      }
    },
    aside(write) {
      const isPrompting = interactive && isOpen && waiting !== undefined;
      if (isPrompting) erase(lines, echo.output);
      write();
      if (isPrompting) lines.prompt(true);
    },
    close() {
      stdin.off("keypress", pressed);
      // The prompt is still there when Ctrl-D or Ctrl-C ended the chat.
      if (interactive && !isOpen) terminal.say("");
      lines.close();
      echo.close();
    },
  };
}

/** Ctrl-C at the prompt throws away what was typed, and ends the chat where nothing was. */
function leave(lines: Interface): void {
  if (lines.line === "") lines.close();
  else {
    lines.write(null, { ctrl: true, name: "e" });
    lines.write(null, { ctrl: true, name: "u" });
  }
}

/** Takes the prompt and what was typed off the screen; the line itself stays. */
function erase(lines: Interface, output: Writable): void {
  moveCursor(output, 0, -lines.getCursorPos().rows);
  cursorTo(output, 0);
  clearScreenDown(output);
}

/** Where readline writes: the terminal, past whoever captures what tools print there. */
function createEcho(terminal: Terminal, shown: (text: string) => string): { output: Writable; close(): void } {
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
