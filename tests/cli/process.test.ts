import { spawn } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { bareEnvironment, cli, MAIN, PROJECT, startCli, watchProcess } from "../helpers/cli.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

/** A tool whose module runs `top` and whose `execute` runs `body`. */
const tool = (top: string, body: string): string => `import { Tool } from "toolroom";
${top}
export default class extends Tool {
  static readonly risk = "low";
  async execute() {
    ${body}
    return this.success("done");
  }
}
`;

const PRINTS = `console.log("LEAK"); console.error("LEAK"); process.stdout.write("LEAK");`;

const root = makeTree({
  "usr/settings.yaml": "tools: { timeoutMs: 300, loadTimeoutMs: 300 }\n",
  "usr/tools/prints.ts": tool(PRINTS, `${PRINTS} for (let i = 0; i < 20; i++) setTimeout(() => { ${PRINTS} }, i);`),
  "usr/tools/ticks.ts": tool("setInterval(() => {}, 50);", "setInterval(() => {}, 50);"),
  "usr/tools/throws.ts": tool("", 'throw new Error("the tool broke");'),
  "usr/tools/throws_late.ts": tool(
    "",
    'setTimeout(() => { throw new Error("thrown late"); }, 1); Promise.reject(new Error("never awaited")); await new Promise((r) => setTimeout(r, 30));',
  ),
  "usr/tools/hangs.ts": tool("", "await new Promise(() => {});"),
  "usr/tools/top_throws.ts": tool('throw new Error("the module broke");', ""),
  "usr/tools/top_hangs.ts": tool("await new Promise(() => {});", ""),
  "usr/tools/big.ts": toolSource("x".repeat(3_000_000)),
  "usr/plugins/p/plugin.yaml": manifest("p"),
  "usr/plugins/p/extensions/tool_execute_before/_10_print.ts": `import { Extension } from "toolroom";
${PRINTS}
export default class extends Extension<"tool_execute_before"> {
  execute() {
    ${PRINTS}
  }
}
`,
});

describe("what content does to the process", () => {
  test("what it prints, at its top level, in a call or afterwards, is not the host's output", async () => {
    const called = await cli(["call", "prints", "--json"], { cwd: root });
    expect(JSON.parse(called.stdout)).toMatchObject({ status: "success", message: "done" });
    expect(called).toMatchObject({ code: 0, stderr: "" });
    const { stdout, stderr } = await cli(["list", "--definitions", "--json"], { cwd: root });
    expect(JSON.parse(stdout).map(({ name }: { name: string }) => name)).toContain("prints");
    expect(stderr).not.toContain("LEAK");
  });

  test("a timer that it leaves behind does not keep a command that is done", async () => {
    expect(await cli(["call", "ticks"], { cwd: root })).toMatchObject({ code: 0, stdout: "done\n" });
  });

  test("a tool that throws, hangs or does not load is an error result", async () => {
    const expected: readonly (readonly [id: string, code: string, words: RegExp])[] = [
      ["throws", "EXECUTION_ERROR", /the tool broke/],
      ["hangs", "TIMEOUT", /300 ms/],
      ["top_throws", "TOOL_LOAD_FAILED", /usr\/tools\/top_throws\.ts:2.*the module broke/s],
      ["top_hangs", "TOOL_LOAD_FAILED", /usr\/tools\/top_hangs\.ts.*300 ms/s],
    ];
    await Promise.all(
      expected.map(async ([id, error, words]) => {
        const { code, stdout } = await cli(["call", id, "--json"], { cwd: root });
        const result = JSON.parse(stdout);
        expect({ id, code, error: result.error.code }).toEqual({ id, code: 1, error });
        expect(result.message).toMatch(words);
      }),
    );
  });

  test("an error outside of a call is told with its owner and ends nothing", async () => {
    const { code, stdout, stderr } = await cli(["call", "throws_late"], { cwd: root });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
    expect(stderr).toMatch(/STRAY_ERROR .*throws_late.*thrown late/);
    expect(stderr).toMatch(/STRAY_ERROR .*throws_late.*never awaited/);
  });

  test("Ctrl-C stops a call, and the result says so", async () => {
    const waiting = makeTree({
      "usr/tools/waits.ts": tool(
        'import { writeFileSync } from "node:fs";',
        'writeFileSync("started", ""); await new Promise((r) => this.signal.addEventListener("abort", r));',
      ),
    });
    const { child, outcome } = startCli(["call", "waits", "--json"], { cwd: waiting });
    await vi.waitFor(() => expect(existsSync(join(waiting, "started"))).toBe(true), { timeout: 15_000 });
    child.kill("SIGINT");
    const { code, stdout } = await outcome;
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error.code).toBe("STOPPED");
  });
});

describe("streams", () => {
  test("a reader that goes away ends the writing quietly", async () => {
    for (const args of ["call big", "list --all", "prompt", "--help"]) {
      const script = `node "$0" ${args} --trust | head -c 5; echo " $\{PIPESTATUS[0]}"`;
      const shell = spawn("bash", ["-c", script, MAIN], { cwd: root, env: bareEnvironment() });
      const { stdout, stderr } = await watchProcess(shell).outcome;
      expect(stdout).toMatch(/^.{4,5} 0\n$/s);
      expect(stderr).not.toMatch(/EPIPE|internal error/);
    }
  });

  test("everything is written before the process ends, however slowly it is read", async () => {
    const { child, outcome } = startCli(["call", "big", "--json"], { cwd: root });
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 700);
    const { stdout } = await outcome;
    expect(() => JSON.parse(stdout)).not.toThrow();
  });

  test("closed standard streams are no obstacle", async () => {
    for (const closing of ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]) {
      const shell = spawn("bash", ["-c", `exec node "$0" list ${closing}`, MAIN], {
        cwd: root,
        env: bareEnvironment(),
      });
      const code = await new Promise((resolve) => shell.on("close", resolve));
      expect({ closing, code }).toEqual({ closing, code: 0 });
    }
  });
});

describe("the process", () => {
  test("--version is the package's", async () => {
    const { version } = (await import("../../package.json", { with: { type: "json" } })).default;
    for (const flag of ["--version", "-v"]) {
      expect(await cli([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
    }
  });

  test("a current directory that is gone is told in one sentence", async () => {
    const gone = mkdtempSync(join(tmpdir(), "toolroom-"));
    const shell = spawn("bash", ["-c", 'rmdir "$1"; exec node "$0" list', MAIN, gone], {
      cwd: gone,
      env: bareEnvironment(),
    });
    const { code, stderr } = await watchProcess(shell).outcome;
    expect(stderr).toMatch(/^toolroom: the current directory is gone .*\n$/);
    expect(code).toBe(2);
  });

  test("the project itself has nothing to complain about", async () => {
    const { code, stdout, stderr } = await cli(["check", "--root", PROJECT]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^dox, .*locales, snapshot: 0 errors, 0 warnings\.\n$/),
      stderr: "",
    });
  });
});
