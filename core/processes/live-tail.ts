/** So much is shown, in characters. */
const SHOWN = 4_000;
const INTERVAL_MS = 100;

/** Shows the end of a text that grows. */
export interface LiveTail {
  push(text: string): void;
  /** Shows what was not shown yet. */
  close(): void;
}

/** @param show told at once, then at most ten times a second */
export function createLiveTail(show: ((text: string) => void) | undefined): LiveTail {
  if (!show) return { push() {}, close() {} };
  let tail = "";
  let timer: NodeJS.Timeout | undefined;
  let isNew = false;
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
  return {
    push(text) {
      tail = (tail + text).slice(-SHOWN);
      isNew = true;
      if (timer) return;
      flush();
      later();
    },
    close() {
      clearTimeout(timer);
      flush();
    },
  };
}
