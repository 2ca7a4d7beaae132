import { basename } from "node:path";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { isRunning } from "../governance/content-timers.ts";
import type { EventMap } from "../sdk/events.ts";
import type { Events } from "./events.ts";

/** Timers of a version of a module that is not served any more. */
export interface LeakedTimers {
  /** The module, as messages show it. */
  readonly file: string;
  /** The plugin that it belongs to; null where it is of none. */
  readonly plugin: string | null;
  /** The last generation that served that version. */
  readonly generation: number;
  /** How many still run. */
  readonly timers: number;
}

/** What a tool did after its version was retired. */
type StaleCall = EventMap["stale_call"];

/** What is left of versions of modules that are not served any more. One for a host. */
export interface Leftovers {
  /** A version was retired while timers of it ran. @param left its file (absolute) and the last generation that served it */
  keep(left: { readonly file: string; readonly generation: number }, timers: Iterable<NodeJS.Timeout>): void;
  /** The timers that run at this moment, by file and generation. */
  timers(): readonly LeakedTimers[];
  /** Tells of a call that was dropped; who calls it sees to it that it is told once. */
  staleCall(call: StaleCall): void;
}

/** What {@link createLeftovers} tells with. */
export interface LeftoversOptions {
  readonly discovery: Pick<Discovery, "display" | "pluginOf">;
  report(item: Diagnostic): void;
  readonly events: Pick<Events, "emit">;
}

export function createLeftovers({ discovery, report, events }: LeftoversOptions): Leftovers {
  const kept = new Map<string, { readonly from: Omit<LeakedTimers, "timers">; readonly timers: Set<NodeJS.Timeout> }>();
  /** Forgets what ended by itself meanwhile. */
  const look = (): void => {
    for (const [key, { timers }] of kept) {
      for (const timer of timers) if (!isRunning(timer)) timers.delete(timer);
      if (timers.size === 0) kept.delete(key);
    }
  };
  return {
    keep({ file, generation }, timers) {
      look();
      const running = [...timers].filter(isRunning);
      if (running.length === 0) return;
      const key = `${generation} ${file}`;
      const known = kept.get(key) ?? { from: { ...placeOf(file, discovery), generation }, timers: new Set() };
      for (const timer of running) known.timers.add(timer);
      kept.set(key, known);
    },
    timers() {
      look();
      return [...kept.values()]
        .map(({ from, timers }) => ({ ...from, timers: timers.size }))
        .sort((a, b) => compareText(a.file, b.file) || a.generation - b.generation);
    },
    staleCall(stale) {
      const { tool, call, generation } = stale;
      const message = `the tool ${tool} of generation ${generation}, which is not served any more, went on and used ${call}; that was dropped`;
      const hint = "End what outlives a call with this.onDispose, or use this.setInterval.";
      report(diagnostic("STALE_CALL", { message, hint }));
      events.emit({ type: "stale_call", ...stale });
    },
  };
}

/** How messages name a file, and whose it is. */
function placeOf(
  file: string,
  { display, pluginOf }: LeftoversOptions["discovery"],
): Pick<LeakedTimers, "file" | "plugin"> {
  const plugin = pluginOf(file);
  return { file: display(file), plugin: plugin === undefined ? null : basename(plugin) };
}
