/** Who hears of a timer that is made at this moment; undefined when nobody does. */
export type CurrentTimerListener = () => ((timer: NodeJS.Timeout) => void) | undefined;

/**
 * Tells of the timers that are made with the global `setTimeout` and `setInterval`. What is imported from `node:timers`
 * goes past it.
 * @returns a function that takes it out again, except where somebody else has put himself over it since
 */
export function listenToTimers(current: CurrentTimerListener): () => void {
  const restores = [listen("setTimeout", current), listen("setInterval", current)];
  return () => {
    for (const restore of restores) restore();
  };
}

function listen(name: "setTimeout" | "setInterval", current: CurrentTimerListener): () => void {
  const original = globalThis[name] as (...args: unknown[]) => NodeJS.Timeout;
  const mine = (...args: unknown[]): NodeJS.Timeout => {
    const timer = original(...args);
    current()?.(timer);
    return timer;
  };
  // Its name, and by which function `promisify` replaces it.
  Object.defineProperties(mine, Object.getOwnPropertyDescriptors(original));
  globalThis[name] = mine as never;
  return () => {
    if (globalThis[name] === (mine as unknown)) globalThis[name] = original as never;
  };
}

/**
 * Whether a timer will still fire and does something for its maker: an interval, or a timeout that keeps the process
 * alive. Other timeouts are mostly those of Node's own, such as the clock of `fetch`.
 */
export function isRunning(timer: NodeJS.Timeout): boolean {
  // Node tells nobody publicly whether a timer was cleared or has fired.
  const { _destroyed, _repeat } = timer as unknown as { readonly _destroyed?: boolean; readonly _repeat?: unknown };
  return _destroyed === false && (typeof _repeat === "number" || timer.hasRef());
}
