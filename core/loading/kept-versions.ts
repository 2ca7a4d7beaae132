import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { ExtensionOutcome } from "./extension-module.ts";
import type { LoadedTool } from "./tool-module.ts";

/** A version that serves although its file holds another, which does not load. */
export interface KeptVersion<Loaded> {
  readonly loaded: Loaded;
  /** Why the new one does not. */
  readonly cause: Diagnostic;
}

/** What one generation does not load from the disk, by the absolute path of the module that is asked for. */
export interface KeptVersions {
  readonly tools: Map<string, KeptVersion<LoadedTool>>;
  readonly extensions: Map<string, KeptVersion<Extract<ExtensionOutcome, { cls: unknown }>>>;
  /** Modules that must not be loaded, with the reason. */
  readonly refused: Map<string, Diagnostic>;
}

/** @param from those that it begins with */
export function createKeptVersions(from?: KeptVersions): KeptVersions {
  return { tools: new Map(from?.tools), extensions: new Map(from?.extensions), refused: new Map(from?.refused) };
}

/** What there is to say about a kept version: why, and that it serves. */
export function keptDiagnostics(
  { cause }: Pick<KeptVersion<unknown>, "cause">,
  { path }: { readonly path: string },
): readonly Diagnostic[] {
  const message = `${path} did not load, so its version before serves: ${cause.message}`;
  const kept = diagnostic("LAST_GOOD", { file: path, message, hint: "Mend the file; the first good save takes over." });
  return [cause, kept];
}
