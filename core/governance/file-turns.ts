/** Lets those that change one file go one after the other, in the order in which they come. */
export interface FileTurns {
  /** @param real the file's real path; it need not exist */
  take<T>(real: string, work: () => Promise<T>): Promise<T>;
}

export function createFileTurns(): FileTurns {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take(real, work) {
      const before = last.get(real);
      const mine = (before ?? Promise.resolve()).then(work, work);
      last.set(real, mine);
      try {
        return await mine;
      } finally {
        if (last.get(real) === mine) last.delete(real);
      }
    },
  };
}
