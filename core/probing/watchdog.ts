import { once } from "node:events";
import { Worker, workerData } from "node:worker_threads";

/** So often it looks: a loop that fills memory takes some 100 MB meanwhile. */
const LOOK_EVERY_MS = 50;

/** What the thread is started with. */
interface Watch {
  /** The process that must live. */
  readonly host: number;
  /** How large this process was when there began to be something to watch, in MB; 0 until then. */
  readonly restingMb: Int32Array<SharedArrayBuffer>;
  readonly memoryMb: number;
}

/**
 * Starts the thread that ends this process when content has taken too much memory, or when the host is gone while
 * content blocks. It is a thread because content may never give the main one back.
 *
 * @param program the URL of the program that calls {@link watch} in a thread
 * @param memoryMb by how much the process may grow from the moment when `start` is called
 */
export async function startWatchdog(program: string, memoryMb: number): Promise<{ start(): void }> {
  const restingMb = new Int32Array(new SharedArrayBuffer(4));
  const watch: Watch = { host: process.ppid, restingMb, memoryMb };
  const thread = new Worker(new URL(program), { workerData: watch, stdout: true, stderr: true });
  thread.unref();
  await once(thread, "online");
  return {
    start: () => {
      Atomics.store(restingMb, 0, sizeMb());
      Atomics.notify(restingMb, 0);
    },
  };
}

/** The whole life of the thread. It sleeps without a timer, so a process that waits for its job costs nothing. */
export function watch(): void {
  const { host, restingMb, memoryMb } = workerData as Watch;
  Atomics.wait(restingMb, 0, 0);
  const resting = Atomics.load(restingMb, 0);
  for (;;) {
    // No exit: that would wait for the main thread.
    if (sizeMb() > resting + memoryMb || process.ppid !== host) process.kill(process.pid, "SIGKILL");
    Atomics.wait(restingMb, 0, resting, LOOK_EVERY_MS);
  }
}

function sizeMb(): number {
  return Math.ceil(process.memoryUsage.rss() / 1024 / 1024);
}
