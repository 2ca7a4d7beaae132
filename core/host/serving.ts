import { performance } from "node:perf_hooks";
import { compareText, type Diagnostic } from "../diagnostics.ts";
import type { Discovery, Edition } from "../discovery/discovery.ts";
import type { HeldText } from "../discovery/texts.ts";
import type { Secrets } from "../governance/secrets.ts";
import type { KeptVersions } from "../loading/kept-versions.ts";
import type { Probe } from "../probing/probe.ts";
import type { Prompts } from "../prompt/assemble.ts";
import { HostError } from "../sdk/errors.ts";
import type { ReloadCause, ReloadReceipt } from "../sdk/events.ts";
import type { ChangedFiles } from "./changed-files.ts";
import type { Events } from "./events.ts";
import type { Generation, GenerationParts } from "./generation.ts";
import type { Generations } from "./generations.ts";
import { textsToHold } from "./held-texts.ts";
import { faultsOf, succeed } from "./succession.ts";

/** What {@link serve} works with. */
export interface ServingOptions extends GenerationParts {
  readonly discovery: Discovery;
  readonly secrets: Pick<Secrets, "diagnostics">;
  readonly generations: Generations;
  readonly prompts: Pick<Prompts, "fault">;
  readonly events: Events;
  /** The directories whose modules are content. */
  contentRoots(): readonly string[];
  /** The system prompt of the host's profile. */
  promptOf(generation: Generation): Promise<{ readonly text: string; readonly tokens: number }>;
  /** Tries changed modules out before they are loaded. */
  readonly probe: Pick<Probe, "check"> | undefined;
}

/** What is to be served next. */
export interface Change {
  readonly before: Generation;
  readonly files: ChangedFiles;
  readonly cause: ReloadCause;
  /** When the change was taken up (`performance.now()`). */
  readonly begun: number;
  /** What is served then. Default: what the last look found. */
  readonly edition?: Edition;
  /** See {@link SuccessionInput}. */
  readonly kept?: KeptVersions | undefined;
}

/** Makes the next generation, serves it, and tells what it is. */
export async function serve(
  { before, files, cause, begun, edition: given, kept }: Change,
  options: ServingOptions,
): Promise<ReloadReceipt> {
  const { discovery, generations, secrets, events } = options;
  const looked = performance.now();
  const held = given ? new Map<string, HeldText>() : await textsToHold(before, files.absolute, options);
  if (held.size > 0) {
    const texts = before.edition.texts.fork(files.absolute);
    for (const [file, text] of held) texts.hold(file, text);
    discovery.refresh({ only: files.absolute, texts });
  }
  const edition = given ?? discovery.edition;
  let next: Generation | undefined;
  let faults: readonly Diagnostic[] = [];
  let refused: ReloadReceipt["diagnostics"] = [];
  try {
    next = await succeed(
      before,
      {
        edition,
        kept,
        changed: files.absolute,
        contentRoots: options.contentRoots(),
        probe: options.probe,
        pluginOf: discovery.pluginOf,
      },
      options,
    );
    faults = [...faultsOf(next), ...secrets.diagnostics()].filter(({ severity }) => severity === "error");
  } catch (error) {
    // The host's own profile or project is gone: what served before goes on.
    if (!(error instanceof HostError)) throw error;
    refused = [{ code: error.code, message: error.message }];
  }
  const loaded = performance.now();
  // Until its prompt is read, somebody holds it.
  const lease = before.promptServed ? generations.lease() : undefined;
  if (next) generations.replace(next);
  const swapped = performance.now();
  const prompt = lease && next ? await promptChange(before, next, options) : undefined;
  lease?.release();
  const diagnostics = next ? faults : refused;
  const receipt: ReloadReceipt = {
    status: diagnostics.length > 0 ? "failed" : "ok",
    cause,
    from: before.number,
    to: (next ?? before).number,
    files: files.shown,
    hashes: hashesOf(files, { before, next: next ?? before, discovery }),
    durations: { lookMs: looked - begun, loadMs: loaded - looked, swapMs: swapped - loaded },
    ...(prompt ? { prompt } : {}),
    diagnostics,
  };
  events.emit({ type: "reload", ...receipt });
  await generations.retired();
  return receipt;
}

/** How the system prompt of the host's profile has changed. */
async function promptChange(
  before: Generation,
  next: Generation,
  { promptOf }: Pick<ServingOptions, "promptOf">,
): Promise<ReloadReceipt["prompt"]> {
  const [old, now] = [await promptOf(before), await promptOf(next)];
  next.servePrompt(next.registry());
  const [was, is] = [Buffer.from(old.text), Buffer.from(now.text)];
  let same = 0;
  while (same < was.length && same < is.length && was[same] === is[same]) same++;
  return {
    tokens: { before: old.tokens, after: now.tokens },
    bytes: { before: was.length, after: is.length },
    samePrefixBytes: same,
  };
}

/** Of each file with a text in use before or after, what it was and what it is. */
function hashesOf(
  { absolute }: ChangedFiles,
  { before, next, discovery }: { before: Generation; next: Generation; discovery: Discovery },
): ReloadReceipt["hashes"] {
  const found = absolute.flatMap((file) => {
    const [old, now] = [before.edition.texts.get(file)?.hash, next.edition.texts.get(file)?.hash];
    if (old === undefined && now === undefined) return [];
    const path = discovery.display(file);
    return [[path, { ...(old === undefined ? {} : { before: old }), ...(now === undefined ? {} : { after: now }) }]];
  });
  return Object.fromEntries(found.sort(([a], [b]) => compareText(String(a), String(b))));
}
