import { compareText, type Diagnostic, diagnostic } from "./diagnostics.ts";
import type { LayerRef } from "./discovery/catalog.ts";
import { createCancellation } from "./governance/cancellation.ts";
import { ToolError } from "./sdk/errors.ts";
import type { Extension } from "./sdk/extension.ts";
import { plainCopy } from "./sdk/plain-copy.ts";
import { POINTS, type PointMap, type PointName } from "./sdk/points.ts";
import type { ToolAgent } from "./sdk/tool.ts";

/** An extension that takes part at a point: the winner of its id. */
export interface HookCandidate {
  /** `<point>/<file stem>`. */
  readonly id: string;
  /** Absolute. */
  readonly file: string;
  /** As messages show it. */
  readonly path: string;
  readonly layer: LayerRef;
}

/** What {@link createHooks} works with. */
export interface HooksOptions<Candidate extends HookCandidate> {
  /** Asked once for each point. */
  candidates(point: PointName): readonly Candidate[];
  /** Loads the class of an extension; asked before every run, so the loader's own memory decides what is fresh. */
  load(candidate: Candidate): Promise<LoadedExtension>;
  /** Is told of everything that an extension does wrong. */
  report(diagnostic: Diagnostic): void;
  /** How long one extension may take. Default 15,000. */
  readonly deadlineMs?: number;
  /** Runs content's code; a process guard puts its attribution in here. Default: just runs it. */
  within?<T>(source: { readonly owner: string; readonly file: string }, fn: () => T): T;
  /** Where in the author's source an error arose. */
  mapError?(error: unknown): { readonly line?: number; readonly column?: number };
}

/** What came of loading an extension. */
export type LoadedExtension = { readonly cls: new () => Extension<PointName> } | { readonly diagnostic: Diagnostic };

/** What a run is given besides the payload. */
interface HookContext<Point extends PointName> {
  readonly agent: ToolAgent | undefined;
  readonly signal: AbortSignal;
  /** Says what is wrong with what an extension left; that extension then counts as failed. */
  check?(payload: PointMap[Point]): string | undefined;
  /** Is told what each extension left that did not fail. */
  left?(payload: PointMap[Point], by: HookCandidate): void;
  /** Is told, besides `report`, what went wrong in this run. */
  failed?(diagnostic: Diagnostic): void;
}

/** What the extensions made of a payload. `denied`: one of a veto point said no, or failed. */
interface HookOutcome<Point extends PointName> {
  readonly payload: PointMap[Point];
  readonly denied?: { readonly by: string; readonly message: string };
}

/** The extension points of one generation and profile. */
export interface Hooks {
  /** Whether anything takes part at the point. */
  has(point: PointName): boolean;
  /**
   * Runs the extensions of a point in the order of their file stems, each on its own copy of what the one before
   * left. Never rejects; without extensions the payload comes back at once, as it is.
   */
  run<Point extends PointName>(
    point: Point,
    payload: PointMap[Point],
    context: HookContext<Point>,
  ): HookOutcome<Point> | Promise<HookOutcome<Point>>;
}

const DEFAULT_DEADLINE_MS = 15_000;

/** The hooks of one generation and profile. Nothing is loaded before a point runs. */
export function createHooks<Candidate extends HookCandidate>(options: HooksOptions<Candidate>): Hooks {
  const ordered = new Map<PointName, readonly Candidate[]>();
  const at = (point: PointName): readonly Candidate[] => {
    const known = ordered.get(point);
    if (known) return known;
    const sorted = [...options.candidates(point)].sort(compareCandidates);
    ordered.set(point, sorted);
    return sorted;
  };
  return {
    has: (point) => at(point).length > 0,
    run(point, payload, context) {
      const candidates = at(point);
      return candidates.length === 0 ? { payload } : runAll({ options, point, candidates, context }, payload);
    },
  };
}

interface Run<Point extends PointName, Candidate extends HookCandidate> {
  readonly options: HooksOptions<Candidate>;
  readonly point: Point;
  readonly candidates: readonly Candidate[];
  readonly context: HookContext<Point>;
}

async function runAll<Point extends PointName, Candidate extends HookCandidate>(
  run: Run<Point, Candidate>,
  payload: PointMap[Point],
): Promise<HookOutcome<Point>> {
  const isGate = POINTS[run.point].mode === "veto";
  let left = payload;
  for (const candidate of run.candidates) {
    const name = candidate.id.slice(run.point.length + 1);
    try {
      left = await runOne(run, candidate, left);
      run.context.left?.(left, candidate);
    } catch (error) {
      if (run.context.signal.aborted) return stopped(left, isGate ? name : undefined);
      blame(run, candidate, error);
      if (isGate) return { payload: left, denied: { by: name, message: `it failed: ${wordsOf(error)}` } };
      continue;
    }
    const { deny } = left as { deny?: unknown };
    if (isGate && deny !== undefined) {
      return { payload: left, denied: { by: name, message: typeof deny === "string" ? deny : String(deny) } };
    }
  }
  return { payload: left };
}

/** Stopping is nobody's fault, but a gate that was not passed to its end stays closed. */
function stopped<Point extends PointName>(payload: PointMap[Point], gate: string | undefined): HookOutcome<Point> {
  return gate === undefined ? { payload } : { payload, denied: { by: gate, message: "the call was stopped" } };
}

/** @throws what the extension did wrong; whatever it changed is then lost with its copy */
async function runOne<Point extends PointName, Candidate extends HookCandidate>(
  { options, point, context }: Run<Point, Candidate>,
  candidate: Candidate,
  payload: PointMap[Point],
): Promise<PointMap[Point]> {
  const ms = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const cancellation = createCancellation(context.signal);
  const expired = () => new ToolError("TIMEOUT", `it did not settle within ${ms} ms`);
  const within = options.within ?? ((_source, fn) => fn());
  try {
    const loaded = await cancellation.race(() => options.load(candidate), { ms, expired });
    if ("diagnostic" in loaded) throw new LoadFailure(loaded.diagnostic);
    const mine = copyFor(point, payload);
    const work = () => {
      const extension = new loaded.cls();
      return extension.execute(mine, { agent: context.agent, signal: cancellation.signal });
    };
    await cancellation.race(() => within({ owner: `extension ${candidate.path}`, file: candidate.file }, work), {
      ms,
      expired,
    });
    const left = takeOver(point, payload, mine);
    const fault = context.check?.(left);
    if (fault !== undefined) throw new Error(fault);
    return left;
  } finally {
    cancellation.close();
  }
}

/** The extension's file did not load: the diagnostic says it better than we could. */
class LoadFailure extends Error {
  readonly diagnostic: Diagnostic;

  constructor(found: Diagnostic) {
    super(found.message);
    this.diagnostic = found;
  }
}

/** What an extension may change in place is its own copy, so that a failing or late one changes nothing. */
function copyFor<Point extends PointName>(point: Point, payload: PointMap[Point]): PointMap[Point] {
  const copy: Record<string, unknown> = { ...payload };
  for (const field of POINTS[point].replaces) {
    const value = copy[field];
    if (typeof value === "object" && value !== null && !Object.isFrozen(value)) copy[field] = plainCopy(value);
  }
  return copy as PointMap[Point];
}

/** Only the fields that the point lets go; a later change of the extension's copy has no effect. */
function takeOver<Point extends PointName>(
  point: Point,
  before: PointMap[Point],
  after: PointMap[Point],
): PointMap[Point] {
  const left: Record<string, unknown> = { ...before };
  for (const field of POINTS[point].replaces) {
    if (Object.hasOwn(after, field)) left[field] = (after as Record<string, unknown>)[field];
  }
  return left as PointMap[Point];
}

function blame<Point extends PointName, Candidate extends HookCandidate>(
  { options, point, context }: Run<Point, Candidate>,
  { path }: Candidate,
  error: unknown,
): void {
  const found = error instanceof LoadFailure ? error.diagnostic : failureOf(error, { options, point, path });
  options.report(found);
  context.failed?.(found);
}

function failureOf(
  error: unknown,
  at: {
    readonly options: Pick<HooksOptions<HookCandidate>, "mapError">;
    readonly point: PointName;
    readonly path: string;
  },
): Diagnostic {
  const { options, point, path } = at;
  const { line, column } = options.mapError?.(error) ?? {};
  return diagnostic("EXTENSION_FAILED", {
    file: path,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    message: `the extension ${path} at ${point} failed: ${wordsOf(error)}`,
    hint:
      POINTS[point].mode === "veto" ? "Every call is refused until it is mended or removed." : "It was passed over.",
  });
}

function wordsOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return "something that is not an error";
  }
}

function compareCandidates(a: HookCandidate, b: HookCandidate): number {
  return compareText(stemOf(a), stemOf(b)) || a.layer.rank - b.layer.rank || compareText(a.path, b.path);
}

function stemOf({ id }: HookCandidate): string {
  return id.slice(id.indexOf("/") + 1);
}
