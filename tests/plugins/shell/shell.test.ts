import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ToolCase, testTool } from "toolroom/testing";
import { describe, expect, it } from "vitest";
import { openHouse } from "../../host/house.ts";
import { risk } from "../../processes/program.ts";

const FILES = { "a.txt": "one\ntwo\n", "sub/b.txt": "b\n" };
const ALLOWED = ["cat", "echo", "ls", "pwd", "sleep", "grep", "head", "printf", "sh"];
const FREE = { level: "full", block_high_risk: false, leak_guard: "off", allowed_commands: ALLOWED };

const refused = (
  args: ToolCase["args"],
  code: NonNullable<ToolCase["expect"]>["code"],
  pointer?: string,
): ToolCase => ({
  name: `refuses ${JSON.stringify(args)}`,
  ...(args ? { args } : {}),
  files: FILES,
  expect: { ...(code ? { code } : {}), ...(pointer === undefined ? {} : { pointer }) },
});

testTool("../../../plugins/_shell/tools/shell.ts", {
  args: { command: "cat a.txt", cwd: "." },
  files: FILES,
  paths: ["cwd"],
  settings: { risk_profiles: { default: FREE } },
  slow: { args: { command: "sleep 20" } },
  cases: [
    {
      name: "gives what a program wrote",
      args: { command: "cat a.txt" },
      files: FILES,
      expect: {
        status: "success",
        message: "one\ntwo",
        data: { exitCode: 0, signal: null, stdout: "one\ntwo\n", stderr: "", cwd: "." },
      },
    },
    {
      name: "runs a pipe and a redirection as the tree says",
      args: { command: "cat a.txt | grep two > c.txt; cat c.txt" },
      files: FILES,
      expect: { status: "success", message: "two" },
      check: (_, { workspace }) => expect(readFileSync(join(workspace, "c.txt"), "utf8")).toBe("two\n"),
    },
    {
      name: "another exit code than 0 is partial, with both streams",
      args: { command: "cat sub/b.txt gone.txt" },
      files: FILES,
      expect: {
        status: "partial",
        message: /^b\n\[stderr\]\ncat: gone\.txt: .*\n\[exit code 1\]$/u,
        data: { exitCode: 1 },
      },
    },
    {
      name: "runs in a directory of the workspace",
      args: { command: "cat b.txt", cwd: "sub" },
      files: FILES,
      expect: { status: "success", message: "b", data: { cwd: "sub" } },
    },
    {
      name: "ends what takes too long, and tells what it wrote",
      args: { command: "cat a.txt; sleep 20", timeout: 1 },
      files: FILES,
      expect: {
        status: "partial",
        message: /^one\ntwo\n\[ended by SIG\w+\]\n\[ended after 1 s[\s\S]*"background": true\.\]$/u,
        data: { stdout: "one\ntwo\n", timedOut: true },
      },
    },
    {
      name: "in the background: begun, listed, read, stopped",
      args: { command: "echo hi; sleep 20", background: true },
      files: FILES,
      expect: {
        status: "success",
        message: /^process-\d+ \(running\): echo hi; sleep 20\n[\s\S]*\[process-\d+ runs on\]$/u,
      },
      async check({ data }, { call }) {
        const { job, stdout } = data as { job: string; stdout: string };
        // The machine may be slow to begin it.
        const more = stdout === "" ? await call({ action: "output", job, timeout: 20 }) : undefined;
        expect(more?.data.stdout ?? stdout).toBe("hi\n");
        expect((await call({ action: "jobs" })).message).toContain(`${job} (running): echo hi; sleep 20`);
        expect((await call({ action: "output", job })).data).toMatchObject({ job, state: "running", stdout: "" });
        expect(await call({ action: "stop", job })).toMatchObject({
          status: "partial",
          data: { state: "ended", signal: "SIGTERM" },
        });
      },
    },
    {
      name: "what ended in the background says how",
      args: { command: "cat gone.txt", background: true },
      files: FILES,
      expect: {},
      async check(begun, { call }) {
        const { job } = begun.data as { job: string };
        let found = begun;
        let wrote = String(begun.data.stderr);
        for (let tries = 0; tries < 50 && found.data.state === "running"; tries++) {
          found = await call({ action: "output", job, timeout: 1 });
          wrote += found.data.stderr;
        }
        expect(found).toMatchObject({ status: "partial", data: { state: "ended", exitCode: 1 } });
        expect(found.message).toMatch(/\(ended\)[\s\S]*\[exit code 1\]\n/u);
        expect(wrote).toMatch(/gone\.txt/u);
      },
    },
    refused({}, "INVALID_PARAM", "/command"),
    refused({ action: "output" }, "INVALID_PARAM", "/job"),
    refused({ action: "stop", job: "process-99" }, "NOT_FOUND", "/job"),
    refused({ command: "ls", timeout: 4000 }, "INVALID_PARAM", "/timeout"),
    refused({ command: "ls", cwd: "../x" }, "ACCESS_DENIED", "/cwd"),
    refused({ command: "ls", cwd: "a.txt" }, "INVALID_PARAM", "/cwd"),
    refused({ command: "cat /etc/passwd" }, "DENIED_BY_POLICY"),
    refused({ command: "cat $HOME/x" }, "DENIED_BY_POLICY"),
  ],
});

describe("secrets", () => {
  const files = { ...risk(FREE), "usr/secrets.env": 'DOOR=it\'s "open"; $(touch pwned) `touch pwned`\n' };

  it("are put into the arguments of one program, whatever they hold", async () => {
    const { host, workspace } = await openHouse(files, { workspaceFiles: FILES });
    const said = await host.call("shell", { command: 'printf %s "x §§secret(DOOR) y"' });
    expect(said).toMatchObject({ status: "success", message: expect.stringContaining("x §§secret(DOOR) y") });
    expect(existsSync(join(workspace, "pwned"))).toBe(false);
  });

  it("are not put into a text for a shell, which would read them", async () => {
    const { host, workspace } = await openHouse(files, { workspaceFiles: FILES });
    const said = await host.call("shell", { command: "printf %s '§§secret(DOOR)' | cat" });
    expect(said).toMatchObject({ error: { code: "INVALID_PARAM", pointer: "/command" } });
    expect(existsSync(join(workspace, "pwned"))).toBe(false);
  });
});

describe("what decides is what runs", () => {
  it("asks for what is medium, blocks what is high, and runs what is low, by default", async () => {
    const asked: string[] = [];
    const { host } = await openHouse(risk({ low_risk_commands: ["cat"] }), {
      workspaceFiles: FILES,
      approver: ({ tool, risk: { level } }) => {
        asked.push(`${tool} ${level}`);
        return { decision: "approve" };
      },
    });
    expect((await host.call("shell", { command: "cat a.txt" })).status).toBe("success");
    expect(asked).toEqual([]);
    expect((await host.call("shell", { command: "ls" })).status).toBe("success");
    expect(asked).toEqual(["shell medium"]);
    expect(await host.call("shell", { command: "node x.js" })).toMatchObject({ error: { code: "DENIED_BY_POLICY" } });
    expect(await host.call("shell:jobs", {})).toMatchObject({ status: "success" });
  });
});

it("rests for no command that takes longer than it was given", async () => {
  const { "usr/settings.yaml": profiles = "" } = risk(FREE);
  const settings = JSON.stringify({ ...JSON.parse(String(profiles)), tools: { breakerFailures: 1 } });
  const { host } = await openHouse({ "usr/settings.yaml": settings }, { workspaceFiles: FILES });
  for (const command of ["sleep 20", "cat a.txt; sleep 20"]) {
    expect(await host.call("shell", { command, timeout: 0.1 })).toMatchObject({
      status: "partial",
      data: { timedOut: true },
    });
  }
  expect((await host.call("shell", { command: "cat a.txt" })).status).toBe("success");
});
