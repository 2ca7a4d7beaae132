import { syncBuiltinESMExports } from "node:module";

/** The events of the process that are the host's. */
const HOST_EVENTS: readonly unknown[] = ["uncaughtException", "unhandledRejection", "exit", "beforeExit"];

/**
 * Tells of listeners that are put on the host's events.
 * @param tell gets the event, and an error whose stack shows who listens
 */
export function watchListeners(tell: (event: string, here: Error) => void): void {
  process.on("newListener", (event: string | symbol) => {
    if (HOST_EVENTS.includes(event)) tell(String(event), new Error("a listener is added"));
  });
}

/**
 * Tells of every call that would end the process.
 * @param tell gets the call, and an error whose stack shows who makes it; it ends the process itself
 */
export function trapExits(tell: (call: string, here: Error) => never): void {
  const here = (): Error => new Error("the process is ended");
  const { kill } = process;
  const own: readonly number[] = [0, process.pid, process.ppid];
  Object.assign(process, {
    exit: (code?: unknown) => tell(`process.exit(${code === undefined ? "" : String(code)})`, here()),
    abort: () => tell("process.abort()", here()),
    kill: (pid: number, signal?: string | number) => {
      if (signal !== 0 && own.includes(Math.abs(pid))) tell("process.kill() of the host", here());
      return kill.call(process, pid, signal);
    },
  });
  // For `import { exit } from "node:process"`.
  syncBuiltinESMExports();
}
