import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { createCancellation } from "../governance/cancellation.ts";
import { ToolError } from "../sdk/errors.ts";
import type { RunContent } from "./content.ts";

/** Gives back what a tool holds. */
export type Dispose = () => void | Promise<void>;

/** What is to be given back when a module is not served any more. */
export interface Disposers {
  /**
   * After the end of the module's version it is run at once.
   * @param file the tool's module @returns a function that forgets it again
   */
  add(file: string, dispose: Dispose): () => void;
  /** Hands what belongs to modules that stay to the next generation, also what is added later. */
  bequeath(heir: Disposers, stays: ReadonlySet<string>): void;
  /** Runs all that is left, one after the other, and forgets it. */
  run(): Promise<void>;
}

/** How long one may take: a reload and the end of the host wait for it. */
const DISPOSE_DEADLINE_MS = 5_000;

/** @param report is told of one that throws or does not settle, which keeps nobody from the others */
export function createDisposers(parts: { readonly content: RunContent; report(item: Diagnostic): void }): Disposers {
  const left = new Map<string, Set<Dispose>>();
  let over = false;
  let estate: { readonly heir: Disposers; readonly stays: ReadonlySet<string> } | undefined;

  const self: Disposers = {
    add(file, dispose) {
      if (estate?.stays.has(file)) return estate.heir.add(file, dispose);
      if (over) {
        void runOne(dispose, parts);
        return () => {};
      }
      const known = left.get(file) ?? new Set();
      left.set(file, known.add(dispose));
      return () => {
        known.delete(dispose);
        // It may have been handed on meanwhile.
        if (estate?.stays.has(file)) estate.heir.add(file, dispose)();
      };
    },
    bequeath(heir, stays) {
      estate = { heir, stays };
      for (const [file, disposers] of left) {
        if (!stays.has(file)) continue;
        left.delete(file);
        for (const dispose of disposers) heir.add(file, dispose);
      }
    },
    async run() {
      const pending = [...left.values()].flatMap((disposers) => [...disposers]);
      left.clear();
      over = true;
      for (const dispose of pending) await runOne(dispose, parts);
    },
  };
  return self;
}

async function runOne(
  dispose: Dispose,
  { content, report }: { readonly content: RunContent; report(item: Diagnostic): void },
): Promise<void> {
  const ms = DISPOSE_DEADLINE_MS;
  const expired = () => new ToolError("TIMEOUT", `it did not settle within ${ms} ms`);
  try {
    await createCancellation().race(() => content({ owner: "a disposer" }, dispose), { ms, expired });
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const hint = "What it should have given back may still be held.";
    report(diagnostic("TOOL_HOOK_FAILED", { message: `a disposer failed: ${words}`, hint }));
  }
}
