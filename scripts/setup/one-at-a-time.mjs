import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { at, parseJson, readText } from "./files.mjs";

/** Not in `node_modules`: `npm ci` removes that while the lock is held. */
const MUTEX = "dist/.lock";

/** How often the holder of the lock shows that it lives. */
const BEAT_MS = 2_000;

/** Does the work while holding this project's lock; a second process waits, and says so through `say` when it takes long. */
export async function oneAtATime(work, say) {
  mkdirSync(dirname(at(MUTEX)), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, host: hostname(), at: Date.now() });
  await acquire(mine, say);
  const release = () => {
    if (readText(MUTEX) === mine) rmSync(at(MUTEX), { force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.once(signal, () => {
      release();
      process.exit(1);
    });
  }
  const beat = setInterval(() => {
    if (existsSync(at(MUTEX))) utimesSync(at(MUTEX), new Date(), new Date());
  }, BEAT_MS);
  try {
    await work();
  } finally {
    clearInterval(beat);
    release();
  }
}

async function acquire(mine, say) {
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(at(MUTEX), mine, { flag: "wx" });
      return;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const seen = readText(MUTEX);
    if (seen !== undefined && isAbandoned(seen)) takeAway(seen);
    else {
      if (tries === 30) say("Waiting for another set-up of this directory …");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** Its process is gone; or it has not moved for long, where the process cannot be asked about. */
function isAbandoned(seen) {
  const stat = statSync(at(MUTEX), { throwIfNoEntry: false });
  if (!stat) return false;
  const holder = parseJson(seen);
  return Date.now() - stat.mtimeMs > 8 * BEAT_MS || (holder?.host === hostname() && !isAlive(holder.pid));
}

/** Removes the lock that was seen, and no other: somebody else may have been faster and hold a new one. */
function takeAway(seen) {
  const aside = `${MUTEX}.${process.pid}`;
  try {
    renameSync(at(MUTEX), at(aside));
    if (readText(aside) !== seen) linkSync(at(aside), at(MUTEX));
  } catch (error) {
    if (error.code !== "ENOENT" && error.code !== "EEXIST") throw error;
  }
  rmSync(at(aside), { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
