import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { PollingWanted } from "./chokidar.ts";
import { readWatchLimits, type WatchLimits } from "./limits.ts";

/** Why there are no events: an error that ends all watching, or directories in which a file was written without one. */
export type NoEvents = { readonly error: unknown } | { readonly silent: readonly string[] };

/** Whether an error says that no more can be watched at all, and not just that one directory cannot. */
export function endsWatching(error: unknown): boolean {
  return error instanceof PollingWanted || ENDS.has(codeOf(error));
}

/** Nothing left of a resource of the process or the system, or no events on this system at all. */
const ENDS: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOSPC",
  "ENOMEM",
  "EBADF",
  "ENOSYS",
  "ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
]);

/** What the texts are made with. */
export interface TroubleWords {
  readonly pollMs: number;
  /** How a path is named to people. */
  display(path: string): string;
}

/** Says that changes are found by polling from now on, why, and what would mend it. */
export function pollingDiagnostic(reason: NoEvents, { pollMs, display }: TroubleWords): Diagnostic {
  const instead = `changes are looked for every ${pollMs} ms instead`;
  if ("silent" in reason) {
    return diagnostic("WATCH_POLLING", {
      message: `a file was written in ${reason.silent.map(display).join(", ")} and no event of it came within 1 s; ${instead}`,
      hint: "network disks, shared folders of virtual machines and some containers give no events: keep the root on a local disk, or live with the polling",
    });
  }
  return diagnostic("WATCH_POLLING", {
    message: `watching files ended with ${textOf(reason.error)}; ${instead}`,
    hint: adviceFor(reason.error, readWatchLimits()),
  });
}

/** Says that one directory could not be watched. */
export function failedDiagnostic(directory: string | undefined, error: unknown): Diagnostic {
  return diagnostic("WATCH_FAILED", {
    ...(directory !== undefined && { file: directory }),
    message: `events of a directory were expected, but watching it failed with ${textOf(error)}`,
    hint: "changes in it are found by the next scan; see that it can be read, and that its file system gives events",
  });
}

/** Says that the cap is reached. */
export function limitDiagnostic(limit: number, left: number, first: string): Diagnostic {
  return diagnostic("WATCH_LIMIT", {
    message: `${limit + left} directories are in use, but at most ${limit} are watched; ${first} is the first of the ${left} that are not`,
    hint: "changes in those are found by the next scan, or by an explicit reload",
  });
}

function adviceFor(error: unknown, { inotify, openFiles }: WatchLimits): string {
  if (error instanceof PollingWanted) return "unset CHOKIDAR_USEPOLLING to have events again";
  const watches = `fs.inotify.max_user_watches is ${inotify?.maxWatches ?? "not known"}`;
  const instances = `fs.inotify.max_user_instances is ${inotify?.maxInstances ?? "not known"}`;
  const files = `ulimit -n is ${openFiles?.max ?? "not known"}`;
  switch (codeOf(error)) {
    case "ENOSPC":
      return `${watches}: raise it with \`sysctl fs.inotify.max_user_watches=524288\`, or stop other programs that watch files, then start again`;
    case "EMFILE":
    case "ENFILE":
      return `${files}, ${instances}: raise them with \`ulimit -n 65536\` and \`sysctl fs.inotify.max_user_instances=1024\`, then start again`;
    default:
      return `${watches}, ${instances}, ${files}: see that they suffice, then start again`;
  }
}

function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  return code === "" || text.includes(code) ? text : `${code}: ${text}`;
}
