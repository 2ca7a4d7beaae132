import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import { type ModuleLoader, type ModuleLoaderOptions, openModuleLoader } from "../../core/loading/module-loader.ts";

/** A temporary directory with real files, removed after the test. */
export interface Workbench {
  readonly root: string;
  /** Writes files (path → text) and returns the absolute path of the last. */
  write(files: Readonly<Record<string, string>>): string;
  path(relative: string): string;
  /** A loader whose only content root is the directory, closed after the test. */
  loader(options?: Partial<ModuleLoaderOptions>): ModuleLoader;
}

export function workbench(prefix = "toolroom-loading-"): Workbench {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), prefix)));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const at = (relative: string): string => path.join(root, relative);
  return {
    root,
    path: at,
    write: (files) => {
      let last = root;
      for (const [name, text] of Object.entries(files)) {
        last = at(name);
        mkdirSync(path.dirname(last), { recursive: true });
        writeFileSync(last, text);
      }
      return last;
    },
    loader: (options = {}) => {
      const loader = openModuleLoader({
        sdk: () => import("../../core/index.ts"),
        contentRoots: [root],
        display: (file) => path.relative(root, file),
        ...options,
      });
      onTestFinished(() => loader.close());
      return loader;
    },
  };
}

/** The loader after files have changed, and the files that it loads again. */
export function changed(
  loader: ModuleLoader,
  files: readonly string[],
): { readonly loader: ModuleLoader; readonly dropped: readonly string[] } {
  const next = loader.fork({ changed: files });
  onTestFinished(() => next.close());
  const staying = new Set(next.files());
  return { loader: next, dropped: loader.files().filter((file) => !staying.has(file)) };
}

/** The exports of a module that must load. */
// biome-ignore lint/suspicious/noExplicitAny: the test knows what its own module exports
export async function load(loader: ModuleLoader, file: string): Promise<any> {
  const outcome = await loader.import(file);
  if ("diagnostic" in outcome) throw new Error(JSON.stringify(outcome.diagnostic));
  return outcome.exports;
}

/** The diagnostic of a module that must not load. */
export async function failure(loader: ModuleLoader, file: string) {
  const outcome = await loader.import(file);
  if ("exports" in outcome) throw new Error(`${file} loaded`);
  return outcome.diagnostic;
}
