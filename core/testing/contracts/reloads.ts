import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { contains } from "../../discovery/paths.ts";
import type { Contract } from "../contract.ts";
import { breach } from "../failure.ts";
import { LIMITS, type Subject } from "../subject.ts";

/** What is made once, in the first loads, is no leak. */
const SETTLED_AFTER = 4;
/** So long a call that takes long may go on. */
const AT_WORK_MS = 20;
/** How long what is given back may take to be gone. */
const PATIENCE_MS = 1_000;
const STEP_MS = 20;

/** Whoever saves a file all day must not end with a process full of timers and listeners. */
export const reloads: Contract = {
  name: `leaves nothing behind in ${LIMITS.reloads} reloads`,
  async check(subject) {
    const { host, sample, ground, limits } = subject;
    const files = modulesOf(ground.file, ground.root);
    const texts = new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
    let before: Holdings = new Map();
    try {
      for (let count = 1; count <= limits.reloads; count++) {
        for (const file of files) appendFileSync(file, `\n// ${count}`);
        const { status, diagnostics } = await host.reload();
        if (status !== "ok") throw notReloaded(diagnostics[0]?.message ?? "a failed reload");
        await subject.call(sample.args, sample.isLong ? { signal: AbortSignal.timeout(AT_WORK_MS) } : {});
        if (count === SETTLED_AFTER) before = holdings();
      }
    } finally {
      for (const [file, text] of texts) writeFileSync(file, text);
      await host.reload();
    }
    await requireNoLeak(subject, before);
    return undefined;
  },
};

async function requireNoLeak({ host, limits: { reloads: count } }: Subject, before: Holdings): Promise<void> {
  const most = count - SETTLED_AFTER - 1;
  const grown = (): readonly string[] =>
    [...holdings()].filter(([what, count]) => count - (before.get(what) ?? 0) >= most).map(([what]) => what);
  let leaks = grown();
  for (let waited = 0; leaks.length > 0 && waited < PATIENCE_MS; waited += STEP_MS) {
    await sleep(STEP_MS);
    leaks = grown();
  }
  const { leakedTimers } = await host.doctor();
  const timers = leakedTimers.reduce((sum, { timers: some }) => sum + some, 0);
  const found = [
    ...(timers > 0 ? [`${timers} timers of versions before`] : []),
    ...leaks.map((what) => `more of ${what} with each`),
  ];
  if (found.length === 0) return;
  throw breach({
    expected: `nothing to be left of ${count} reloads with a call after each`,
    found: found.join(", "),
    todo: "Use this.setInterval and this.setTimeout, and give back the rest with this.onDispose.",
  });
}

/** How many there are of what a process holds, by its name. */
type Holdings = ReadonlyMap<string, number>;

function holdings(): Holdings {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  for (const event of process.eventNames()) {
    counts.set(`process.on(${JSON.stringify(String(event))})`, process.listenerCount(event as never));
  }
  return counts;
}

function notReloaded(message: string): Error {
  return breach({
    expected: "the tool to load again and again",
    found: message,
    todo: "Keep its top level free of work.",
  });
}

const IMPORT = /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}\/[^"']+)["']/gu;

/** The module, and the modules of the same root that it reaches by relative imports. */
function modulesOf(file: string, root: string, known: readonly string[] = []): readonly string[] {
  if (known.includes(file) || !/\.[cm]?[jt]s$/u.test(file) || !contains(root, file) || !existsSync(file)) return known;
  const imports = [...readFileSync(file, "utf8").matchAll(IMPORT)].map(([, way = ""]) => resolve(dirname(file), way));
  return imports.reduce<readonly string[]>((all, next) => modulesOf(next, root, all), [...known, file]);
}
