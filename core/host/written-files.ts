import { compareText } from "../diagnostics.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { hashOfFile } from "../loading/file-stamps.ts";
import type { ModuleLoader } from "../loading/module-loader.ts";

/**
 * The content files that appeared, vanished or changed since a generation was made: display paths, sorted. Of
 * modules that it has loaded, imported ones among them, the content decides; of all others their times.
 */
export function writtenFiles({ loader }: { readonly loader: ModuleLoader }, discovery: Discovery): readonly string[] {
  const loaded = new Map(loader.files().map((file) => [loader.display(file), file]));
  const changed = new Set(discovery.changes().filter((path) => !loaded.has(path)));
  for (const [path, file] of loaded) if (hashOfFile(file) !== loader.hashOf(file)) changed.add(path);
  return [...changed].sort(compareText);
}
