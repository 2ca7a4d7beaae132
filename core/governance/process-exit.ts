// State of the process, not of a host: it ends once. One listener for all of it, or many hosts would look like a leak.
const waiting = new Set<() => void>();

/**
 * Has something done when the process ends without having closed its hosts: the last bytes written, children ended.
 *
 * @param work runs at once, may not wait, and need not be careful: what it throws is dropped, and the others still run
 * @returns a function that ends the waiting
 */
export function atExit(work: () => void): () => void {
  // Each has a place of its own, also where two ask for the same.
  const own = (): void => work();
  if (waiting.size === 0) process.on("exit", runAll);
  waiting.add(own);
  return () => {
    if (waiting.delete(own) && waiting.size === 0) process.off("exit", runAll);
  };
}

function runAll(): void {
  for (const work of waiting) {
    try {
      work();
    } catch {
      // Nobody is left to be told.
    }
  }
}
