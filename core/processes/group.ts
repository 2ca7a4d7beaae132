import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a group that was asked to end may take before it is killed. */
const GRACE_MS = 300;
const STEP_MS = 10;
/** A killed process is gone within this time, unless the system itself hangs. */
const GONE_MS = 2_000;

/** A process of a group. */
export interface GroupMember {
  readonly pid: number;
  /** The name of its program, as the system cuts it. */
  readonly name: string;
}

/** A group of processes that is to end. */
export interface EndingGroup {
  /** Of its first process, which began it. */
  readonly id: number;
  /**
   * Programs by this name hold the others and end with the last of them; to end them first would kill the others without
   * a warning.
   */
  readonly holder?: string | undefined;
}

/**
 * Ends all processes of a group: SIGTERM, and SIGKILL for those that are there a moment later.
 * @returns when none is left
 */
export async function endGroup(group: EndingGroup): Promise<void> {
  if (!askToEnd(group)) return;
  if (await isGone(group.id, GRACE_MS)) return;
  killGroup(group.id);
  await isGone(group.id, GONE_MS);
}

/** Ends all processes of a group at once, without a wait. */
export function killGroup(id: number): void {
  signalTo(-id, "SIGKILL");
}

/** The processes of a group that run. Told by `/proc`; without it none can be told apart. */
export function groupMembers(id: number): readonly GroupMember[] {
  return processIds().flatMap((pid) => {
    const found = statusOf(pid);
    return found?.group === id && !found.isOver ? [{ pid, name: found.name }] : [];
  });
}

/** @returns false where there is nobody to ask */
function askToEnd({ id, holder }: EndingGroup): boolean {
  if (holder === undefined) return signalTo(-id, "SIGTERM");
  if (!signalTo(-id, 0)) return false;
  const members = groupMembers(id);
  const held = members.filter(({ name }) => name !== holder);
  // One that has not begun what it is to hold has nothing to wait for.
  for (const { pid } of held.length > 0 ? held : members) signalTo(pid, "SIGTERM");
  return members.length > 0;
}

async function isGone(id: number, withinMs: number): Promise<boolean> {
  for (let waited = 0; isAlive(id); waited += STEP_MS) {
    if (waited >= withinMs) return false;
    await sleep(STEP_MS);
  }
  return true;
}

/** What has ended and was not yet taken notice of counts for nothing: nobody may ever do so. */
function isAlive(id: number): boolean {
  if (!signalTo(-id, 0)) return false;
  return processIds().length === 0 || groupMembers(id).length > 0;
}

/** @returns false where there is no such process, or it is somebody else's */
function signalTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

function processIds(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/u.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** The name stands in parentheses and may hold any character, also these. */
function statusOf(
  pid: number,
): { readonly name: string; readonly group: number; readonly isOver: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    const end = text.lastIndexOf(")");
    const [state, , group] = text.slice(end + 2).split(" ");
    return {
      name: text.slice(text.indexOf("(") + 1, end),
      group: Number(group),
      isOver: state === "Z" || state === "X",
    };
  } catch {
    return undefined;
  }
}
