import { isMainThread } from "node:worker_threads";

// The program of a probing process, and of the thread in it that watches over the other one.
if (isMainThread) {
  const { serve } = await import("./serve.ts");
  await serve(import.meta.url);
} else {
  const { watch } = await import("./watchdog.ts");
  watch();
}
