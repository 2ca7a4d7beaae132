import { createInterface } from "node:readline";
import { clear, createEcho, erase, leave } from "./prompt-line.ts";
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
  /**
   * Asks something at the terminal, whatever goes on there: what a turn writes and what was being typed waits. What is
   * typed goes to `read`, which gives undefined at the end of the input and when `signal` fires.
   */
  question<T>(signal: AbortSignal, work: (read: () => Promise<string | undefined>) => Promise<T>): Promise<T>;
  /** Writes something while nobody may have asked for it: over the prompt, which comes back below with what was typed. */
  aside(write: () => void): void;
  close(): void;
}

const PROMPT = "> ";
/** Of a question. */
const QUESTION = "? ";
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
  let isAsking = false;
  let answer: ((line: string | undefined) => void) | undefined;
  let isOpen = true;

  const echo = createEcho(terminal, (text) => {
    // The first key of a line that is typed while a turn runs; Enter alone is none.
    if (!keys || isTyping || isAsking) return text;
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
  const giveAnswer = (line: string | undefined): void => {
    const take = answer;
    answer = undefined;
    take?.(line);
  };
  lines.on("line", (line) => {
    if (isAsking) return giveAnswer(line);
    type(false);
    if (!interactive || !keys || line.trim() === "" || !keys.line(line)) give(line);
  });
  lines.on("close", () => {
    isOpen = false;
    giveAnswer(undefined);
    type(false);
    give(undefined);
  });
  // A terminal in raw mode gives Ctrl-C as a key, which readline tells; it then sends no signal.
  lines.on("SIGINT", () => {
    if (keys) keys.interrupt();
    else if (isAsking) giveAnswer("no");
    else leave(lines);
  });
  const pressed = (_: unknown, key: { readonly name?: string } | undefined): void => {
    if (!keys || isAsking) return;
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
        if (interactive && !isAsking) lines.prompt(true);
      });
    },
    async question(signal, work) {
      const typed = lines.line;
      const asked = keys;
      if (typed !== "") clear(lines);
      if (isTyping || waiting) erase(lines, echo.output);
      isTyping = false;
      isAsking = true;
      asked?.typing(true);
      const withdraw = (): void => giveAnswer(undefined);
      signal.addEventListener("abort", withdraw);
      lines.setPrompt(QUESTION);
      try {
        return await work(
          () =>
            new Promise((resolve) => {
              if (!isOpen || signal.aborted) return resolve(undefined);
              answer = resolve;
              lines.prompt();
            }),
        );
      } finally {
        signal.removeEventListener("abort", withdraw);
        if (isOpen && signal.aborted) {
          clear(lines);
          erase(lines, echo.output);
          terminal.note("The question is withdrawn.");
        }
        lines.setPrompt(PROMPT);
        isAsking = false;
        asked?.typing(false);
        if (isOpen && waiting) lines.prompt();
        if (isOpen && typed !== "") lines.write(typed);
      }
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
      const isPrompting = interactive && isOpen && (waiting ?? answer) !== undefined;
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
