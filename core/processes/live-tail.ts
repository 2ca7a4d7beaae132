/** So much is shown, in characters. */
const SHOWN = 4_000;
const INTERVAL_MS = 100;

/** Shows the end of a text that grows. */
export interface LiveTail {
  push(text: string): void;
  /** Shows what was not shown yet, and nothing more. */
  close(): void;
  /** Shows nothing more. */
  stop(): void;
}

/** @param show told at once, then at most ten times a second */
export function createLiveTail(show: ((text: string) => void) | undefined): LiveTail {
  if (!show) return { push() {}, close() {}, stop() {} };
  let tail = "";
  let timer: NodeJS.Timeout | undefined;
  let isNew = false;
  let isOver = false;
  const flush = (): void => {
    if (isNew) show(tail);
    isNew = false;
  };
  const later = (): void => {
    timer = setTimeout(() => {
      timer = undefined;
      if (!isNew) return;
      flush();
      later();
    }, INTERVAL_MS);
    timer.unref();
  };
  const stop = (): void => {
    isOver = true;
    clearTimeout(timer);
  };
  return {
    push(text) {
      tail = (tail + text).slice(-SHOWN);
      isNew = true;
      if (timer || isOver) return;
      flush();
      later();
    },
    close() {
      if (!isOver) flush();
      stop();
    },
    stop,
  };
}
