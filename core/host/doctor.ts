import type { Diagnostic } from "../diagnostics.ts";
import type { EstopState } from "../governance/estop.ts";
import { unwritableCache } from "../loading/atomic-file.ts";
import type { Registry } from "../loading/registry.ts";
import { resolveEndpoint, shownUrl } from "../model/endpoints.ts";
import { OFFLINE, parseModelId } from "../model/model.ts";
import type { EffectiveSandbox } from "../processes/processes.ts";
import { HostError } from "../sdk/errors.ts";
import { readWatchLimits, type WatchLimits } from "../watching/limits.ts";
import { openWatcher } from "../watching/watcher.ts";
import {
  type ContentCounts,
  cacheCheck,
  contentCheck,
  type DoctorCheck,
  estopCheck,
  type GenerationFacts,
  generationCheck,
  limitsCheck,
  nodeCheck,
  sandboxCheck,
  timersCheck,
} from "./doctor-checks.ts";
import type { LeakedTimers } from "./leftovers.ts";
import { hostStatus } from "./status.ts";
import type { Watching } from "./watching.ts";

/** What a host knows of its own health. Nothing is asked of the network, and no module is run. */
export interface Doctor {
  /** The worst of the checks. */
  readonly health: DoctorCheck["status"];
  readonly checks: readonly DoctorCheck[];
  /** The version of Node. */
  readonly node: string;
  /** Absolute. */
  readonly root: string;
  /** Absolute. */
  readonly home: string;
  readonly cache: { readonly directory: string; readonly writable: boolean };
  /** `id` is null for the offline model where none is configured. */
  readonly model: { readonly id: string | null; readonly baseURL?: string };
  readonly content: ContentCounts;
  readonly watcher: {
    /** What a test in the cache directory found a moment ago, or what the watch had to go over to. */
    readonly mode: "events" | "polling";
    /** Whether the host watches. */
    readonly watching: boolean;
    /** Absolute, sorted; empty where the host does not watch or polls. */
    readonly directories: readonly string[];
    readonly limits: WatchLimits;
  };
  readonly generation: GenerationFacts;
  /** Timers that versions of modules left running which are not served any more. Known under the process guard only. */
  readonly leakedTimers: readonly LeakedTimers[];
}

/** What {@link examineHost} looks at. */
export interface DoctorParts {
  readonly root: string;
  readonly home: string;
  readonly cacheDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: Registry;
  readonly diagnostics: readonly Diagnostic[];
  /** `provider/model`; undefined for the offline model, `given` for one that the caller brought. */
  readonly model: { readonly id: string | undefined; readonly given: boolean };
  readonly watching: Pick<Watching, "mode" | "directories"> | undefined;
  /** The generation that is stayed with. */
  readonly pinned: number | undefined;
  readonly leakedTimers: readonly LeakedTimers[];
  /** Undefined: it is off. */
  readonly estop: EstopState | undefined;
  readonly sandbox: EffectiveSandbox;
  display(path: string): string;
}

/** Looks at everything that a host depends on, and tests whether events of files come. */
export async function examineHost(parts: DoctorParts): Promise<Doctor> {
  const { root, home, cacheDir, registry, pinned, leakedTimers } = parts;
  const limits = readWatchLimits();
  const unwritable = unwritableCache(cacheDir, parts.display(cacheDir));
  const watcher = await testedWatcher(parts, { limits, unwritable });
  const content = countContent(parts);
  const model = checkedModel(parts);
  const generation = { current: registry.generation, pinned: pinned ?? null };
  const checks = [
    nodeCheck(process.versions.node),
    cacheCheck(parts.display(cacheDir), unwritable),
    watcher.check,
    limitsCheck(limits),
    model.check,
    estopCheck(parts.estop),
    sandboxCheck(parts.sandbox),
    contentCheck(content),
    generationCheck(generation),
    timersCheck(leakedTimers),
  ];
  return {
    health: worst(checks),
    checks,
    node: process.versions.node,
    root,
    home,
    cache: { directory: cacheDir, writable: unwritable === undefined },
    model: model.facts,
    content,
    watcher: watcher.facts,
    generation,
    leakedTimers,
  };
}

function worst(checks: readonly DoctorCheck[]): DoctorCheck["status"] {
  const has = (status: DoctorCheck["status"]) => checks.some((check) => check.status === status);
  return has("error") ? "error" : has("warning") ? "warning" : "ok";
}

async function testedWatcher(
  parts: DoctorParts,
  { limits, unwritable }: { readonly limits: WatchLimits; readonly unwritable: Diagnostic | undefined },
): Promise<{ readonly check: DoctorCheck; readonly facts: Doctor["watcher"] }> {
  const { watching, cacheDir, display, diagnostics } = parts;
  const found: Diagnostic[] = diagnostics.filter(({ code }) => code === "WATCH_POLLING");
  const report = (item: Diagnostic): void => void found.push(item);
  const test = await openWatcher({ onChange() {}, onPoll() {}, report, probes: [cacheDir], display });
  const mode = watching?.mode === "polling" ? "polling" : test.mode;
  await test.close();
  const directories = watching?.directories ?? [];
  const facts = { mode, watching: watching !== undefined, directories, limits };
  const what = watching ? `${directories.length} directories are watched` : "this host does not watch";
  const [polling] = found;
  if (mode === "polling") {
    const message = polling?.message ?? "changes are found by looking at intervals";
    const hint = polling?.hint;
    return { facts, check: { name: "watcher", status: "warning", message, ...(hint === undefined ? {} : { hint }) } };
  }
  const tested = unwritable ? "events of files could not be tested without a cache directory" : "events of files come";
  return { facts, check: { name: "watcher", status: unwritable ? "warning" : "ok", message: `${tested}; ${what}` } };
}

function checkedModel({ model: { id, given }, registry, env }: DoctorParts): {
  readonly check: DoctorCheck;
  readonly facts: Doctor["model"];
} {
  const check = (status: DoctorCheck["status"], message: string): DoctorCheck => ({ name: "model", status, message });
  if (given) return { check: check("ok", `${id}, which the host was given`), facts: { id: id ?? null } };
  if (id === undefined || id === OFFLINE) {
    const message = "no model is configured: the offline model matches questions to tools";
    return { check: check("ok", message), facts: { id: id ?? null } };
  }
  if (id.startsWith("replay/")) return { check: check("ok", `a cassette, ${id}`), facts: { id } };
  try {
    const { baseURL } = resolveEndpoint(parseModelId(id), { env, settings: registry.view.settings });
    const shown = shownUrl(baseURL);
    return { check: check("ok", `${id} at ${shown}, which was not asked`), facts: { id, baseURL: shown } };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return { check: check("error", error.message), facts: { id } };
  }
}

function countContent({ root, registry, diagnostics, watching, estop, sandbox }: DoctorParts): ContentCounts {
  const { plugins } = registry.view;
  const { tools, failedTools, failedPlugins } = hostStatus(registry, {
    ...{ root, diagnostics, watching, estop, sandbox },
    spent: undefined,
  });
  const count = (severity: Diagnostic["severity"]) => diagnostics.filter((item) => item.severity === severity).length;
  return {
    plugins: plugins.length,
    pluginsOff: plugins.filter(({ enabled }) => !enabled).length,
    failedPlugins,
    tools,
    failedTools,
    degradedTools: registry.entries().filter((entry) => registry.state(entry).status === "degraded").length,
    errors: count("error"),
    warnings: count("warning"),
  };
}
