import type { StandingApproval } from "../sdk/approval.ts";
import type { Audience, Said } from "./audience.ts";

/** Approvals that are written down nowhere: for a turn, or a conversation in memory. They end with it. */
export interface PassingApprovals {
  add(approval: StandingApproval, said: SaidWhere): void;
  /** Those that hold now. */
  list(): readonly StandingApproval[];
  /** @returns the ids of those that held and hold no longer */
  revoke(ids: readonly string[] | "all"): readonly string[];
}

/** Where it was said, and so counts. */
export interface SaidWhere {
  readonly where: Pick<Audience, "approved">;
  /** Of the call. */
  readonly hash: string;
  readonly said: Said;
}

interface Passing extends Pick<SaidWhere, "hash"> {
  readonly approval: StandingApproval;
  /** It is not kept for the list alone. */
  readonly where: WeakRef<SaidWhere["where"]>;
}

export function createPassingApprovals(): PassingApprovals {
  let known: readonly Passing[] = [];
  const held = (): readonly Passing[] => {
    known = known.filter(({ approval, where, hash }) => where.deref()?.approved?.get(hash)?.id === approval.id);
    return known;
  };
  return {
    add(approval, { where, hash, said }) {
      where.approved ??= new Map();
      where.approved.set(hash, said);
      known = [...held(), { approval, hash, where: new WeakRef(where) }];
    },
    list: () => held().map(({ approval }) => approval),
    revoke(ids) {
      const ended = held().filter(({ approval }) => ids === "all" || ids.includes(approval.id));
      for (const { where, hash } of ended) where.deref()?.approved?.delete(hash);
      return ended.map(({ approval }) => approval.id);
    },
  };
}
