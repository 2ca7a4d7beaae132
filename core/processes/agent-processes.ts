import { throwIfAborted } from "../governance/file-errors.ts";
import { ToolError } from "../sdk/errors.ts";
import type { ProcessRead, ProcessState, ToolProcesses } from "../sdk/processes.ts";
import type { Workspace } from "../sdk/workspace.ts";
import type { ChildEnd, StreamName } from "./child.ts";
import { endingOf, unlessAborted } from "./endings.ts";
import type { Launched, LaunchOptions } from "./launch.ts";
import { createLiveTail } from "./live-tail.ts";
import type { OverflowFile } from "./output.ts";
import type { ProcessTerms } from "./terms.ts";

/** The call that runs processes. */
export interface ProcessCall {
  readonly id: string;
  /** The tool's id. */
  readonly tool: string;
  readonly signal: AbortSignal;
  readonly workspace: Workspace;
  terms(): ProcessTerms;
  /** A file for an output that is too long to be kept. @param name without path */
  overflow(name: string): OverflowFile | undefined;
}

/** The processes of one agent. */
export interface AgentProcesses {
  serve(call: ProcessCall): ToolProcesses;
  /** Ends those that nobody waits for. @returns whether any ran */
  stop(): boolean;
  /** Ends them, for good. */
  close(): void;
}

/** So many that nobody waits for may run at a time. */
const MAX_RUNNING = 16;
/** So many that have ended are remembered. */
const MAX_ENDED = 20;
const DEFAULT_TIMEOUT_MS = 60_000;
const ID = /^[a-z][a-z0-9-]{0,40}$/u;

interface Entry extends Omit<ProcessState, "state" | "exitCode" | "signal" | "sent" | "replies"> {
  readonly launched: Launched;
  readonly takesKeyboard: boolean;
  readonly takesMessages: boolean;
  sent: number;
  end: (Pick<ChildEnd, "signal"> & { readonly exitCode: number; readonly last: ProcessRead }) | undefined;
  /** Told when something comes. */
  readonly waiting: Set<() => void>;
}

/** @param launch starts a process, which the host then ends with itself */
export function createAgentProcesses(launch: (options: LaunchOptions) => Promise<Launched>): AgentProcesses {
  const entries = new Map<string, Entry>();
  let started = 0;
  let beginning = 0;
  let isClosed = false;

  const running = (): readonly Entry[] => [...entries.values()].filter(({ end }) => !end);
  const find = (id: string): Entry => {
    const entry = entries.get(id);
    if (entry) return entry;
    const known = [...entries.keys()];
    const message = `there is no process ${JSON.stringify(id)} of this agent; known: ${known.join(", ") || "none"}`;
    const hint = known.length > 0 ? "Name one of these." : "Processes end with the agent. Start one first.";
    throw new ToolError("NOT_FOUND", message, { hint, data: { known } });
  };
  const listening = (id: string, takes: "takesKeyboard" | "takesMessages"): Entry => {
    const entry = find(id);
    if (!entry.end && entry[takes]) return entry;
    throw new ToolError("CONFLICT", `the process ${id} ${entry.end ? "has ended" : "takes nothing"}`, {
      hint: entry.end ? "Start it again." : "Use one that takes it.",
    });
  };
  const take = (entry: Entry): ProcessRead => {
    if (!entry.end) {
      const { stdout, stderr } = entry.launched.child;
      return { ...stateOf(entry), stdout: stdout.take(), stderr: stderr.take() };
    }
    const { last } = entry.end;
    entry.end = { ...entry.end, last: { ...last, stdout: NOTHING, stderr: NOTHING } };
    return { ...last, ...stateOf(entry) };
  };
  const hasNews = ({ end, launched: { child } }: Entry, replies: number): boolean =>
    end !== undefined || child.stdout.isNew || child.stderr.isNew || child.replies.length > replies;
  const forget = (): void => {
    const ended = [...entries.values()].filter(({ end }) => end);
    for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) entries.delete(id);
  };
  const stop = (): boolean => {
    const all = running();
    for (const { launched } of all) launched.child.end();
    return all.length > 0;
  };
  const requireRoom = (id: string): void => {
    if (isClosed) throw new ToolError("STOPPED", "the agent was closed");
    if (!ID.test(id))
      throw new ToolError("INVALID_PARAM", `expected an id such as session-1, found ${JSON.stringify(id)}`);
    const other = entries.get(id);
    if (other && !other.end) {
      throw new ToolError("CONFLICT", `a process ${id} runs already`, { hint: "Stop it first, or use another id." });
    }
    if (running().length + beginning < MAX_RUNNING) return;
    const message = `expected at most ${MAX_RUNNING} processes at a time, found as many: ${running()
      .map((one) => one.id)
      .join(", ")}`;
    throw new ToolError("RATE_LIMITED", message, { hint: "Stop some first." });
  };

  const serve: AgentProcesses["serve"] = (call) => ({
    async run(command, { cwd = ".", timeoutMs = DEFAULT_TIMEOUT_MS, onProgress } = {}) {
      const { signal } = call;
      const tail = createLiveTail(onProgress);
      const launched = await launch({
        ...{ command, cwd, workspace: call.workspace, terms: call.terms(), signal },
        overflow: overflowOf(call, call.id),
        onOutput: tail.push,
      });
      const { child } = launched;
      let timedOut = false;
      const timer = setTimeout(() => {
        timedOut = true;
        child.end();
      }, timeoutMs);
      const stop = (): void => {
        // Whoever asked hears no more of it.
        tail.stop();
        child.end();
      };
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        const end = await child.ended;
        throwIfAborted(signal);
        return { ...endingOf(launched, end), timedOut, cwd: launched.cwd, sandbox: launched.sandbox };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        tail.close();
      }
    },
    async start(command, { id = `process-${++started}`, title, cwd = ".", keyboard = false, control = false }) {
      requireRoom(id);
      beginning++;
      try {
        const waiting = new Set<() => void>();
        const tell = (): void => {
          for (const wake of waiting) wake();
        };
        const launched = await launch({
          ...{ command, cwd, workspace: call.workspace, terms: call.terms(), signal: call.signal },
          ...{ hasKeyboard: keyboard, hasControl: control, onOutput: tell, onReply: tell },
          overflow: overflowOf(call, id),
        });
        const { sandbox, child } = launched;
        const entry: Entry = {
          ...{ id, title, tool: call.tool, sandbox, launched, waiting, sent: 0, end: undefined },
          ...{ takesKeyboard: keyboard, takesMessages: control },
        };
        entries.delete(id);
        entries.set(id, entry);
        void child.ended.then((end) => {
          entry.end = endedEntry(entry, end);
          tell();
          forget();
        });
        // It was closed, or the call stopped, while the process began: nobody knows of it who could end it.
        if (isClosed || call.signal.aborted) child.end();
        throwIfAborted(call.signal);
        return stateOf(entry);
      } finally {
        beginning--;
      }
    },
    list: () => [...entries.values()].map(stateOf),
    async read(id, { waitMs = 0, untilEnd = false } = {}) {
      const entry = find(id);
      const replies = entry.launched.child.replies.length;
      const until = untilEnd ? () => entry.end !== undefined : () => hasNews(entry, replies);
      if (waitMs > 0) await waitFor(entry, { waitMs, until, signal: call.signal });
      return take(entry);
    },
    type(id, text) {
      const entry = listening(id, "takesKeyboard");
      entry.launched.child.type(text);
      return stateOf(entry);
    },
    send(id, message) {
      const entry = listening(id, "takesMessages");
      entry.sent++;
      entry.launched.child.send(message);
      return stateOf(entry);
    },
    async stop(id) {
      const entry = find(id);
      entry.launched.child.end();
      await entry.launched.child.ended;
      return take(entry);
    },
  });
  return {
    serve,
    stop,
    close() {
      isClosed = true;
      stop();
    },
  };
}

const NOTHING = Object.freeze({ text: "", bytes: 0, omittedBytes: 0 });

function overflowOf({ overflow }: ProcessCall, name: string): LaunchOptions["overflow"] {
  return (stream: StreamName) => overflow(`${name}-${stream}`);
}

function stateOf({ id, title, tool, sandbox, launched, sent, end }: Entry): ProcessState {
  const replies = [...launched.child.replies];
  const about = { id, title, tool, sent, replies, sandbox };
  if (!end) return { ...about, state: "running", exitCode: null, signal: null };
  return { ...about, state: "ended", exitCode: end.exitCode, signal: end.signal };
}

/** What it wrote last waits to be read. */
function endedEntry(entry: Entry, end: ChildEnd): Entry["end"] {
  try {
    const { exitCode, stdout, stderr } = endingOf(entry.launched, end);
    return { exitCode, signal: end.signal, last: { ...stateOf(entry), stdout, stderr } };
  } catch (error) {
    const text = error instanceof Error ? `${error.message}\n` : "";
    const stderr = { text, bytes: Buffer.byteLength(text), omittedBytes: 0 };
    return { exitCode: 126, signal: null, last: { ...stateOf(entry), stdout: NOTHING, stderr } };
  }
}

interface Waiting {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  until(): boolean;
}

/** Until it is so, or the time is over. */
async function waitFor({ waiting }: Entry, { waitMs, until, signal }: Waiting): Promise<void> {
  if (until()) return;
  let end = (): void => {};
  const news = new Promise<void>((resolve) => {
    end = resolve;
  });
  const wake = (): void => {
    if (until()) end();
  };
  const timer = setTimeout(end, waitMs);
  waiting.add(wake);
  try {
    await unlessAborted(signal, news);
  } finally {
    clearTimeout(timer);
    waiting.delete(wake);
  }
}
