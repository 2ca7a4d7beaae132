import type { HostLog } from "../governance/log.ts";
import type { CapturedOutput, ProcessGuard } from "../governance/process-guard.ts";

/** Whose code runs. */
export interface ContentSource {
  /** Who is blamed, for example `the extension plugins/_x/extensions/…`. */
  readonly owner: string;
  /** Hears of the timers that it makes; under a process guard only. */
  readonly onTimer?: (timer: NodeJS.Timeout) => void;
}

/**
 * Runs code of content outside of a call: an extension, the top level of a module, a disposer. Under a process
 * guard what it prints goes to the log and its stray errors are attributed; without one it just runs.
 */
export type RunContent = <T>(source: ContentSource, run: () => T) => T;

/** @param guard absent for a host that leaves the process alone */
export function createContentRunner(guard: ProcessGuard | undefined, log: HostLog): RunContent {
  if (!guard) return (_source, run) => run();
  return ({ owner, onTimer }, run) => {
    const onOutput = ({ stream, text, truncated }: CapturedOutput): void => {
      log.forTool(owner, "").info("printed", { stream, text, ...(truncated ? { truncated } : {}) });
    };
    return guard.run({ owner, onOutput, onTimer }, run);
  };
}
