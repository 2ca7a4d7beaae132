import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { catchStrayErrors } from "../governance/stray-errors.ts";
import { loadExtension } from "../loading/extension-module.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";
import { loadTool } from "../loading/tool-module.ts";
import type { ProbeTarget, Report } from "./messages.ts";
import { trapExits, watchListeners } from "./traps.ts";
import { endsProcess, lateError, listens } from "./verdicts.ts";

/** So long after its load a target is waited for, to see what it throws from a timer or a forgotten promise. */
const LATE_MS = 5;

/** What {@link examine} works with. */
interface Examination {
  send(report: Report): void;
  /** Ends the process. */
  end(code: number): never;
  openLoader(evaluating: (file: string) => () => void): ModuleLoader;
}

/** Loads the targets one after the other and tells all that happens. It changes `process`, which ends with the job. */
export async function examine(targets: readonly ProbeTarget[], { send, end, openLoader }: Examination): Promise<void> {
  const loader = openLoader((file) => {
    const shown = loader.display(file);
    send({ type: "enters", file: shown });
    return () => send({ type: "leaves", file: shown });
  });
  // What content starts carries its number along, whatever is loaded by the time it happens.
  const running = new AsyncLocalStorage<number>();
  let latest = 0;
  const current = (): number => running.getStore() ?? latest;
  const placeOf = (error: unknown) => {
    const {
      message,
      stack: _,
      file = loader.display(targets[current()]?.file ?? ""),
      ...place
    } = loader.mapError(error);
    return { place: { file, ...place }, message };
  };

  catchStrayErrors((error) => {
    const { place, message } = placeOf(error);
    send({ type: "refuses", target: current(), reason: lateError(place, message) });
    return true;
  });
  watchListeners((event, here) => {
    if (running.getStore() === undefined) return;
    send({ type: "notes", target: current(), note: listens(placeOf(here).place, event) });
  });
  trapExits((what, here) => {
    send({ type: "exits", target: current(), reason: endsProcess(placeOf(here).place, what) });
    return end(1);
  });

  for (const [target, { id, file, kind }] of targets.entries()) {
    latest = target;
    send({ type: "begins", target });
    const load = kind === "tool" ? loadTool : loadExtension;
    const outcome = await running.run(target, () => load(loader, { id, file }));
    if ("diagnostic" in outcome) send({ type: "refuses", target, reason: outcome.diagnostic });
    else await turn();
    send({ type: "ends", target });
  }
  await loader.close();
  send({ type: "done" });
}

/** Timers that were due, immediates and microtasks have run. */
async function turn(): Promise<void> {
  await sleep(LATE_MS);
  await new Promise((resolve) => setImmediate(resolve));
}
