import { displayPath } from "../discovery/paths.ts";
import { createTexts } from "../discovery/texts.ts";
import { contentSdk } from "../loading/content-sdk.ts";
import { openModuleLoader } from "../loading/module-loader.ts";
import { openTransform } from "../loading/transform.ts";
import { toJsonSchema, z } from "../sdk/schema.ts";
import { examine } from "./examine.ts";
import type { Job, Report } from "./messages.ts";
import { startWatchdog } from "./watchdog.ts";

/**
 * The life of a probing process: make ready, take one job, end. It is ended from outside by then, or in the middle.
 * @param program the URL of its program
 */
export async function serve(program: string): Promise<void> {
  const { send, end } = takeChannel();
  const [watchdog] = await Promise.all([startWatchdog(program, Number(process.argv[2])), warmUp()]);
  process.once("message", (job: Job) => {
    watchdog.start();
    const { timeoutMs, root, contentRoots, cacheDir } = job;
    const texts = createTexts();
    for (const [file, text] of job.texts) texts.hold(file, { ...text, instead: undefined });
    void examine(job.targets, {
      send,
      end,
      openLoader: (evaluating) =>
        openModuleLoader({
          sdk,
          texts,
          contentRoots,
          ...(cacheDir === undefined ? {} : { cacheDir }),
          deadlineMs: timeoutMs,
          display: (file) => displayPath(root, file),
          evaluating,
        }),
    });
  });
  send({ type: "ready" });
}

/** Content must not find the line to the host: it could speak in the name of the probe. */
function takeChannel(): { send(report: Report): void; end(code: number): never } {
  const tell = process.send?.bind(process);
  const end = process.exit.bind(process);
  Reflect.deleteProperty(process, "send");
  process.once("disconnect", () => end(0));
  // Whoever interrupts the host from the keyboard reaches this process too; the host decides.
  process.on("SIGINT", () => {});
  return { send: (report) => void tell?.(report), end };
}

const sdk = async (): Promise<typeof contentSdk> => contentSdk;

/** Everything that is imported or compiled at the first load of a module. */
async function warmUp(): Promise<void> {
  const loader = openModuleLoader({ sdk, contentRoots: [], display: (file) => file });
  const unused = (): never => {
    throw new Error("a plain module needs no second transformer");
  };
  const [transform] = await Promise.all([openTransform(unused), loader.warm()]);
  transform('import { Tool } from "toolroom"; export default class A extends Tool {}', "warm.ts");
  toJsonSchema(z.object({ text: z.string().describe("any") }));
  await loader.close();
}
