import type { Diagnostic } from "../diagnostics.ts";
import { displayPath } from "../discovery/paths.ts";
import type { Job, Report } from "./messages.ts";
import type { Ending, Prober } from "./prober.ts";
import { blocks, crashed, fillsMemory } from "./verdicts.ts";

/** Whether a module may be loaded. `notes` are warnings about what it does at its top level. */
export type ProbeOutcome =
  | { readonly ok: true; readonly notes: readonly Diagnostic[] }
  | { readonly ok: false; readonly diagnostic: Diagnostic; readonly notes: readonly Diagnostic[] };

/** What came of one process. */
interface JobOutcome {
  /** Of the first targets, as many as had their turn. */
  readonly verdicts: readonly ProbeOutcome[];
  /** Why there is none at all. */
  readonly failure?: string;
}

/** The loader in the process gives up by itself what only waits, and says more about it: so much later it is ended. */
const GRACE_MS = 500;

/** Has a process do a job, to its end or to the first target that blocks or ends it. The process is of no use then. */
export async function runJob(
  prober: Prober,
  job: Job,
  { signal, memoryMb }: { readonly signal: AbortSignal; readonly memoryMb: number },
): Promise<JobOutcome> {
  const turns = createTurns(job);
  const kill = prober.kill;
  signal.addEventListener("abort", kill, { once: true });
  if (signal.aborted) kill();
  // Somebody waits for the outcome now.
  prober.hold(true);
  try {
    if (!(await prober.ready)) return { verdicts: [], failure: failureOf(await prober.ended) };
    const deadline = createDeadline(job.timeoutMs + GRACE_MS, () => {
      turns.refuse(blocks(turns.place(), job.timeoutMs));
      kill();
    });
    const done = new Promise<undefined>((resolve) => {
      prober.start(job, (report) => {
        if (report.type === "begins") deadline.restart();
        turns.take(report);
        if (report.type === "done" || report.type === "exits") kill();
        if (report.type === "done") resolve(undefined);
      });
    });
    const ending = await Promise.race([done, prober.ended]);
    deadline.stop();
    if (ending && !signal.aborted && turns.open()) turns.refuse(verdictOf(ending, turns.place(), memoryMb));
    const verdicts = turns.settled();
    return ending && verdicts.length === 0 ? { verdicts, failure: failureOf(ending) } : { verdicts };
  } finally {
    signal.removeEventListener("abort", kill);
  }
}

/** What the reports of a process add up to. */
function createTurns({ targets, root }: Job) {
  const refusals = new Map<number, Diagnostic>();
  const notes = new Map<number, Diagnostic[]>();
  // Content files whose top level has not settled, in the order in which they began.
  let entered: string[] = [];
  let begun = 0;
  let ended = 0;
  const refuse = (target: number, reason: Diagnostic): void => {
    if (!refusals.has(target)) refusals.set(target, reason);
  };

  return {
    take: (report: Report): void => {
      if (report.type === "begins") {
        begun = report.target + 1;
        entered = [];
      } else if (report.type === "enters") entered.push(report.file);
      else if (report.type === "leaves") entered.splice(entered.lastIndexOf(report.file), 1);
      else if (report.type === "notes") notes.set(report.target, [...(notes.get(report.target) ?? []), report.note]);
      else if (report.type === "ends") ended = report.target + 1;
      else if (report.type === "refuses" || report.type === "exits") refuse(report.target, report.reason);
    },
    /** Whether a target has begun and not ended, and nothing is known against it. */
    open: (): boolean => begun > ended && !refusals.has(begun - 1),
    /** Refuses the target whose turn it is. */
    refuse: (reason: Diagnostic): void => refuse(Math.max(begun - 1, 0), reason),
    /** The content file whose top level runs, shown: the target, or what it imports. */
    place: (): string => entered.at(-1) ?? displayPath(root, targets[Math.max(begun - 1, 0)]?.file ?? root),
    /** The outcomes of all that had their turn: those that ended, and one that was refused in the middle. */
    settled: (): readonly ProbeOutcome[] =>
      targets.slice(0, refusals.has(begun - 1) ? begun : ended).map((_, target) => {
        const diagnostic = refusals.get(target);
        const noted = notes.get(target) ?? [];
        return diagnostic ? { ok: false, diagnostic, notes: noted } : { ok: true, notes: noted };
      }),
  };
}

/** Nobody has told why it is gone: V8 aborts without memory, the watchdog and the system kill. */
function verdictOf(ending: Ending, place: string, memoryMb: number): Diagnostic {
  const { signal } = ending;
  return signal === "SIGKILL" || signal === "SIGABRT" ? fillsMemory(place, memoryMb) : crashed(place, ending);
}

function failureOf({ code, signal, error }: Ending): string {
  if (error !== undefined) return `none can be started (${error})`;
  return `it ended before it had begun (${signal ?? `code ${code}`})`;
}

/** Calls `expire` unless it is restarted or stopped in time. Reports that wait to be read count. */
function createDeadline(ms: number, expire: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let round = 0;
  const restart = (): void => {
    const mine = ++round;
    clearTimeout(timer);
    timer = setTimeout(() => {
      // Where this process was busy, the news is there, but not heard yet.
      setTimeout(() => setImmediate(() => mine === round && expire()), 1);
    }, ms);
  };
  restart();
  return {
    restart,
    stop: () => {
      round++;
      clearTimeout(timer);
    },
  };
}
