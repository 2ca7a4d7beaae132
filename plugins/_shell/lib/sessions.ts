import { type ProcessRead, type ProcessState, type Tool, ToolError } from "toolroom";

/** Where code comes in by descriptor 3, runs in one and the same bash, and its exit code goes out by descriptor 4. */
const DRIVER = [
  "exec 2>&1",
  "while IFS= read -r -d '' -u 3 TOOLROOM_CODE; do",
  '  eval "$TOOLROOM_CODE" 3<&- 4>&-',
  "  printf '%s\\0' \"$?\" >&4",
  "done",
].join("\n");

/** So many characters of one answer are kept. */
const MOST = 1024 * 1024;
const SHOWN = 4_000;
/** So often at least, and at most, it is looked whether the call is to end. */
const STEP_MS = 1_000;
const LEAST_MS = 20;

/** How code went on. */
export interface Followed {
  readonly text: string;
  /** Where the rest of a long output is. */
  readonly file?: string;
  /** `asking`: it runs, and what it wrote last looks like a question. */
  readonly state: "done" | "running" | "asking" | "ended";
  /** Of the code, or of the session where that has ended; null while it runs. */
  readonly exitCode: number | null;
  readonly process: ProcessState;
}

export const sessionId = (session: number): string => `session-${session}`;

/** The session, where it runs. */
export function findSession({ processes }: Tool, session: number): ProcessState | undefined {
  return processes.list().find(({ id, state }) => id === sessionId(session) && state === "running");
}

/** Whether code of it runs. */
export function isBusy({ sent, replies }: ProcessState): boolean {
  return sent > replies.length;
}

/** The session, begun where there is none. @throws ToolError what `processes.start` throws */
export async function openSession(tool: Tool, session: number): Promise<ProcessState> {
  const known = findSession(tool, session);
  if (known) return known;
  const title = `session ${session}`;
  const command = { kind: "bash", script: DRIVER } as const;
  return await tool.processes.start(command, { id: sessionId(session), title, keyboard: true, control: true });
}

/** @throws ToolError NOT_FOUND */
export function requireSession(tool: Tool, session: number): ProcessState {
  const known = findSession(tool, session);
  if (known) return known;
  throw new ToolError("NOT_FOUND", `there is no session ${session}`, {
    pointer: "/session",
    hint: "Run code in it first; a session ends with its shell, and with the agent.",
  });
}

/**
 * Gathers what the code of a session writes, until it is done, or has been silent or at work for as long as the settings say.
 * What is not done goes on.
 */
export async function follow(tool: Tool, { id, sent }: Pick<ProcessState, "id" | "sent">): Promise<Followed> {
  const limits = limitsOf(tool);
  const began = performance.now();
  let text = "";
  let file: string | undefined;
  let heard = began;
  let isSilent = true;
  for (;;) {
    const left = (isSilent ? limits.first : Math.min(limits.between, limits.prompt)) - (performance.now() - heard);
    const read = await tool.processes.read(id, { waitMs: Math.min(STEP_MS, Math.max(left, LEAST_MS)) });
    text = withMore(text, read.stdout.text);
    file = read.stdout.file ?? file;
    const now = performance.now();
    if (read.stdout.text !== "") {
      heard = now;
      isSilent = false;
      await tool.setProgress(text.slice(-SHOWN));
    }
    const found = { text, ...(file === undefined ? {} : { file }), process: read };
    const end = endOf(read, sent);
    if (end) return { ...found, ...end };
    const quiet = now - heard;
    const isAsking = !isSilent && !text.endsWith("\n");
    if (isAsking && quiet >= limits.prompt) return { ...found, state: "asking", exitCode: null };
    const patience = isSilent ? limits.first : limits.between;
    if (quiet >= patience || now - began >= limits.longest) return { ...found, state: "running", exitCode: null };
    await tool.agent.handleIntervention(tool.progress);
  }
}

function endOf(
  { state, exitCode, replies }: ProcessRead,
  sent: number,
): Pick<Followed, "state" | "exitCode"> | undefined {
  if (replies.length >= sent) return { state: "done", exitCode: Number(replies[sent - 1]) };
  return state === "ended" ? { state: "ended", exitCode } : undefined;
}

/** The first two thirds and the last third of what is too long. */
function withMore(text: string, more: string): string {
  const whole = text + more;
  if (whole.length <= MOST) return whole;
  return `${whole.slice(0, (MOST * 2) / 3)}\n[…]\n${whole.slice(-MOST / 3)}`;
}

function limitsOf({ config }: Tool) {
  const ms = (key: string, otherwise: number): number => {
    const value = config[key];
    return (typeof value === "number" && value > 0 ? value : otherwise) * 1000;
  };
  return {
    first: ms("first_output", 30),
    between: ms("between_output", 15),
    prompt: ms("prompt", 5),
    longest: ms("longest", 180),
  };
}
