import type { Compaction } from "../agent/compaction.ts";
import type { AgentUsage } from "../host/agent-memory.ts";
import type { Host } from "../host.ts";
import type { Terminal } from "./terminal.ts";

/** How much of a call's arguments and of its progress is shown. */
const MAX_SHOWN = 160;

/** What is on the screen of a chat while turns run. */
export interface ChatDisplay {
  /** The answer of a turn, unless its words were streamed already. */
  answer(text: string): void;
  /** What the conversation has used until now. */
  usage(usage: AgentUsage): void;
  /** Ends a line that streaming has begun, before something else is written. */
  settle(): void;
  close(): void;
}

/** What a turn's display depends on. */
export interface Shown {
  /** Whether text of the model is words; by the JSON protocol it is a request, and is not shown. */
  streams(): boolean;
  /** Whether a tool only says the answer, which is shown anyway. */
  answers(tool: string): boolean;
}

/** Shows a host's turns as they run: the model's words, the calls of tools, warnings. */
export function openChatDisplay(host: Host, terminal: Terminal, shown: Shown): ChatDisplay {
  let streamed = "";

  const settle = (): void => {
    if (streamed !== "" && !streamed.endsWith("\n")) terminal.stream("\n");
    streamed = "";
  };
  const note = (text: string): void => {
    settle();
    terminal.note(terminal.colors.dim(text));
  };
  const offs = [
    host.on("text_delta", ({ text }) => {
      if (!shown.streams()) return;
      const words = printable(text);
      streamed += words;
      terminal.stream(words);
    }),
    host.on("tool_start", ({ name, method, args }) => {
      if (shown.answers(name)) return;
      note(`  → ${method === undefined ? name : `${name}:${method}`} ${shorten(JSON.stringify(args))}`);
    }),
    host.on("tool_progress", ({ name, text }) => note(`  … ${name}: ${shorten(text)}`)),
    host.on("tool_end", ({ name, status, durationMs }) => {
      if (shown.answers(name) && status !== "error") return;
      note(`  ← ${name} ${status}, ${durationMs} ms`);
    }),
    host.on("warning", ({ message }) => note(`  ! ${shorten(message)}`)),
    host.on("compaction", (made) => note(`  ~ ${compactionText(made)}`)),
  ];

  return {
    answer(text) {
      const words = printable(text);
      const isStreamed = streamed !== "" && streamed.trim() === words.trim();
      settle();
      if (!isStreamed) terminal.say(words);
    },
    usage({ inputTokens, outputTokens, contextFill }) {
      const counted =
        inputTokens + outputTokens > 0 ? `${count(inputTokens)} tokens in, ${count(outputTokens)} out; ` : "";
      note(`  ${counted}context ${Math.round(contextFill * 100)} % full`);
    },
    settle,
    close() {
      for (const off of offs) off();
    },
  };
}

/** A compaction in one line. */
export function compactionText(made: Pick<Compaction, "by" | "tokensBefore" | "tokensAfter">): string {
  const by = made.by === "model" ? "the model" : "rule";
  return `old turns were summarised by ${by}: some ${count(made.tokensBefore)} tokens became ${count(made.tokensAfter)}`;
}

function count(number: number): string {
  return number.toLocaleString("en");
}

/** Without control characters: what a model writes may move no cursor and recolour no screen. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "");
}

function shorten(text: string): string {
  const line = printable(text).replace(/\s+/gu, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
