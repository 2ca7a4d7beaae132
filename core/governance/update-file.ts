import { ToolError } from "../sdk/errors.ts";
import type { FileNow } from "../sdk/workspace.ts";
import { throwIfAborted } from "./file-errors.ts";
import type { HostState } from "./host-state.ts";
import { type OpenFile, openFile } from "./open-file.ts";
import { readOpen } from "./read-file.ts";
import { isVersion, type SeenFiles } from "./seen-files.ts";
import { writeFileAtomically } from "./write-file.ts";

/** One change of a file that depends on what is in it. */
export interface FileUpdate {
  /** As `resolveInside` returned it. */
  readonly real: string;
  /** The path as messages name it. */
  readonly shown: string;
  /** What becomes of the content; undefined: nothing is written. */
  change(now: FileNow): string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>;
  /** Why the content may not be given to whoever changes it; undefined: it may. */
  readonly unreadable: ToolError | undefined;
  readonly maxBytes: number;
  /** What whoever changes it has seen; absent: it is not known. */
  readonly seen: SeenFiles | undefined;
  /** Whether it has to have been seen. */
  readonly mustBeSeen: boolean;
  readonly signal: AbortSignal | undefined;
  readonly state: HostState | undefined;
}

/** Each time that it does not work out, somebody else's change did; more than that many cannot be at work on one file. */
const MAX_ATTEMPTS = 50;

/**
 * Changes a file so that nothing is lost that others write meanwhile: what lies there is compared with what was read in
 * the same step that replaces it, and where it is something else, the change is made anew of that.
 *
 * @throws ToolError what `change` throws, CONFLICT, and as reading and writing
 */
export async function updateFile(update: FileUpdate): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    throwIfAborted(update.signal);
    if (await attemptUpdate(update)) return;
  }
  throw new ToolError("CONFLICT", `${update.shown} is being changed by others all the time`, { hint: "Ask again." });
}

/** @returns false where somebody else was faster */
async function attemptUpdate(update: FileUpdate): Promise<boolean> {
  const { real, shown, change, seen, signal } = update;
  const found = await openIfThere(update);
  try {
    // It stays open to the end, so that no other file can get its number.
    const before = found ? await found.handle.stat({ bigint: true }) : "nothing";
    await requireSeen(update, found);
    const content = await change(fileNow(update, found));
    if (content === undefined) return true;
    if (!(await writeFileAtomically({ real, shown, content, signal, over: before }))) return false;
    seen?.note(real, content);
    return true;
  } finally {
    await found?.handle.close();
  }
}

async function openIfThere({ real, shown, state }: FileUpdate): Promise<OpenFile | undefined> {
  try {
    return await openFile(real, shown, state);
  } catch (error) {
    if (error instanceof ToolError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

function fileNow({ shown, unreadable, maxBytes, signal }: FileUpdate, found: OpenFile | undefined): FileNow {
  return {
    exists: found !== undefined,
    async read() {
      if (unreadable) throw unreadable;
      if (!found) throw new ToolError("NOT_FOUND", `there is nothing at ${shown}`, { hint: "Check the spelling." });
      return await readOpen(found.handle, shown, { maxBytes, signal });
    },
  };
}

/** @throws ToolError CONFLICT where the file is not what was last seen of it */
async function requireSeen(
  { real, shown, seen, mustBeSeen, signal }: FileUpdate,
  found: OpenFile | undefined,
): Promise<void> {
  if (!found || !seen) return;
  const known = seen.of(real);
  if (!known) {
    if (mustBeSeen) throw conflict(`${shown} has not been read in this conversation`);
    return;
  }
  const isKnown =
    found.size === known.size &&
    isVersion(await readOpen(found.handle, shown, { maxBytes: Number.MAX_SAFE_INTEGER, signal }), known);
  if (!isKnown) throw conflict(`${shown} has changed since it was last read in this conversation`);
}

function conflict(message: string): ToolError {
  return new ToolError("CONFLICT", message, { pointer: "/path", hint: "Read it again, then make the change anew." });
}
