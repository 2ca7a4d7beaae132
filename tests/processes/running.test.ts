import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../core/index.ts";
import { groupMembers } from "../../core/processes/group.ts";
import { openProgramHouse, program, risk } from "./program.ts";

const FREE = risk({ sandbox: "none" });

/** Processes of the machine whose command line holds a text, by `/proc`. */
function running(text: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/u.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8");
      const isOver = / [ZX] /u.test(readFileSync(`/proc/${name}/stat`, "utf8"));
      return line.includes(text) && !isOver ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** A number of seconds that nobody else sleeps for. */
let seconds = 86_400 + (process.pid % 10_000) * 10;
const nap = () => `sleep ${seconds++}`;

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 300 && !isSo(); tries++) await sleep(10);
  expect(isSo()).toBe(true);
}

describe.each(["none", "bubblewrap"] as const)("with sandbox: %s", (sandbox) => {
  const open = async () => await openProgramHouse(risk({ sandbox }), { workspaceFiles: { "sub/a.txt": "here\n" } });

  it("runs a program and a script, tells how each ended, and gives both streams", async () => {
    const { host } = await open();
    expect(await program(host, { argv: ["cat", "a.txt"], cwd: "sub" })).toMatchObject({
      stdout: "here\n",
      data: { exitCode: 0, signal: null, timedOut: false, cwd: "sub", sandbox: { kind: sandbox } },
    });
    const script = await program(host, { bash: "echo out; echo err >&2; pwd; exit 3" });
    expect(script).toMatchObject({ stderr: "err\n", data: { exitCode: 3, cwd: "." } });
    expect(script.stdout).toMatch(/^out\n\//u);
    expect(await program(host, { argv: ["no-such-program-x"] })).toMatchObject({
      stderr: "no-such-program-x: command not found\n",
      data: { exitCode: 127 },
    });
    expect(await program(host, { bash: "kill -9 $$" })).toMatchObject({ data: { exitCode: 137, signal: "SIGKILL" } });
    expect(await program(host, { argv: ["printenv", "A"], env: { A: "b c" } })).toMatchObject({ stdout: "b c\n" });
  });

  it("writes to its streams by their names, too, as scripts do", async () => {
    const { host } = await open();
    const bash = "echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr; sh -c 'echo d >> /dev/stderr'";
    expect(await program(host, { bash })).toMatchObject({
      stdout: "b\nc\n",
      stderr: "a\nc\nd\n",
      data: { exitCode: 0 },
    });
  });

  it("holds no descriptors when it has ended", async () => {
    const { host } = await open();
    await program(host, { argv: ["true"] });
    const before = readdirSync("/proc/self/fd").length;
    await Promise.all(Array.from({ length: 40 }, () => program(host, { argv: ["true"] })));
    await host.close();
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });

  it("has nothing to read, no terminal, and a group of its own", async () => {
    const { host } = await open();
    expect(await program(host, { argv: ["cat"] })).toMatchObject({ stdout: "", data: { exitCode: 0 } });
    const terminal = await program(host, { bash: ": < /dev/tty" });
    expect(terminal.data.exitCode).toBe(1);
    const { stdout } = await program(host, { bash: "ps -o tty= -p $$ 2>/dev/null || cut -d' ' -f7 /proc/$$/stat" });
    expect(stdout.trim()).toMatch(/^(?:\?|0)$/u);
  });

  it("has a short list of the environment, and no secret", async () => {
    const { again } = await open();
    const host = await again({
      env: {
        PATH: process.env.PATH,
        HOME: "/nowhere",
        LANG: "C",
        OTHER: "x",
        MY_API_KEY: "sk-0123456789",
        BASH_ENV: "./x",
      },
    });
    const { stdout } = await program(host, { argv: ["env"] });
    const names = stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("=")[0]]));
    expect(names.sort()).toEqual(["HOME", "LANG", "PATH", "PWD"]);
  });

  it("finds no programs of the workspace, and none by where it runs", async () => {
    const { again, workspace } = await open();
    const directories = ["node_modules/.bin", "sub"].map((name) => join(workspace, name));
    for (const directory of [...directories, workspace]) {
      mkdirSync(directory, { recursive: true });
      for (const name of ["uname", "bash", "bwrap", "mkfifo"])
        writeFileSync(join(directory, name), `#!/bin/sh\n: > ${join(workspace, "ran")}\necho ours\n`, { mode: 0o755 });
    }
    symlinkSync("..", join(workspace, "sub", "up"));
    const first = [...directories, join(workspace, "sub", "up"), ".", "", "sub"];
    const host = await again({ env: { PATH: [...first, "/usr/bin", "/bin"].join(":") } });
    expect((await program(host, { argv: ["uname"] })).stdout).toBe("Linux\n");
    expect((await program(host, { bash: "uname; echo $PATH" })).stdout).toBe("Linux\n/usr/bin:/bin\n");
    expect(existsSync(join(workspace, "ran"))).toBe(false);
  });

  it("is ended with its group at the deadline, what ignores a signal too", async () => {
    const { host } = await open();
    const [one, two, three] = [nap(), nap(), nap()];
    const script = `trap '' TERM; ${one} & (trap '' TERM; ${two}) & echo begun; ${three}; echo never`;
    const found = await program(host, { bash: script, timeoutMs: 1_000 });
    expect(found).toMatchObject({ stdout: "begun\n", data: { timedOut: true } });
    expect([one, two, three].flatMap((line) => running(line.replace(" ", "\0")))).toEqual([]);
  });

  it("gives a program time to end by itself", async () => {
    const { host } = await open();
    const found = await program(host, {
      bash: "trap 'echo bye; exit 7' TERM; echo hi; while :; do sleep 0.01; done",
      timeoutMs: 700,
    });
    expect(found).toMatchObject({ stdout: "hi\nbye\n", data: { timedOut: true, exitCode: 7 } });
  });

  it("does not wait for what goes on behind it, and leaves none of it", async () => {
    const { host } = await open();
    const line = nap();
    const found = await program(host, { bash: `${line} & echo done`, timeoutMs: 30_000 });
    expect(found).toMatchObject({ stdout: "done\n", data: { exitCode: 0, timedOut: false } });
    expect(running(line.replace(" ", "\0"))).toEqual([]);
  });

  it("is ended when the call is stopped, and when the e-stop comes", async () => {
    const { host } = await open();
    const line = nap();
    const stop = new AbortController();
    const calling = program(host, { bash: `${line} & ${line}` }, stop.signal);
    await until(() => running(line.replace(" ", "\0")).length >= 2);
    stop.abort();
    expect((await calling).code).toBe("ABORTED");
    await until(() => running(line.replace(" ", "\0")).length === 0);
    await program(host, { what: "start", bash: line });
    const second = program(host, { bash: line });
    await until(() => running(line.replace(" ", "\0")).length >= 2);
    const began = performance.now();
    host.estop.on("enough");
    expect((await second).code).toBe("STOPPED");
    await until(() => running(line.replace(" ", "\0")).length === 0);
    expect(performance.now() - began).toBeLessThan(3_000);
    host.estop.off();
  });

  it("in the background: told by id, read as it comes, typed to, stopped", async () => {
    const { host } = await open();
    const started = await program(host, {
      what: "start",
      bash: "echo one; read x; echo got $x; read y",
      keyboard: true,
    });
    expect(started.data).toMatchObject({ id: "process-1", tool: "program", state: "running", exitCode: null });
    const read = (more = {}) => program(host, { what: "read", id: "process-1", waitMs: 5_000, ...more });
    expect((await read()).stdout).toBe("one\n");
    expect((await read({ waitMs: 0 })).stdout).toBe("");
    await program(host, { what: "type", id: "process-1", text: "hello\n" });
    expect((await read()).stdout).toBe("got hello\n");
    expect((await program(host, { what: "list" })).data.all).toMatchObject([{ id: "process-1", state: "running" }]);
    expect((await program(host, { what: "stop", id: "process-1" })).data).toMatchObject({
      state: "ended",
      signal: "SIGTERM",
    });
    expect(await program(host, { what: "type", id: "process-1", text: "x" })).toMatchObject({ code: "CONFLICT" });
    expect(await program(host, { what: "read", id: "process-9" })).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringContaining("process-1"),
    });
  });

  it("is sent messages, and answers, beside its output", async () => {
    const { host } = await open();
    const bash = `while IFS= read -r -d '' -u 3 line; do eval "$line"; printf '%s\\0' $? >&4; done`;
    await program(host, { what: "start", bash, control: true, id: "session-0" });
    await program(host, { what: "send", id: "session-0", text: "x=5" });
    await program(host, { what: "send", id: "session-0", text: "echo $x; false" });
    let output = "";
    let replies: string[] = [];
    for (let tries = 0; replies.length < 2 && tries < 50; tries++) {
      const { data, stdout } = await program(host, { what: "read", id: "session-0", waitMs: 1_000 });
      output += stdout;
      replies = data.replies;
    }
    expect({ output, replies }).toEqual({ output: "5\n", replies: ["0", "1"] });
  });
});

describe("limits and ends", () => {
  it("at most sixteen run behind calls, and each id once", async () => {
    const { host } = await openProgramHouse(FREE);
    for (let count = 0; count < 16; count++) await program(host, { what: "start", bash: nap() });
    expect(await program(host, { what: "start", bash: "true" })).toMatchObject({ code: "RATE_LIMITED" });
    await program(host, { what: "stop", id: "process-3" });
    const again = await program(host, { what: "start", bash: nap(), id: "process-4" });
    expect(again).toMatchObject({ code: "CONFLICT" });
  });

  it("close leaves nothing, and two hosts do not know each other's", async () => {
    const { host, again } = await openProgramHouse(FREE);
    const other = await again();
    const line = nap();
    await program(host, { what: "start", bash: `${line} & ${line}` });
    await program(other, { what: "start", bash: line });
    expect((await program(other, { what: "list" })).data.all).toHaveLength(1);
    await until(() => running(line.replace(" ", "\0")).length >= 3);
    const groups = running(line.replace(" ", "\0"));
    await host.close();
    expect(running(line.replace(" ", "\0"))).toHaveLength(1);
    await other.close();
    expect(groups.flatMap((pid) => groupMembers(pid))).toEqual([]);
  });

  it("an agent's processes are its own, and end with a stop, and with it", async () => {
    const { host } = await openProgramHouse(FREE, { model: "offline" });
    const line = nap();
    await program(host, { what: "start", bash: line });
    const agent = await host.agent();
    await agent.run(`/tool program what=start bash="${line}"`);
    await agent.run("/tool program what=list");
    expect(agent.history.map(({ content }) => content).join("\n")).not.toContain("process-2");
    expect(agent.stop()).toBe(true);
    await until(() => running(line.replace(" ", "\0")).length === 1);
    await agent.run(`/tool program what=start bash="${line}"`);
    await until(() => running(line.replace(" ", "\0")).length === 2);
    agent.close();
    await until(() => running(line.replace(" ", "\0")).length === 1);
    expect((await program(host, { what: "list" })).data.all).toMatchObject([{ state: "running" }]);
  });

  it("cwd stays in the workspace, and is a directory", async () => {
    const { host, workspace } = await openProgramHouse(FREE, { workspaceFiles: { "a.txt": "" } });
    for (const cwd of ["..", "/", "/etc", "gone/..//.."])
      expect(await program(host, { argv: ["true"], cwd })).toMatchObject({ code: "ACCESS_DENIED" });
    expect(await program(host, { argv: ["true"], cwd: "a.txt" })).toMatchObject({ code: "INVALID_PARAM" });
    expect(await program(host, { argv: ["true"], cwd: "gone" })).toMatchObject({ code: "NOT_FOUND" });
    expect(await program(host, { argv: ["pwd"], cwd: workspace })).toMatchObject({ data: { cwd: "." } });
  });
});

describe("output", () => {
  it("streams progress, and a secret that comes in two pieces is in none of it", async () => {
    const value = "hunter2-and-more-0123456789";
    const { host, root } = await openProgramHouse({ ...FREE, "usr/secrets.env": `DOOR=${value}\n` });
    const events: HostEvent[] = [];
    host.onAny((event) => events.push(event));
    const half = value.slice(0, 12);
    const script = `printf 'a %s' '${half}'; sleep 0.15; echo '${value.slice(12)} b'; sleep 0.15; echo c`;
    const found = await program(host, { bash: script });
    expect(found.stdout).toBe("a §§secret(DOOR) b\nc\n");
    const progress = events.flatMap((event) => (event.type === "tool_progress" ? [event.text] : []));
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toBe("a §§secret(DOOR) b\nc\n");
    expect(progress.join()).not.toContain(half.slice(0, 8));
    expect(root).not.toBe("");
  });

  it("keeps 1 MiB of each stream, and the rest in a file that tools can read, masked", async () => {
    const value = "hunter2-and-more-0123456789";
    const { host, workspace } = await openProgramHouse({ ...FREE, "usr/secrets.env": `DOOR=${value}\n` });
    const script = `echo first ${value}; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last ${value}; head -c 2000000 /dev/zero | tr '\\0' y >&2`;
    const { data } = await program(host, { bash: script });
    const { stdout, stderr } = data;
    expect(stdout.text.length).toBeLessThan(1024 * 1024 + 200);
    expect(stdout.text).toMatch(/^first §§secret\(DOOR\)\nx+\n\[… \d+ bytes left out; the whole is in .*\n/u);
    expect(stdout.text).toMatch(/x\nlast §§secret\(DOOR\)\n$/u);
    expect(stdout.bytes).toBe(3_000_000 + 2 * (value.length + 7) - 1 + 1);
    const file = join(workspace, stdout.file);
    const whole = existsSync(file) ? file : stdout.file;
    expect(statSync(whole).size).toBeGreaterThan(3_000_000);
    expect(readFileSync(whole, "utf8")).not.toContain(value);
    expect(stderr.omittedBytes).toBeGreaterThan(900_000);
    const read = await host.call("file_read", { path: stdout.file, limit: 1 });
    expect(read).toMatchObject({ status: "success" });
    expect(read.message).toContain("first §§secret(DOOR)");
  });
});
