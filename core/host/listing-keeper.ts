import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Diagnostic } from "../diagnostics.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { isFresh } from "../discovery/walk.ts";
import { estopFiles } from "../governance/estop.ts";
import type { ContractCache } from "../loading/contract-cache.ts";
import { stateDirectories, trustFile } from "../locations.ts";
import type { HostDirectories } from "./host-directories.ts";
import { listingQuestion } from "./kept-listing.ts";
import type { Listing } from "./listing.ts";
import { stampsOf, writeListing } from "./listing-file.ts";
import type { HostOptions } from "./options.ts";

/** Keeps the listing of a host for the next process: see `keptListing`. */
export interface ListingKeeper {
  /** The listing of the host's own profile, as it is told. */
  note(listing: Listing): void;
  /** Writes what was noted, if it may be kept. To be called when all caches are written. Gives what went wrong, if anything. */
  save(): Diagnostic | undefined;
}

/** What {@link createListingKeeper} joins. */
export interface ListingKeeperParts {
  readonly options: HostOptions;
  readonly directories: HostDirectories;
  readonly discovery: Pick<Discovery, "sources">;
  readonly contracts: Pick<ContractCache, "sources">;
  /** When the host began to look, in ms since the epoch. */
  readonly startedAt: number;
}

/**
 * A listing is kept where all that it was made of can be named and compared: of the first generation, without anything to
 * tell (what is told is masked by secrets, which no cache may hold the traces of), of a root without links, and long enough
 * after the last change.
 */
export function createListingKeeper(parts: ListingKeeperParts): ListingKeeper {
  const { options, directories, startedAt } = parts;
  let noted: Listing | undefined;
  return {
    note(listing) {
      noted = listing.generation === 1 && listing.diagnostics.length === 0 ? listing : undefined;
    },
    save() {
      const found = noted && sourcesOf(parts);
      if (!noted || !found) return undefined;
      const { paths, required } = found;
      const stamps = stampsOf(paths, { required, isFresh: (stats) => isFresh(stats, startedAt) });
      if (!stamps) return undefined;
      const question = listingQuestion(options, directories);
      return writeListing(directories.cacheDir, { question, sources: { paths, stamps }, text: JSON.stringify(noted) });
    },
  };
}

/** Where the modules of the host lie: each build of it gives them other names. */
const CODE = dirname(fileURLToPath(import.meta.url));

function sourcesOf({ options, directories, discovery, contracts }: ListingKeeperParts) {
  const content = discovery.sources();
  if (!content) return undefined;
  const { env = process.env } = options;
  const { file, vouching } = contracts.sources();
  const read = new Set([CODE, ...content, ...vouching]);
  const states = stateDirectories(directories.root, env);
  const own = [...(file === undefined ? [] : [file]), ...states, ...estopFiles(states), trustFile(env)];
  return { paths: [...new Set([...read, ...own])], required: read.size };
}
