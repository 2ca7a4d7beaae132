import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { diagnostic, hostError } from "../diagnostics.ts";
import type { Edition } from "../discovery/discovery.ts";
import { look } from "../discovery/look.ts";
import type { Secrets } from "../governance/secrets.ts";
import { createKeptVersions } from "../loading/kept-versions.ts";
import type { ReloadCause, ReloadReceipt } from "../sdk/events.ts";
import { changedFiles, differentFiles, isModule } from "./changed-files.ts";
import { createGeneration, type Generation } from "./generation.ts";
import type { GenerationHistory } from "./generation-history.ts";
import { createGenerationRecords, differences } from "./generation-records.ts";
import { SECRETS_FILE } from "./secrets.ts";
import { type Change, type ServingOptions, serve } from "./serving.ts";
import { isEmptied } from "./until-written.ts";

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
   * @param isAmidst whether a writer may be at it, asked when they are looked at: what is gone is looked for once more a
   * little later. Default: nobody is. What is emptied always is.
   * @returns undefined where it was nothing: the same bytes, or nothing of ours
   */
  changed(paths: readonly string[], cause: ReloadCause, isAmidst?: () => boolean): Promise<ReloadReceipt | undefined>;
  /**
   * An earlier generation again, beside the one that serves.
   * @throws HostError GENERATION_UNKNOWN (usage)
   */
  revive(number: number): Generation;
  /** What the host shows of its generations. */
  readonly history: GenerationHistory;
}

/** What {@link createReloader} joins. */
export interface ReloaderOptions extends ServingOptions {
  readonly secrets: Pick<Secrets, "reload" | "diagnostics">;
}

/** So long something may be away, or empty, that a writer puts there anew. */
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

  const records = createGenerationRecords();
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
    changed: (paths, cause, isAmidst = () => false) =>
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
        const { edition } = discovery;
        if ([...told.outdated, ...moved].some((file) => isHalfWay(file, { before, edition, isAmidst }))) {
          await sleep(AMIDST_MS);
          generations.requireOpen();
          const again = toldOf([...discovery.everyWay(paths), ...told.only, ...moved], before);
          told = { only: [...new Set([...told.only, ...moved, ...again.only])], outdated: again.outdated };
          discovery.refresh({ only: told.only, texts: before.edition.texts.fork(told.outdated) });
          moved = [...moved, ...discovery.moved];
        }
        const files = changedFiles(before, { ...told, discovery, moved });
        if (files.absolute.length === 0) return undefined;
        // What nobody has read counts as changed whenever it is told of: from now on it is known what it held. What the
        // look did not find is no part of this generation, also where it is there by now. And what it found is, also where
        // it is gone by the time that somebody asks for it.
        const there = files.absolute.filter(discovery.isContent);
        discovery.note(there, discovery.texts);
        const receipt = await make({ before, files, cause, begun });
        discovery.note(there, generations.current.edition.texts);
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
      diff: (from, to) => differences(recorded(from), recorded(to), discovery),
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

/**
 * Whether a file may be about to be written: it is gone amidst other changes, or it is empty, or was when it was looked
 * at, and held something before. It need not have been when the change was told: that may have waited for its turn.
 */
function isHalfWay(
  file: string,
  { before, edition, isAmidst }: { readonly before: Generation; readonly edition: Edition; isAmidst(): boolean },
): boolean {
  const found = look(file);
  if (!found) return isAmidst();
  const { texts } = before.edition;
  return isEmptied(file, { texts, found }) || (edition.texts.get(file)?.text === "" && !!texts.get(file)?.text);
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
