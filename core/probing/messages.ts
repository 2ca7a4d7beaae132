import type { Diagnostic } from "../diagnostics.ts";
import type { SourceText } from "../discovery/texts.ts";

/** A module that changed. */
export interface ProbeTarget {
  /** Of a tool its id, of an extension `<point>/<file stem>`. */
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  readonly kind: "tool" | "extension";
}

/** What the host asks of a probing process, once in its life. */
export interface Job {
  readonly targets: readonly ProbeTarget[];
  /** What files hold for the probe, whatever the disk holds. Absolute paths. */
  readonly texts: readonly (readonly [file: string, text: SourceText])[];
  /** Absolute; see `ModuleLoaderOptions`. */
  readonly contentRoots: readonly string[];
  readonly cacheDir?: string;
  /** Files below it are shown relative to it. Absolute. */
  readonly root: string;
  /** How long the top level of one target, with all that it imports, may wait for something. */
  readonly timeoutMs: number;
}

/** What a probing process tells, in JSON. `target` is an index of {@link Job.targets}. */
export type Report =
  /** All that a load needs is there; the job may come. */
  | { readonly type: "ready" }
  /** From here on everything that happens is of this target. */
  | { readonly type: "begins"; readonly target: number }
  /** The top level of a content file (shown) begins, or has settled. */
  | { readonly type: "enters" | "leaves"; readonly file: string }
  /** Worth knowing, no reason to refuse. */
  | { readonly type: "notes"; readonly target: number; readonly note: Diagnostic }
  /** A reason to refuse the target: of its load, or of what it does later, while others are loaded. */
  | { readonly type: "refuses"; readonly target: number; readonly reason: Diagnostic }
  /** The target is loaded, or its load has failed. */
  | { readonly type: "ends"; readonly target: number }
  /** The target is about to end the process. */
  | { readonly type: "exits"; readonly target: number; readonly reason: Diagnostic }
  /** All targets have had their turn, and the cache is written. */
  | { readonly type: "done" };
