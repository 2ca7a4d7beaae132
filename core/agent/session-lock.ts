import { randomInt } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { diagnostic, hostError } from "../diagnostics.ts";
import { type ProcessLock, takeLock } from "../governance/process-lock.ts";

const MAX_ATTEMPTS = 3;
const MAX_PAUSE_MS = 50;

/**
 * Takes a session for this process, and tries again for a moment: two who come at once may both have given way.
 *
 * @param directory of the session; it is made
 * @param options.display how a file is named in messages
 * @throws HostError SESSION_BUSY
 */
export async function takeSession(
  directory: string,
  { id, display }: { readonly id: string; display(file: string): string },
): Promise<ProcessLock> {
  for (let attempt = 1; ; attempt++) {
    const taken = takeLock(directory);
    if (!("holder" in taken)) return taken;
    if (attempt < MAX_ATTEMPTS) {
      await wait(randomInt(MAX_PAUSE_MS));
      continue;
    }
    const { pid, file, here } = taken.holder;
    const who = here && pid === process.pid ? "another agent of this process" : `process ${pid}`;
    const where = here ? "" : " on another machine";
    const message = `expected a session that nobody has, found ${id} in the hands of ${who}${where}`;
    const hint = here ? "End that one first." : `If it is gone, delete ${display(file)}.`;
    throw hostError(diagnostic("SESSION_BUSY", { message, hint }));
  }
}
