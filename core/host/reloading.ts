import { performance } from "node:perf_hooks";
import { compareText, type Diagnostic } from "../diagnostics.ts";
import type { Discovery, View } from "../discovery/discovery.ts";
import { type HeldText, hashAt } from "../discovery/texts.ts";
import type { Secrets } from "../governance/secrets.ts";
import type { Probe } from "../probing/probe.ts";
import type { Prompts } from "../prompt/assemble.ts";
import { HostError } from "../sdk/errors.ts";
import type { ReloadCause, ReloadReceipt } from "../sdk/events.ts";
import { type ChangedFiles, changedFiles, isModule } from "./changed-files.ts";
import type { Events } from "./events.ts";
import type { Generation, GenerationParts } from "./generation.ts";
import type { Generations } from "./generations.ts";
import { SECRETS_FILE } from "./secrets.ts";
import { faultsOf, succeed } from "./succession.ts";

/** Makes generations out of changes, one at a time. */
export interface Reloader {
  /**
   * Reads the directories again and serves what they hold now.
   * @throws HostError HOST_CLOSED
   */
  reload(): Promise<ReloadReceipt>;
  /**
   * Looks round at everything, for what nobody told.
   * @returns undefined where nothing has changed
   */
  look(): Promise<ReloadReceipt | undefined>;
  /**
   * The same for files and directories (absolute) that something happened to.
   * @returns undefined where it was nothing: the same bytes, or nothing of ours
   */
  changed(paths: readonly string[], cause: ReloadCause): Promise<ReloadReceipt | undefined>;
}

/** What {@link createReloader} joins. */
export interface ReloaderOptions extends GenerationParts {
  readonly discovery: Discovery;
  readonly secrets: Pick<Secrets, "reload" | "diagnostics">;
  readonly generations: Generations;
  readonly prompts: Pick<Prompts, "fault">;
  readonly events: Events;
  /** The directories whose modules are content. */
  contentRoots(): readonly string[];
  /** Tries changed modules out before they are loaded. */
  readonly probe: Pick<Probe, "check"> | undefined;
}

export function createReloader(options: ReloaderOptions): Reloader {
  const { discovery, generations, secrets } = options;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: each begins with what the one before left. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };

  const lookRound = (cause: ReloadCause): Change => {
    generations.requireOpen();
    const begun = performance.now();
    const before = generations.current;
    const outdated = before.edition.texts.outdated();
    discovery.refresh({ texts: before.edition.texts.fork(outdated) });
    return { before, files: changedFiles(before, { outdated, discovery }), cause, begun };
  };

  return {
    reload: () =>
      inTurn(async () => {
        secrets.reload();
        return await serve(lookRound("request"), options);
      }),
    look: () =>
      inTurn(async () => {
        secrets.reload();
        const change = lookRound("look");
        // A module that nothing in use is made of says nothing before it is loaded.
        const counts =
          discovery.moved.length > 0 || change.files.absolute.length > 0 || !change.files.shown.every(isModule);
        return counts ? await serve(change, options) : undefined;
      }),
    changed: (paths, cause) =>
      inTurn(async () => {
        generations.requireOpen();
        const begun = performance.now();
        const before = generations.current;
        if (paths.some((path) => path.endsWith(`/${SECRETS_FILE}`))) secrets.reload();
        const told = toldOf(discovery.everyWay(paths), before);
        if (told.only.length === 0) return undefined;
        discovery.refresh({ only: told.only, texts: before.edition.texts.fork(told.outdated) });
        const files = changedFiles(before, { ...told, discovery });
        if (files.absolute.length === 0) return undefined;
        return await serve({ before, files, cause, begun }, options);
      }),
  };
}

/** What a report of changed paths comes to, before the disk is looked at. */
interface Told {
  /** Where something may have changed: paths whose text is in use only if they hold another one now. */
  readonly only: readonly string[];
  /** Files with a text in use that hold another one now, and modules that may load now. */
  readonly outdated: readonly string[];
}

function toldOf(paths: readonly string[], before: Generation): Told {
  const { texts } = before.edition;
  const known = paths.filter((path) => texts.get(path) !== undefined);
  const others = paths.filter((path) => texts.get(path) === undefined);
  const below = [...texts.hashes().keys()].filter((file) => others.some((path) => file.startsWith(`${path}/`)));
  const outdated = [...texts.outdated([...known, ...below]), ...awaited(before, paths)];
  return { only: [...new Set([...others, ...outdated])], outdated };
}

/** The modules that did not load for want of something that may have appeared now. */
function awaited({ kept, loader }: Generation, paths: readonly string[]): readonly string[] {
  const failing = [...kept.tools.keys(), ...kept.extensions.keys()];
  return failing.filter((file) => {
    const places = loader.lookedIn(file);
    return paths.some((path) => places.some((place) => path === place || path.startsWith(`${place}/`)));
  });
}

interface Change {
  readonly before: Generation;
  readonly files: ChangedFiles;
  readonly cause: ReloadCause;
  /** When the change was taken up (`performance.now()`). */
  readonly begun: number;
}

async function serve({ before, files, cause, begun }: Change, options: ReloaderOptions): Promise<ReloadReceipt> {
  const { discovery, generations, secrets, events } = options;
  const looked = performance.now();
  const held = await textsToHold(before, files, options);
  if (held.size > 0) {
    const texts = before.edition.texts.fork(files.absolute);
    for (const [file, text] of held) texts.hold(file, text);
    discovery.refresh({ only: files.absolute, texts });
  }
  const { edition } = discovery;
  let next: Generation | undefined;
  let faults: readonly Diagnostic[] = [];
  let refused: ReloadReceipt["diagnostics"] = [];
  try {
    next = await succeed(
      before,
      { edition, changed: files.absolute, contentRoots: options.contentRoots(), probe: options.probe },
      options,
    );
    faults = [...faultsOf(next), ...secrets.diagnostics()].filter(({ severity }) => severity === "error");
  } catch (error) {
    // The host's own profile or project is gone: what served before goes on.
    if (!(error instanceof HostError)) throw error;
    refused = [{ code: error.code, message: error.message }];
  }
  const loaded = performance.now();
  if (next) await generations.replace(next);
  const diagnostics = next ? faults : refused;
  const receipt: ReloadReceipt = {
    status: diagnostics.length > 0 ? "failed" : "ok",
    cause,
    from: before.number,
    to: (next ?? before).number,
    files: files.shown,
    hashes: hashesOf(files, { before, next: next ?? before, discovery }),
    durations: { lookMs: looked - begun, loadMs: loaded - looked, swapMs: performance.now() - loaded },
    diagnostics,
  };
  events.emit({ type: "reload", ...receipt });
  return receipt;
}

/** Of each file with a text in use before or after, what it was and what it is. */
function hashesOf(
  { absolute }: ChangedFiles,
  { before, next, discovery }: { before: Generation; next: Generation; discovery: Discovery },
): ReloadReceipt["hashes"] {
  const found = absolute.flatMap((file) => {
    const [old, now] = [before.edition.texts.get(file)?.hash, next.edition.texts.get(file)?.hash];
    if (old === undefined && now === undefined) return [];
    const path = discovery.display(file);
    return [[path, { ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }]];
  });
  return Object.fromEntries(found.sort(([a], [b]) => compareText(String(a), String(b))));
}

/**
 * The texts of files that are data and cannot be used as they are now, although they could before: these go on. What
 * a module does is not known before it is loaded, so modules are kept as modules.
 */
async function textsToHold(
  before: Generation,
  files: ChangedFiles,
  options: ReloaderOptions,
): Promise<ReadonlyMap<string, HeldText>> {
  const { discovery } = options;
  const held = new Map<string, HeldText>();
  const data = files.absolute.filter((file) => !isModule(file) && before.edition.texts.get(file) !== undefined);
  if (data.length === 0) return held;
  const now = new Map<string, Diagnostic>();
  for (const profile of before.profiles) {
    const [old, fresh] = [before.registry(profile).view, viewOf(options, profile)];
    if (!fresh) continue;
    const known = new Set((await faultsIn(old, data, options)).map(({ file }) => file));
    for (const item of await faultsIn(fresh, data, options)) {
      if (item.file !== undefined && !known.has(item.file)) now.set(item.file, item);
    }
  }
  for (const file of data) {
    const why = now.get(discovery.display(file));
    const text = before.edition.texts.get(file);
    if (why && text) held.set(file, { text: text.text, hash: text.hash, instead: hashAt(file), why });
  }
  return held;
}

function viewOf({ discovery, defaults }: ReloaderOptions, profile: string): View | undefined {
  try {
    return discovery.view(profile, defaults.project);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}

/** The errors of a view that name one of the files. */
async function faultsIn(
  view: View,
  files: readonly string[],
  { discovery, prompts }: Pick<ReloaderOptions, "discovery" | "prompts">,
): Promise<readonly Diagnostic[]> {
  const named = new Map(files.map((file) => [discovery.display(file), file]));
  const found = [...view.diagnostics];
  for (const kind of ["fragment", "prompt", "skill"] as const) {
    for (const { winner } of view.catalog.list(kind)) {
      if (!winner || !named.has(winner.path)) continue;
      if (kind === "skill") found.push(...view.skill(winner).diagnostics);
      else {
        if (kind === "fragment") found.push(...view.fragment(winner).diagnostics);
        const fault = await prompts.fault(view, winner);
        if (fault) found.push(fault);
      }
    }
  }
  return found.filter(({ severity, file }) => severity === "error" && file !== undefined && named.has(file));
}
