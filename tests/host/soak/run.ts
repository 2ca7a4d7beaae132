import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Host } from "../../../core/host.ts";
import type { CallRecord, Lag, Step } from "./oracle.ts";

const WRITER = fileURLToPath(new URL("./writer.mjs", import.meta.url));

/** The clock that processes share, in ms. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The process that edits. */
export interface Writer {
  /** Its steps so far. */
  readonly steps: readonly Step[];
  /** The tree is there. */
  readonly ready: Promise<void>;
  begin(): void;
  /** It has made its last edit. @throws what it failed with */
  readonly done: Promise<void>;
}

export function startWriter(root: string, { seed, edits }: { readonly seed: number; readonly edits: number }): Writer {
  const child = spawn(process.execPath, [WRITER, root, String(seed), String(edits)], { stdio: "pipe" });
  const steps: Step[] = [];
  let errors = "";
  child.stderr.on("data", (text) => {
    errors += text;
  });
  const lines = createInterface({ input: child.stdout });
  const ready = new Promise<void>((resolve) => lines.once("line", () => resolve()));
  lines.on("line", (line) => steps.push(JSON.parse(line) as Step));
  const ended = new Promise<void>((resolve, reject) => {
    child.once("close", (code) =>
      code === 0 ? resolve() : reject(new Error(`the writer ended with ${code}: ${errors}`)),
    );
  });
  ended.catch(() => {});
  return { steps, ready: Promise.race([ready, ended]), begin: () => void child.stdin.write("begin\n"), done: ended };
}

/** Calls tools, several at a time, until it is told to stop. */
export function keepCalling(host: Host, tools: readonly string[], callers: number): { stop(): Promise<CallRecord[]> } {
  const calls: CallRecord[] = [];
  let going = true;
  const call = async (first: number): Promise<void> => {
    for (let turn = first; going; turn++) {
      const tool = tools[turn % tools.length] as string;
      const start = now();
      const { message, error } = await host.call(tool, {});
      calls.push({ tool, start, end: now(), code: error?.code, message });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const running = Array.from({ length: callers }, (_, n) => call(n));
  return {
    async stop() {
      going = false;
      await Promise.all(running);
      return calls;
    },
  };
}

/** Measures what this process is kept from: by the system's count of it, else by timers that come late. */
export function measureLag(): Lag & { stop(): void } {
  const EVERY_MS = 5;
  const samples: { readonly from: number; readonly to: number; readonly lag: number }[] = [];
  let before = now();
  let waited = waitedFor();
  const timer = setInterval(() => {
    const at = now();
    const total = waitedFor();
    const late = at - before - EVERY_MS;
    samples.push({
      from: before,
      to: at,
      lag: total === undefined || waited === undefined ? Math.max(0, late) : total - waited,
    });
    before = at;
    waited = total;
  }, EVERY_MS);
  return {
    between: (from, to) =>
      samples.reduce((sum, sample) => (sample.to > from && sample.from < to ? sum + sample.lag : sum), 0),
    stop: () => clearInterval(timer),
  };
}

/** How long the threads of this process were ready to run and did not, in ms; undefined where nobody tells. */
function waitedFor(): number | undefined {
  try {
    const waited = readdirSync("/proc/self/task").map((thread) =>
      Number(readFileSync(`/proc/self/task/${thread}/schedstat`, "utf8").split(" ")[1]),
    );
    return waited.reduce((sum, ns) => sum + ns, 0) / 1e6;
  } catch {
    // A thread may have ended meanwhile, and elsewhere than on Linux there is nothing of the kind.
    return undefined;
  }
}

/** What two hosts over the same files have to agree on. */
export async function facesOf(host: Host, called: readonly string[]): Promise<unknown> {
  const findings = await host.loadAll();
  const { tools, diagnostics } = await host.list();
  const calls: Record<string, string> = {};
  for (const tool of called) {
    const { message, error } = await host.call(tool, {});
    calls[tool] = error?.code ?? message;
  }
  return {
    findings,
    tools,
    diagnostics,
    calls,
    prompt: (await host.prompt()).text,
    definitions: await host.toolDefinitions(),
    plugins: host.items("plugin"),
    fragments: host.items("fragment"),
  };
}
