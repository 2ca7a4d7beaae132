import { Worker, workerData } from "node:worker_threads";

/** So often it looks: a loop that fills memory takes some 100 MB meanwhile. */
const LOOK_EVERY_MS = 50;

/** What the thread is started with. */
interface Watch {
  /** 0 until there is something to watch. */
  readonly started: Int32Array<SharedArrayBuffer>;
  readonly memoryMb: number;
}

/**
 * Starts the thread that ends this process when content has taken too much memory, or when the host is gone while
 * content blocks. It is a thread because content may never give the main one back.
 *
 * @param program the URL of the program that calls {@link watch} in a thread
 * @param memoryMb by how much the process may grow from the moment when `start` is called
 */
export function startWatchdog(program: string, memoryMb: number): { start(): void } {
  const started = new Int32Array(new SharedArrayBuffer(4));
  const watch: Watch = { started, memoryMb };
  const thread = new Worker(new URL(program), { workerData: watch, stdout: true, stderr: true });
  thread.unref();
  return {
    start: () => {
      Atomics.store(started, 0, 1);
      Atomics.notify(started, 0);
    },
  };
}

/** The whole life of the thread. It sleeps without a timer, so a process that waits for its job costs nothing. */
export function watch(): void {
  const { started, memoryMb } = workerData as Watch;
  const host = process.ppid;
  Atomics.wait(started, 0, 0);
  const limit = process.memoryUsage.rss() + memoryMb * 1024 * 1024;
  for (;;) {
    // No exit: that would wait for the main thread.
    if (process.memoryUsage.rss() > limit || process.ppid !== host) process.kill(process.pid, "SIGKILL");
    Atomics.wait(started, 0, 1, LOOK_EVERY_MS);
  }
}
