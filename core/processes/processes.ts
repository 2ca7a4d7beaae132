import { atExit } from "../governance/process-exit.ts";
import type { ProcessSandbox } from "../sdk/processes.ts";
import { type AgentProcesses, createAgentProcesses } from "./agent-processes.ts";
import type { Child } from "./child.ts";
import { chooseSandbox } from "./choose-sandbox.ts";
import type { LaunchParts } from "./launch.ts";
import type { Pipes } from "./pipes.ts";
import type { ProcessTerms } from "./terms.ts";

/** What would keep in a process. */
export interface EffectiveSandbox extends ProcessSandbox {
  /** None is started, because there is no sandbox and one is asked for. */
  readonly isRefused: boolean;
}

/** All processes of one host. */
export interface Processes {
  /** Those of one more agent. */
  open(): AgentProcesses;
  /** What keeps in a process that is started now. */
  sandboxFor(terms: Pick<ProcessTerms, "sandbox" | "sandboxSetting" | "network">): Promise<EffectiveSandbox>;
  /** Ends all that run. */
  stop(): void;
  /** Ends all, for good. @returns when none is left */
  close(): Promise<void>;
}

/** A process that the system itself holds cannot be ended, and nobody waits for it. */
const CLOSE_MS = 5_000;

export function createProcesses(parts: LaunchParts): Processes {
  const running = new Set<Child>();
  let isClosed = false;
  let pipes: Pipes | undefined;
  const hold = (child: Child): void => {
    // Nobody is asked any more when the program ends: whoever did not close the host leaves nothing behind all the same.
    const release = atExit(() => child.kill());
    running.add(child);
    void child.ended.then(() => {
      running.delete(child);
      release();
    });
    if (isClosed) child.end();
  };
  const stop = (): void => {
    for (const child of running) child.end();
  };
  return {
    open: () =>
      createAgentProcesses(async (options) => {
        // Most hosts run no program.
        const [{ launch }, { createPipes }] = await Promise.all([import("./launch.ts"), import("./pipes.ts")]);
        pipes ??= createPipes(parts.env.PATH);
        const launched = await launch({ ...parts, pipes }, options);
        hold(launched.child);
        return launched;
      }),
    async sandboxFor(terms) {
      const isLoose = terms.sandbox === "none" || terms.sandbox === "auto";
      const used = await chooseSandbox(parts.sandboxes, isLoose ? terms : { ...terms, sandbox: "auto" });
      if ("sandbox" in used) return { kind: "bubblewrap", network: terms.network, isRefused: false };
      return { kind: "none", network: true, why: used.why, isRefused: !isLoose };
    },
    stop,
    async close() {
      isClosed = true;
      stop();
      pipes?.close();
      const gone = Promise.all([...running].map(({ ended }) => ended));
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([gone, over]);
      clearTimeout(timer);
    },
  };
}
