import { compareText } from "../diagnostics.ts";
import type { Discovery, Edition } from "../discovery/discovery.ts";
import type { KeptVersions } from "../loading/kept-versions.ts";
import type { ReloadReceipt } from "../sdk/events.ts";
import { differentFiles } from "./changed-files.ts";
import type { Generation } from "./generation.ts";

/** What is remembered of a generation. */
export interface GenerationRecord {
  readonly number: number;
  /** When it began to serve, ISO 8601. */
  readonly at: string;
  /** What made it; absent of the first. */
  readonly receipt?: ReloadReceipt;
}

/** A file that two generations have different texts of. Only texts that were in use are known. */
export interface FileDifference {
  /** Display path. */
  readonly path: string;
  /** Absent where the earlier one has none in use. */
  readonly before?: string;
  /** Absent where the later one has none in use. */
  readonly after?: string;
}

/** The last generations of a host. */
export interface GenerationRecords {
  add(generation: Generation, receipt?: ReloadReceipt): void;
  /** Oldest first. */
  list(): readonly GenerationRecord[];
  /** What a generation was made of, to serve it again; undefined where it is not remembered. */
  edition(number: number): Edition | undefined;
  /** The versions that it served in place of modules that did not load. */
  kept(number: number): KeptVersions | undefined;
}

/** So many are remembered. */
const KEPT = 20;

export function createGenerationRecords(): GenerationRecords {
  const kept = new Map<number, Remembered>();
  return {
    add({ number, edition: { again }, kept: versions }, receipt) {
      const record = { number, at: new Date().toISOString(), ...(receipt ? { receipt } : {}) };
      kept.set(number, { record, versions, again });
      for (const oldest of kept.keys()) if (kept.size > KEPT) kept.delete(oldest);
    },
    list: () => [...kept.values()].map(({ record }) => record),
    edition: (number) => kept.get(number)?.again(),
    kept: (number) => kept.get(number)?.versions,
  };
}

interface Remembered {
  readonly record: GenerationRecord;
  readonly versions: KeptVersions;
  again(): Edition;
}

/** How the texts of two editions differ, sorted by path. */
export function differences(
  old: Edition,
  now: Edition,
  discovery: Pick<Discovery, "display">,
): readonly FileDifference[] {
  return differentFiles(old, now, discovery)
    .absolute.map((file): FileDifference => {
      const [was, is] = [old.texts.get(file)?.text, now.texts.get(file)?.text];
      return {
        path: discovery.display(file),
        ...(was === undefined ? {} : { before: was }),
        ...(is === undefined ? {} : { after: is }),
      };
    })
    .sort((a, b) => compareText(a.path, b.path));
}
