import { spawn } from "node:child_process";
import { existsSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeSession } from "../../core/agent/session-lock.ts";
import { holderOf, takeLock } from "../../core/governance/process-lock.ts";
import { makeTree } from "../helpers/tree.ts";

const directory = () => join(makeTree({}), "session");
const display = (file: string) => file;

/** The name of a lock of this machine by another process. */
function foreign(pid: number, start: number): string {
  const place = directory();
  const lock = takeLock(place);
  if ("holder" in lock) throw new Error("expected a lock");
  const [own = ""] = readdirSync(place);
  const machine = own.split("-")[1];
  renameSync(join(place, own), join(place, `lock-${machine}-${pid}-${start}-0000aaaa`));
  return place;
}

/** The pid of a process that is gone. */
async function goneProcess(): Promise<number> {
  const child = spawn(process.execPath, ["-e", "0"]);
  await new Promise((resolve) => child.on("exit", resolve));
  return child.pid as number;
}

describe("a directory of one process", () => {
  it("is had by one at a time, also within one process, and leaves nothing when it is given back", () => {
    const place = directory();
    const first = takeLock(place);
    if ("holder" in first) throw new Error("expected a lock");
    expect(takeLock(place)).toMatchObject({ holder: { pid: process.pid, here: true } });
    expect(readdirSync(place)).toHaveLength(1);
    first.release();
    expect(existsSync(place)).toBe(false);
    const second = takeLock(place);
    expect(second).not.toHaveProperty("holder");
    first.release();
    expect(holderOf(place)).toMatchObject({ pid: process.pid });
  });

  it("of a process that is gone is free", async () => {
    const place = foreign(await goneProcess(), 1);
    expect(holderOf(place)).toBeUndefined();
    expect(takeLock(place)).not.toHaveProperty("holder");
    expect(readdirSync(place)).toHaveLength(1);
  });

  it("of a process whose number another one has now is free, where the system tells the time of its start", () => {
    const place = foreign(process.pid, 1);
    if (process.platform === "linux") expect(takeLock(place)).not.toHaveProperty("holder");
    else expect(takeLock(place)).toHaveProperty("holder");
  });

  it("of a living process is not", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const place = foreign(child.pid as number, 0);
    expect(takeLock(place)).toMatchObject({ holder: { pid: child.pid, here: true } });
    child.kill("SIGKILL");
    await new Promise((resolve) => child.on("exit", resolve));
    expect(takeLock(place)).not.toHaveProperty("holder");
  });

  it("of another machine is not free, and the way out is named", async () => {
    const place = makeTree({ "lock-00000000-1-1-00000000": "", "spill/x.txt": "" });
    expect(holderOf(place)).toMatchObject({ pid: 1, here: false });
    const taken = takeSession(place, { id: "x", display });
    await expect(taken).rejects.toThrow(/SESSION_BUSY: .*on another machine.*delete .*lock-00000000-1-1-00000000/);
  });

  it("is refused with who has it", async () => {
    const place = directory();
    takeLock(place);
    await expect(takeSession(place, { id: "x", display })).rejects.toThrow(
      /SESSION_BUSY: .*found x in the hands of another agent of this process. End that one first/,
    );
  });

  it("has no other files of its directory for locks", () => {
    const place = makeTree({ "lock-": "", "lock-x-1-1-0": "", "spill/lock-00000000-1-1-00000000": "" });
    writeFileSync(join(place, "notes"), "");
    expect(takeLock(place)).not.toHaveProperty("holder");
  });
});
