import type { ReloadReceipt } from "../sdk/events.ts";
import type { FileDifference, GenerationRecord } from "./generation-records.ts";

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
