import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Generations } from "./generations.ts";

/** How often jobs are done. */
const EVERY_MS = 60_000;

/** What {@link startJobLoop} takes. */
export interface JobLoopOptions {
  /** Does the jobs; rounds count from 1. The next round waits until it is done. */
  run(round: number): Promise<void>;
  /** Hears of what `run` rejects with. */
  failed(error: unknown): void;
  /** Default: a minute. */
  readonly everyMs?: number;
}

/** Does jobs again and again, and keeps no process alive for it. @returns a function that ends it */
export function startJobLoop({ run, failed, everyMs = EVERY_MS }: JobLoopOptions): () => void {
  let round = 0;
  let busy = false;
  const tick = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    try {
      await run(++round);
    } catch (error) {
      failed(error);
    } finally {
      busy = false;
    }
  };
  const timer = setInterval(() => void tick(), everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs the extensions at `job_loop` of the host's own profile, on the generation that is current then. */
export function startJobs({
  generations,
  report,
}: {
  readonly generations: Generations;
  report(item: Diagnostic): void;
}): () => void {
  return startJobLoop({
    async run(round) {
      const { current } = generations;
      if (!current.hooks(current.registry()).has("job_loop")) return;
      const { generation, signal, release } = generations.lease();
      try {
        await generation.hooks(generation.registry()).run("job_loop", { round }, { agent: undefined, signal });
      } finally {
        release();
      }
    },
    failed(error) {
      const message = `the jobs of a round could not be done: ${error instanceof Error ? error.message : String(error)}`;
      report(diagnostic("EXTENSION_FAILED", { message, hint: "They are tried again in a minute." }));
    },
  });
}
