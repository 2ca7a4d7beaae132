import { existsSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { compareText, type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { Discovery, Edition } from "../discovery/discovery.ts";
import type { HeldText } from "../discovery/texts.ts";
import type { Secrets } from "../governance/secrets.ts";
import { createKeptVersions, type KeptVersions } from "../loading/kept-versions.ts";
import type { Probe } from "../probing/probe.ts";
import type { Prompts } from "../prompt/assemble.ts";
import { HostError } from "../sdk/errors.ts";
import type { ReloadCause, ReloadReceipt } from "../sdk/events.ts";
import { type ChangedFiles, changedFiles, differentFiles, isModule } from "./changed-files.ts";
import type { Events } from "./events.ts";
import { createGeneration, type Generation, type GenerationParts } from "./generation.ts";
import { createGenerationRecords, type FileDifference, type GenerationRecord } from "./generation-records.ts";
import type { Generations } from "./generations.ts";
import { textsToHold } from "./held-texts.ts";
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
   * @param amidst a writer may be at it: what is gone is looked for once more a little later. Default false.
   * @returns undefined where it was nothing: the same bytes, or nothing of ours
   */
  changed(paths: readonly string[], cause: ReloadCause, amidst?: boolean): Promise<ReloadReceipt | undefined>;
  /**
   * An earlier generation again, beside the one that serves.
   * @throws HostError GENERATION_UNKNOWN (usage)
   */
  revive(number: number): Generation;
  /** What the host shows of its generations. */
  readonly history: GenerationHistory;
}

/** The generations of a host: what they were, and which one serves. */
export interface GenerationHistory {
  /** The last 20, oldest first. */
  list(): readonly GenerationRecord[];
  /** How the texts of two of them differ, as far as they were in use. @throws HostError GENERATION_UNKNOWN (usage) */
  diff(from: number, to: number): readonly FileDifference[];
  /**
   * Serves what an earlier one was made of, as a new generation, whatever the disk holds; changes wait until `release`.
   * Files that it had not read come from the disk.
   * @throws HostError GENERATION_UNKNOWN (usage), HOST_CLOSED
   */
  rollback(number: number): Promise<ReloadReceipt>;
  /** Stays with the one that serves: changes wait until `release`. */
  pin(): void;
  /** The number of the generation that is stayed with or was rolled back to. */
  readonly pinned: number | undefined;
  /** Follows the disk again. @returns undefined where it did all along @throws HostError HOST_CLOSED */
  release(): Promise<ReloadReceipt | undefined>;
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
  /** The system prompt of the host's profile. */
  promptOf(generation: Generation): Promise<{ readonly text: string; readonly tokens: number }>;
  /** Tries changed modules out before they are loaded. */
  readonly probe: Pick<Probe, "check"> | undefined;
}

/** So long something may be away that a writer puts there anew. */
const AMIDST_MS = 60;

export function createReloader(options: ReloaderOptions): Reloader {
  const { discovery, generations, secrets } = options;
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other: each begins with what the one before left. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work, work);
    last = done.catch(() => {});
    return done;
  };

  const records = createGenerationRecords(discovery.display);
  records.add(generations.current);
  let pinned: number | undefined;
  const make = async (change: Change): Promise<ReloadReceipt> => {
    const receipt = await serve(change, options);
    if (receipt.to !== receipt.from) records.add(generations.current, receipt);
    return receipt;
  };
  const recorded = (number: number): Edition => {
    const edition = records.edition(number);
    if (edition) return edition;
    const known = records.list().map((record) => record.number);
    const message = `generation ${number} is not remembered; ${known[0]} to ${known.at(-1)} are`;
    throw hostError(diagnostic("GENERATION_UNKNOWN", { message, hint: "Name one of these." }), "usage");
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
        generations.requireOpen();
        if (pinned !== undefined) return unchanged(generations.current, "request");
        return await make(lookRound("request"));
      }),
    look: () =>
      inTurn(async () => {
        secrets.reload();
        if (pinned !== undefined) return undefined;
        const change = lookRound("look");
        // A module that nothing in use is made of says nothing before it is loaded.
        const counts =
          discovery.moved.length > 0 || change.files.absolute.length > 0 || !change.files.shown.every(isModule);
        return counts ? await make(change) : undefined;
      }),
    changed: (paths, cause, amidst = false) =>
      inTurn(async () => {
        generations.requireOpen();
        const begun = performance.now();
        const before = generations.current;
        if (paths.some((path) => path.endsWith(`/${SECRETS_FILE}`))) secrets.reload();
        if (pinned !== undefined) return undefined;
        let told = toldOf(discovery.everyWay(paths), before);
        if (told.only.length === 0) return undefined;
        discovery.refresh({ only: told.only, texts: before.edition.texts.fork(told.outdated) });
        let { moved } = discovery;
        if (amidst && [...told.outdated, ...moved].some((file) => !existsSync(file))) {
          await sleep(AMIDST_MS);
          generations.requireOpen();
          const again = toldOf([...discovery.everyWay(paths), ...told.only, ...moved], before);
          told = { only: [...new Set([...told.only, ...moved, ...again.only])], outdated: again.outdated };
          discovery.refresh({ only: told.only, texts: before.edition.texts.fork(told.outdated) });
          moved = [...moved, ...discovery.moved];
        }
        const files = changedFiles(before, { ...told, discovery, moved });
        if (files.absolute.length === 0) return undefined;
        const receipt = await make({ before, files, cause, begun });
        // What nobody has read counts as changed whenever it is told of: from now on it is known what it held. What the
        // look did not find is no part of this generation, also where it is there by now.
        discovery.note(files.absolute.filter(discovery.isContent), generations.current.edition.texts);
        return receipt;
      }),
    revive(number) {
      const edition = recorded(number);
      const { current } = generations;
      const { absolute: changed } = differentFiles(current.edition, edition, discovery);
      const contentRoots = options.contentRoots();
      const loader = current.loader.fork({ changed, texts: edition.texts, contentRoots });
      return createGeneration({ number, edition, loader, kept: createKeptVersions(records.kept(number)) }, options);
    },
    history: {
      list: records.list,
      diff(from, to) {
        recorded(from);
        recorded(to);
        return records.diff(from, to) ?? [];
      },
      rollback: (number) =>
        inTurn(async () => {
          generations.requireOpen();
          const edition = recorded(number);
          const begun = performance.now();
          const before = generations.current;
          pinned = number;
          const files = differentFiles(before.edition, edition, discovery);
          return await make({ before, files, cause: "rollback", begun, edition, kept: records.kept(number) });
        }),
      pin: () => {
        pinned ??= generations.current.number;
      },
      get pinned() {
        return pinned;
      },
      release: () =>
        inTurn(async () => {
          if (pinned === undefined) return undefined;
          generations.requireOpen();
          pinned = undefined;
          return await make(lookRound("release"));
        }),
    },
  };
}

/** The receipt of a reload that was not to change anything. */
function unchanged({ number }: Generation, cause: ReloadCause): ReloadReceipt {
  const durations = { lookMs: 0, loadMs: 0, swapMs: 0 };
  return { status: "ok", cause, from: number, to: number, files: [], hashes: {}, durations, diagnostics: [] };
}

/** What a report of changed paths comes to, before the disk is looked at. */
interface Told {
  /** Where something may have changed: paths whose text is in use only if they hold another one now. */
  readonly only: readonly string[];
  /** Files with a text that is known and that hold another one now, and modules that may load now. */
  readonly outdated: readonly string[];
}

function toldOf(paths: readonly string[], before: Generation): Told {
  const { texts } = before.edition;
  const known = paths.filter(texts.knows);
  const others = paths.filter((path) => !texts.knows(path));
  const below =
    others.length === 0 ? [] : texts.known().filter((file) => others.some((path) => file.startsWith(`${path}/`)));
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
  /** What is served then. Default: what the last look found. */
  readonly edition?: Edition;
  /** See {@link SuccessionInput}. */
  readonly kept?: KeptVersions | undefined;
}

async function serve(
  { before, files, cause, begun, edition: given, kept }: Change,
  options: ReloaderOptions,
): Promise<ReloadReceipt> {
  const { discovery, generations, secrets, events } = options;
  const looked = performance.now();
  const held = given ? new Map<string, HeldText>() : await textsToHold(before, files.absolute, options);
  if (held.size > 0) {
    const texts = before.edition.texts.fork(files.absolute);
    for (const [file, text] of held) texts.hold(file, text);
    discovery.refresh({ only: files.absolute, texts });
  }
  const edition = given ?? discovery.edition;
  let next: Generation | undefined;
  let faults: readonly Diagnostic[] = [];
  let refused: ReloadReceipt["diagnostics"] = [];
  try {
    next = await succeed(
      before,
      {
        edition,
        kept,
        changed: files.absolute,
        contentRoots: options.contentRoots(),
        probe: options.probe,
        pluginOf: discovery.pluginOf,
      },
      options,
    );
    faults = [...faultsOf(next), ...secrets.diagnostics()].filter(({ severity }) => severity === "error");
  } catch (error) {
    // The host's own profile or project is gone: what served before goes on.
    if (!(error instanceof HostError)) throw error;
    refused = [{ code: error.code, message: error.message }];
  }
  const loaded = performance.now();
  // Until its prompt is read, somebody holds it.
  const lease = before.promptServed ? generations.lease() : undefined;
  if (next) generations.replace(next);
  const swapped = performance.now();
  const prompt = lease && next ? await promptChange(before, next, options) : undefined;
  lease?.release();
  const diagnostics = next ? faults : refused;
  const receipt: ReloadReceipt = {
    status: diagnostics.length > 0 ? "failed" : "ok",
    cause,
    from: before.number,
    to: (next ?? before).number,
    files: files.shown,
    hashes: hashesOf(files, { before, next: next ?? before, discovery }),
    durations: { lookMs: looked - begun, loadMs: loaded - looked, swapMs: swapped - loaded },
    ...(prompt ? { prompt } : {}),
    diagnostics,
  };
  events.emit({ type: "reload", ...receipt });
  await generations.retired();
  return receipt;
}

/** How the system prompt of the host's profile has changed. */
async function promptChange(
  before: Generation,
  next: Generation,
  { promptOf }: Pick<ReloaderOptions, "promptOf">,
): Promise<ReloadReceipt["prompt"]> {
  const [old, now] = [await promptOf(before), await promptOf(next)];
  next.servePrompt(next.registry());
  const [was, is] = [Buffer.from(old.text), Buffer.from(now.text)];
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  return {
    tokens: { before: old.tokens, after: now.tokens },
    bytes: { before: was.length, after: is.length },
    samePrefixBytes: same,
  };
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
