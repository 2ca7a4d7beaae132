import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Subject } from "./subject.ts";

/** What is seen of one call's `execute`. */
export interface Observation {
  /** Resolves when it begins. */
  readonly began: Promise<void>;
  readonly hasBegun: boolean;
  /** Resolves when it has settled, also long after the call was given up. */
  readonly settled: Promise<void>;
  readonly hasSettled: boolean;
}

/**
 * Does `work` while the tool is one of a class of the suite's, which extends the author's and tells when its `execute`
 * begins and ends. The host gives up a call that is stopped; only so it can be seen whether the tool does.
 *
 * @param options.timeoutMs its deadline; default: its own
 */
export async function observed<T>(
  subject: Subject,
  { timeoutMs }: { readonly timeoutMs?: number },
  work: (observation: Observation) => Promise<T>,
): Promise<T> {
  const { file } = subject.ground;
  const key = `toolroom.testing ${randomUUID()}`;
  const symbol = Symbol.for(key);
  const { observation, watch } = observe();
  Reflect.set(globalThis, symbol, watch);
  // A leading `_` makes it a helper of the tools beside it.
  const aside = join(dirname(file), `_under_test_${basename(file)}`);
  renameSync(file, aside);
  writeFileSync(file, wrapper({ base: `./${basename(aside)}`, key, timeoutMs }));
  try {
    await subject.host.reload();
    return await work(observation);
  } finally {
    rmSync(file);
    renameSync(aside, file);
    await subject.host.reload();
    Reflect.deleteProperty(globalThis, symbol);
  }
}

/** A role is told by the text of a module, so this one has the word, too. */
function wrapper({ base, key, timeoutMs }: { base: string; key: string; timeoutMs: number | undefined }): string {
  return `import Base from ${JSON.stringify(base)};
export default class extends Base {
  static role = Base.role;
  ${timeoutMs === undefined ? "" : `static timeoutMs = ${timeoutMs};`}
  execute(args) {
    return globalThis[Symbol.for(${JSON.stringify(key)})](() => super.execute(args));
  }
}
`;
}

function observe(): { readonly observation: Observation; watch(run: () => unknown): unknown } {
  let begin = (): void => {};
  let end = (): void => {};
  const state = { hasBegun: false, hasSettled: false };
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const settled = new Promise<void>((resolve) => {
    end = resolve;
  });
  const over = (): void => {
    state.hasSettled = true;
    end();
  };
  const observation: Observation = {
    began,
    settled,
    get hasBegun() {
      return state.hasBegun;
    },
    get hasSettled() {
      return state.hasSettled;
    },
  };
  return {
    observation,
    watch(run) {
      state.hasBegun = true;
      begin();
      try {
        const result = run();
        Promise.resolve(result).then(over, over);
        return result;
      } catch (error) {
        over();
        throw error;
      }
    },
  };
}
