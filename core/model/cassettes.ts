import { resolve } from "node:path";
import { type Diagnostic, diagnostic, hostError } from "../diagnostics.ts";
import type { Masker } from "../governance/mask.ts";
import { RECEIPT_IDS } from "../governance/receipt-id.ts";
import type { Endpoint, Environment } from "./endpoints.ts";
import { OFFLINE } from "./model.ts";
import type { Recorder } from "./record.ts";
import type { Player } from "./replay.ts";

/** The environment variable that turns recording or replaying on: `record:FILE` or `replay:FILE`. */
const VARIABLE = "TOOLROOM_CASSETTE";
/** A model id that begins so names a cassette: `replay/FILE`. */
const REPLAY = "replay/";

/**
 * The cassettes of one host. Relative files lie below its current directory.
 *
 * - `TOOLROOM_CASSETTE=record:FILE` writes the traffic of all its models into a new cassette.
 * - `TOOLROOM_CASSETTE=replay:FILE` answers from it, without network, keys or settings of providers; where no model is
 *   chosen, the first one of the cassette is.
 * - The model id `replay/FILE` does the same for whoever is given it.
 */
export interface Cassettes {
  /**
   * What answers for a model instead of its provider; undefined when nothing is replayed.
   * @throws HostError CASSETTE_UNREADABLE, CASSETTE_MISMATCH (a model that the cassette has nothing of), USAGE
   */
  replay(id: string | undefined): Promise<Replayed | undefined>;
  /**
   * A `fetch` that records; undefined when nothing is recorded.
   * @throws HostError CASSETTE_UNWRITABLE, USAGE
   */
  record(endpoint: Endpoint | typeof OFFLINE): Promise<typeof fetch | undefined>;
  /** What a replayed model said, with the receipts that calls have now in place of those that they had when it was recorded. */
  withLiveReceipts(text: string): Promise<string>;
}

/** A model that is replayed. */
export interface Replayed {
  readonly id: string;
  readonly endpoint: Endpoint;
  readonly fetch: typeof fetch;
}

/** What the cassettes of a host need. */
export interface CassettesOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly masker: Pick<Masker, "mask">;
  report(diagnostic: Diagnostic): void;
}

/** Nothing is opened before a model is, and nothing is imported where no cassette is asked for. */
export function createCassettes({ env, cwd, masker, report }: CassettesOptions): Cassettes {
  const players = new Map<string, Promise<Player>>();
  let recorder: Promise<Recorder> | undefined;

  const playerOf = (shown: string): Promise<Player> => {
    const file = resolve(cwd, shown);
    const player =
      players.get(file) ?? import("./replay.ts").then(({ openPlayer }) => openPlayer({ file, shown, masker }));
    players.set(file, player);
    return player;
  };
  const begin = async (shown: string): Promise<Recorder> => {
    const [{ createRecorder }, { beginTape }] = await Promise.all([import("./record.ts"), import("./tape.ts")]);
    return createRecorder(beginTape({ file: resolve(cwd, shown), shown, report }), masker);
  };
  return {
    async replay(id) {
      const named = id?.trim().startsWith(REPLAY) ? id.trim().slice(REPLAY.length) : undefined;
      const shown = named ?? fileFor("replay", env);
      if (shown === undefined || id === OFFLINE) return undefined;
      const { exchanges, fetch } = await playerOf(shown);
      const wanted = named === undefined ? id : undefined;
      const ids = new Map(exchanges.map(({ endpoint }) => [`${endpoint.provider}/${endpoint.model}`, endpoint]));
      const [known] = wanted === undefined ? ids : [...ids].filter(([known]) => known === wanted);
      if (!known) throw notRecorded(shown, wanted, [...ids.keys()]);
      return { id: named === undefined ? known[0] : `${REPLAY}${named}`, endpoint: known[1], fetch };
    },
    async record(endpoint) {
      const shown = fileFor("record", env);
      if (shown === undefined) return undefined;
      if (endpoint === OFFLINE) throw usage("expected a provider's model to record, found the offline model");
      recorder ??= begin(shown);
      return (await recorder).fetch(endpoint);
    },
    async withLiveReceipts(text) {
      let live = text;
      for (const player of players.values()) {
        const { receipts } = await player;
        live = live.replace(RECEIPT_IDS, (id) => receipts.get(id) ?? id);
      }
      return live;
    },
  };
}

function fileFor(mode: "record" | "replay", env: Environment): string | undefined {
  const value = env[VARIABLE];
  if (!value) return undefined;
  const [, found, file] = /^(record|replay):(.+)$/su.exec(value) ?? [];
  if (file === undefined) throw usage(`expected record:FILE or replay:FILE, found ${JSON.stringify(value)}`);
  return found === mode ? file : undefined;
}

function notRecorded(file: string, wanted: string | undefined, known: readonly string[]) {
  return hostError(
    diagnostic("CASSETTE_MISMATCH", {
      file,
      message: `expected one of the models that were recorded (${known.join(", ")}), found ${wanted}`,
      hint: "Leave the model out, or record it with this one.",
    }),
  );
}

function usage(message: string) {
  return hostError(diagnostic("USAGE", { message: `${VARIABLE}: ${message}` }), "usage");
}
