import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { type DiscoveryOptions, openDiscovery } from "../../core/discovery/discovery.ts";

/** Files of a tree by their path; a path that ends with `/` is an empty directory, `{ link }` a symbolic link. */
export type TreeFiles = Readonly<Record<string, string | { readonly link: string }>>;

/** A maker of directories that are removed when the tests of the file are done. */
export function useTrees(): (files?: TreeFiles, name?: string) => string {
  const made: string[] = [];
  afterAll(() => {
    for (const directory of made) rmSync(directory, { recursive: true, force: true });
  });
  return (files = {}, name = "") => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "toolroom-discovery-")));
    made.push(top);
    const root = join(top, name);
    mkdirSync(root, { recursive: true });
    addFiles(root, files);
    return root;
  };
}

/** Writes files into a tree that is there. */
export function addFiles(root: string, files: TreeFiles): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    if (path.endsWith("/")) {
      mkdirSync(file, { recursive: true });
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === "string") writeFileSync(file, content);
    else symlinkSync(content.link, file);
  }
}

/** A tool module; discovery never runs it. */
export const TOOL = "throw new Error('discovery must not run modules');\n";

/** Later than every time on the disk by more than any tick: what is there now can be trusted. */
export const LATER = (): number => Date.now() + 60_000;

/** Opens a discovery whose home is the root, unless told otherwise. */
export function open(root: string, options: Partial<DiscoveryOptions> = {}) {
  return openDiscovery({ root, home: root, ...options });
}

/** Codes of diagnostics, in their order. */
export function codes(diagnostics: readonly { readonly code: string }[]): string[] {
  return diagnostics.map(({ code }) => code);
}
