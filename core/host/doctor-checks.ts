import type { Diagnostic } from "../diagnostics.ts";
import { ESTOP_HINT, type EstopState, estopText } from "../governance/estop.ts";
import type { EffectiveSandbox } from "../processes/processes.ts";
import type { WatchLimits } from "../watching/limits.ts";
import type { LeakedTimers } from "./leftovers.ts";

/** One thing that was looked at. */
export interface DoctorCheck {
  readonly name:
    | "node"
    | "cache"
    | "watcher"
    | "limits"
    | "model"
    | "estop"
    | "sandbox"
    | "content"
    | "generation"
    | "timers";
  /** `warning`: it works, but slower or not as it was meant. `error`: something that was asked for cannot work. */
  readonly status: "ok" | "warning" | "error";
  readonly message: string;
  readonly hint?: string;
}

/** How much content there is, and how much of it is well. */
export interface ContentCounts {
  readonly plugins: number;
  /** Switched off, or off because something is wrong with them. */
  readonly pluginsOff: number;
  readonly failedPlugins: number;
  readonly tools: number;
  /** As far as they were loaded, now or before. */
  readonly failedTools: number;
  /** Their version before serves. */
  readonly degradedTools: number;
  readonly errors: number;
  readonly warnings: number;
}

/** Which generation serves. */
export interface GenerationFacts {
  readonly current: number;
  /** The generation that is stayed with. */
  readonly pinned: number | null;
}

/** The oldest Node that the host runs on: `engines` of package.json. */
export const OLDEST_NODE = "20.19.0";

/** From so much of a limit on it is told: the next project opened in an editor may take the rest. */
const NEARLY = 0.8;

export function nodeCheck(version: string): DoctorCheck {
  const [have, need] = [version, OLDEST_NODE].map((text) => text.split(".").map(Number));
  const [major = 0, minor = 0] = have ?? [];
  const [oldest = 0, oldestMinor = 0] = need ?? [];
  const enough = major > oldest || (major === oldest && minor >= oldestMinor);
  if (enough) return { name: "node", status: "ok", message: `Node ${version}` };
  const message = `expected Node ${OLDEST_NODE} or newer, found ${version}`;
  return { name: "node", status: "error", message, hint: "Install a newer Node." };
}

export function cacheCheck(directory: string, unwritable: Diagnostic | undefined): DoctorCheck {
  if (!unwritable) return { name: "cache", status: "ok", message: `${directory} can be written` };
  const { message, hint } = unwritable;
  return { name: "cache", status: "warning", message, ...(hint === undefined ? {} : { hint }) };
}

export function estopCheck(state: EstopState | undefined): DoctorCheck {
  if (!state) return { name: "estop", status: "ok", message: estopText(state) };
  return { name: "estop", status: "warning", message: estopText(state), hint: ESTOP_HINT };
}

/** What keeps in the programs that tools run, in one sentence. */
export function sandboxText({ kind, network, why, isRefused }: EffectiveSandbox): string {
  if (kind !== "none") return `programs run in a sandbox (${kind}) ${network ? "with" : "without"} the network`;
  if (isRefused) return `no program can be run: a sandbox is required, and ${why}`;
  return `nothing keeps in the programs that tools run: ${why}`;
}

export function sandboxCheck(sandbox: EffectiveSandbox): DoctorCheck {
  const message = sandboxText(sandbox);
  if (sandbox.kind !== "none") return { name: "sandbox", status: "ok", message };
  const hint = "Install bubblewrap, or change sandbox of the risk profile.";
  return { name: "sandbox", status: sandbox.isRefused ? "error" : "warning", message, hint };
}

export function limitsCheck({ inotify, openFiles }: WatchLimits): DoctorCheck {
  const uses = [
    { name: "watches", used: inotify?.watches, max: inotify?.maxWatches, raise: "fs.inotify.max_user_watches" },
    { name: "watchers", used: inotify?.instances, max: inotify?.maxInstances, raise: "fs.inotify.max_user_instances" },
    { name: "open files", used: openFiles?.open, max: openFiles?.max, raise: "ulimit -n" },
  ];
  const known = uses.filter(({ used, max }) => used !== undefined && max !== undefined);
  if (known.length === 0) return { name: "limits", status: "ok", message: "this system tells no limits" };
  const message = known.map(({ name, used, max }) => `${used} of ${max} ${name}`).join(", ");
  const scarce = known.filter(({ used = 0, max = 0 }) => used > NEARLY * max);
  if (scarce.length === 0) return { name: "limits", status: "ok", message };
  const hint = `Raise ${scarce.map(({ raise }) => raise).join(" and ")}, or changes will be found by polling only.`;
  return { name: "limits", status: "warning", message, hint };
}

export function contentCheck(counts: ContentCounts): DoctorCheck {
  const { plugins, pluginsOff, failedPlugins, tools, failedTools, degradedTools, errors, warnings } = counts;
  const message = [
    `${tools} tools (${failedTools} do not load, ${degradedTools} are served in their version before)`,
    `${plugins} plugins (${pluginsOff} off, ${failedPlugins} of them broken)`,
    `${errors} errors, ${warnings} warnings`,
  ].join("; ");
  const status = errors + failedPlugins + failedTools > 0 ? "error" : warnings > 0 ? "warning" : "ok";
  const hint = "The command check tells what is wrong, and where.";
  return { name: "content", status, message, ...(status === "ok" ? {} : { hint }) };
}

export function generationCheck({ current, pinned }: GenerationFacts): DoctorCheck {
  if (pinned === null)
    return { name: "generation", status: "ok", message: `generation ${current}, as the disk has it` };
  const message = `generation ${current}, held at what ${pinned} was made of; changes wait`;
  return { name: "generation", status: "warning", message, hint: "/generations release follows the disk again." };
}

export function timersCheck(leaked: readonly LeakedTimers[]): DoctorCheck {
  const all = leaked.reduce((sum, { timers }) => sum + timers, 0);
  if (all === 0) return { name: "timers", status: "ok", message: "no leaked timers" };
  const whose = leaked.map(
    ({ timers, file, plugin, generation }) =>
      `${timers} of ${plugin === null ? "" : `the plugin ${plugin}, `}${file} as of generation ${generation}`,
  );
  const message = `${all} leaked ${all === 1 ? "timer runs" : "timers run"} on: ${whose.join("; ")}`;
  const hint = "Make timers with this.setInterval and this.setTimeout, or clear them in this.onDispose.";
  return { name: "timers", status: "warning", message, hint };
}
