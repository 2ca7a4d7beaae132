import type { TargetVersion } from "../dispatch/environment.ts";
import { isRunning } from "../governance/content-timers.ts";
import type { Leftovers } from "./leftovers.ts";

/** One version of a module: the same as long as generations serve the same evaluation of it. */
export interface ModuleVersion extends TargetVersion {
  /** It is not served any more. @param generation the last one that served it */
  end(generation: number): void;
}

/** The versions of modules that one generation serves, as far as somebody asked for them. */
export interface ModuleVersions {
  /** @param file absolute path of a tool or an extension */
  of(file: string): ModuleVersion;
  /** The modules of which something was loaded or asked for, in this generation or in one before. */
  readonly files: readonly string[];
  /** Hands those of modules that stay to the next generation, also those that are asked for later. */
  bequeath(heir: ModuleVersions, stays: ReadonlySet<string>): void;
  /** Takes over what a generation before has handed on. */
  adopt(file: string, version: ModuleVersion): void;
  /** Ends all that are left. */
  end(): void;
}

/** What {@link createModuleVersions} needs. */
export interface ModuleVersionsOptions {
  readonly generation: number;
  readonly leftovers: Pick<Leftovers, "keep" | "staleCall">;
}

export function createModuleVersions(options: ModuleVersionsOptions): ModuleVersions {
  // More than one of a file where a version that did not load has timers beside the one that serves.
  const left = new Map<string, ModuleVersion[]>();
  let estate: { readonly heir: ModuleVersions; readonly stays: ReadonlySet<string> } | undefined;

  return {
    get files() {
      return [...left.keys()];
    },
    of(file) {
      const [known] = left.get(file) ?? [];
      if (known) return known;
      if (estate?.stays.has(file)) return estate.heir.of(file);
      const fresh = createVersion(file, options);
      left.set(file, [fresh]);
      return fresh;
    },
    bequeath(heir, stays) {
      estate = { heir, stays };
      for (const [file, versions] of left) {
        if (!stays.has(file)) continue;
        left.delete(file);
        for (const version of versions) heir.adopt(file, version);
      }
    },
    adopt: (file, version) => void left.set(file, [version, ...(left.get(file) ?? [])]),
    end() {
      for (const version of [...left.values()].flat()) version.end(options.generation);
      left.clear();
    },
  };
}

/** Timers that have ended are forgotten whenever so many have come. */
const FEWEST_TIMERS = 32;

function createVersion(file: string, { leftovers }: ModuleVersionsOptions): ModuleVersion {
  const timers = new Set<NodeJS.Timeout>();
  const told = new Set<string>();
  let most = FEWEST_TIMERS;
  let last: number | undefined;
  return {
    get ended() {
      return last !== undefined;
    },
    hold(timer) {
      if (last !== undefined) {
        leftovers.keep({ file, generation: last }, [timer]);
        return;
      }
      timers.add(timer);
      if (timers.size < most) return;
      for (const one of timers) if (!isRunning(one)) timers.delete(one);
      most = Math.max(FEWEST_TIMERS, 2 * timers.size);
    },
    dropped(tool, call) {
      const key = `${tool}\0${call}`;
      if (last === undefined || told.has(key)) return;
      told.add(key);
      leftovers.staleCall({ tool, call, generation: last });
    },
    end(generation) {
      last = generation;
      leftovers.keep({ file, generation }, timers);
      timers.clear();
    },
  };
}
