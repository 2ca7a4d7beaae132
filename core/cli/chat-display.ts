import type { Compaction } from "../agent/compaction.ts";
import type { AgentUsage } from "../host/agent-memory.ts";
import type { Host } from "../host.ts";
import { colorsFor } from "./colors.ts";
import { createMarkdownStream } from "./markdown.ts";
import type { Terminal } from "./terminal.ts";

/** How much of a call's arguments and of its progress is shown. */
const MAX_SHOWN = 160;

/** What is on the screen of a chat while turns run. */
export interface ChatDisplay {
  /** A turn begins: the next one that the host tells of is the one that is shown. */
  begin(): void;
  /** The answer of a turn, unless its words were streamed already. */
  answer(text: string): void;
  /** What the conversation has used until now. */
  usage(usage: AgentUsage): void;
  /** Something that is no answer, on a line of its own. */
  note(text: string): void;
  /** As {@link note}, marked as unimportant; words that are being streamed are not cut by it. */
  remark(text: string): void;
  /** While this is on, what comes is kept for later. */
  hold(active: boolean): void;
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
  const markdown = createMarkdownStream(colorsFor(terminal.stdout, terminal.env));
  let turn: string | undefined;
  let streamed = "";
  let isMidLine = false;
  let held: (() => void)[] | undefined;
  const remarks: string[] = [];

  const write = (words: string): void => {
    if (words === "") return;
    isMidLine = !words.endsWith("\n");
    terminal.stream(words);
  };
  /** Ends the text, and the line, that streaming has begun. */
  const settle = (): void => {
    write(markdown.end());
    if (isMidLine) write("\n");
    streamed = "";
    for (const text of remarks.splice(0)) terminal.note(terminal.colors.dim(`  ${text}`));
  };
  const out = (work: () => void): void => {
    if (held) held.push(work);
    else work();
  };
  const note = (text: string): void =>
    out(() => {
      settle();
      terminal.note(text);
    });
  const aside = (turnId: string, text: string): void =>
    note(terminal.colors.dim(`${turnId === turn ? "  " : "    "}${text}`));
  const { on } = host;
  const offs = [
    on("turn_start", ({ turnId, agent, message }) => {
      turn ??= turnId;
      if (agent) aside(turnId, `⇢ ${agent.id} (${agent.profile}) ${shorten(message)}`);
    }),
    on("turn_end", ({ turnId, agent, error }) => {
      if (agent) aside(turnId, `⇠ ${agent.id} ${error === undefined ? "answered" : shorten(error)}`);
    }),
    on("reply_start", ({ turnId }) => {
      if (turnId === turn) out(settle);
    }),
    on("text_delta", ({ turnId, text }) => {
      // What subordinates say is for their superior.
      if (turnId !== turn || !shown.streams()) return;
      out(() => {
        const words = printable(text);
        streamed += words;
        write(markdown.push(words));
      });
    }),
    on("tool_start", ({ turnId, name, method, args }) => {
      if (shown.answers(name)) return;
      aside(turnId, `→ ${method === undefined ? name : `${name}:${method}`} ${shorten(JSON.stringify(args))}`);
    }),
    on("tool_progress", ({ turnId, name, text }) => aside(turnId, `… ${name}: ${shorten(text)}`)),
    on("tool_end", ({ turnId, name, status, durationMs, result }) => {
      if (shown.answers(name) && status !== "error") return;
      const code = result.error ? ` ${result.error.code}` : "";
      aside(turnId, `← ${name} ${status}${code}, ${duration(durationMs)}`);
    }),
    on("warning", ({ turnId, message }) => aside(turnId, `! ${shorten(message)}`)),
    on("compaction", ({ turnId, ...made }) => aside(turnId, `~ ${compactionText(made)}`)),
    on("pause", ({ turnId, paused }) =>
      aside(turnId, paused ? "‖ paused at the next step; Esc goes on, and so does a message" : "‖ goes on"),
    ),
  ];

  return {
    begin() {
      turn = undefined;
    },
    answer: (text) =>
      out(() => {
        const words = printable(text);
        const isStreamed = streamed.trim() !== "" && streamed.trim() === words.trim();
        settle();
        if (!isStreamed) terminal.say(`${markdown.push(words)}${markdown.end()}`);
      }),
    usage({ inputTokens, outputTokens, contextFill, actionsLeft }) {
      const counted =
        inputTokens + outputTokens > 0 ? `${count(inputTokens)} tokens in, ${count(outputTokens)} out; ` : "";
      const left = actionsLeft === null ? "" : `; calls left: ${count(actionsLeft)}`;
      note(terminal.colors.dim(`  ${counted}context ${Math.round(contextFill * 100)} % full${left}`));
    },
    note,
    remark: (text) =>
      out(() => {
        remarks.push(text);
        if (streamed === "") settle();
      }),
    hold(active) {
      if (active) {
        // The text goes on later, on another line.
        if (isMidLine) write("\n");
        held ??= [];
        return;
      }
      const works = held ?? [];
      held = undefined;
      for (const work of works) work();
    },
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

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Without control characters: what a model writes may move no cursor and recolour no screen. */
function printable(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu, "");
}

function shorten(text: string): string {
  const line = printable(text).replace(/\s+/gu, " ");
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}
