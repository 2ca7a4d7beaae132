import type { CallSpills } from "./sessions.ts";

/**
 * The agents of one conversation, each of which reads the large outputs of all: what one tells another may say where the
 * whole of something is.
 */
export interface Family {
  /** @returns the same for the calls of this one, which read what all have kept */
  join(own: CallSpills): CallSpills;
  /** Reads with the others what an earlier process has left. */
  add(left: Pick<CallSpills, "readable">): void;
}

export function createFamily(): Family {
  const members: Pick<CallSpills, "readable">[] = [];
  const readable: CallSpills["readable"] = () => members.flatMap((member) => member.readable());
  return {
    join(own) {
      members.push(own);
      return { spill: own.spill, open: own.open, readable };
    },
    add: (left) => void members.push(left),
  };
}
