import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type RunningCli, startCli } from "../helpers/cli.ts";
import { sitDown } from "../helpers/terminal.ts";
import { makeTree, manifest, toolSource, writeTree } from "../helpers/tree.ts";

const TOOL = "usr/plugins/p/tools/greet.ts";
const BROKEN = "export default class {\n  async execute( { }\n}\n";

interface Watch extends RunningCli {
  readonly root: string;
  write(text: string): void;
  type(line: string): void;
  /** What was written since this was last asked, as soon as `pattern` is in it. */
  next(pattern: RegExp): Promise<string>;
}

/** A process that watches a root with one plugin, of which nothing is in use. */
async function watching(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Watch> {
  const root = makeTree({ "usr/plugins/p/plugin.yaml": manifest("p"), [TOOL]: toolSource("one") });
  const running = startCli(["watch", ...args], { cwd: root, env });
  let seen = 0;
  const next = async (pattern: RegExp): Promise<string> => {
    const all = await running.shows(new RegExp(`^[^]{${seen},}?${pattern.source}`, pattern.flags));
    const text = all.slice(seen);
    seen = all.length;
    return text;
  };
  await next(/watching .* directories\), generation 1\. \/help lists the commands\.\n/);
  return {
    ...running,
    root,
    next,
    write: (text) => writeTree(root, { [TOOL]: text }),
    type: (line) => void running.child.stdin.write(`${line}\n`),
  };
}

describe("watch", { timeout: 60_000 }, () => {
  test("tells of each change as it comes: files, hashes, stages, what is wrong", async () => {
    const watch = await watching();
    watch.write(toolSource("two"));
    const good = await watch.next(/swap \d+ ms\n/);
    expect(good).toMatch(
      /^generation 1 → 2, watch: ok\n {2}usr\/plugins\/p\/tools\/greet\.ts {2}[0-9a-f]{8} → [0-9a-f]{8}\n {2}look \d+ ms, load \d+ ms, swap \d+ ms\n$/,
    );
    watch.write(BROKEN);
    await watch.next(
      /generation 2 → 3, watch: failed\n.*\n.*\n {2}usr\/plugins\/p\/tools\/greet\.ts:3:1 error LOAD_SYNTAX does not parse.*\n[\s\S]*LAST_GOOD/,
    );
    writeTree(watch.root, {
      "usr/plugins/p/prompts/agent.system.tool.greet.md": "---\ndescription: Greets.\n---\nUse it to greet.\n",
    });
    await watch.next(/prompt \d+ → \d+ tokens; the first \d+ of \d+ bytes are as before\n/);
    rmSync(join(watch.root, "usr/plugins/p"), { recursive: true });
    await watch.next(/generation \d+ → \d+, watch: ok\n[\s\S]*greet\.ts {2}[0-9a-f]{8} → gone\n/);
    watch.type("/quit");
    expect((await watch.outcome).code).toBe(0);
  });

  test("a module that would block it costs its change only", async () => {
    const watch = await watching();
    watch.write("process.exit(3);");
    await watch.next(/failed\n[\s\S]*error PROBE_EXITED/);
    watch.write(toolSource("two"));
    await watch.next(/: ok\n/);
    watch.child.kill("SIGTERM");
    expect((await watch.outcome).code).toBe(0);
  });

  test("its commands: list, diff, rollback, pin, release, reload, status, doctor, help", async () => {
    const watch = await watching();
    watch.type("/help");
    for (const name of ["/generations", "/reload", "/status", "/doctor", "/quit"])
      await watch.shows(new RegExp(`\n${name}`));
    watch.write(toolSource("two"));
    await watch.next(/1 → 2, watch: ok\n[\s\S]*swap .*\n/);
    watch.type("/generations");
    await watch.next(/\n1 .* start +ok *\n2 .* watch +ok +serves +usr\/plugins\/p\/tools\/greet\.ts\n/);
    watch.type("/generations diff 1 2");
    await watch.next(/greet\.ts:\d+\n- .*one.*\n\+ .*two.*\n/);
    watch.type("/generations rollback 1");
    await watch.next(/2 → 3, rollback: ok\n[\s\S]*rollback: ok \(exit code 0\), generation 3\. Generation 1 is held/);
    watch.type("/status");
    await watch.next(/generation 3, ok, profile default\n.*\n\d+ directories watched, by events\nGeneration 1 is held/);
    watch.type("/reload");
    await watch.next(/reload: nothing is taken up\. Generation 1 is held/);
    watch.type("/generations release");
    await watch.next(/release: ok \(exit code 0\), generation 4\n/);
    watch.type("/generations pin");
    await watch.next(/Generation 4 is held/);
    watch.write(BROKEN);
    watch.type("/generations release");
    await watch.next(/LOAD_SYNTAX[\s\S]*release: failed \(exit code 1\), generation 5\n/);
    watch.type("/reload");
    await watch.next(/reload: failed \(exit code 1\), generation 6\n/);
    watch.type("/doctor");
    await watch.next(/\nok +timers +no leaked timers\n/);
    for (const wrong of ["diff 1", "rollback x", "pin 1", "frob"]) {
      watch.type(`/generations ${wrong}`);
      await watch.next(/Expected \/generations, or with: diff A B/);
    }
    watch.type("/generations rollback 99");
    await watch.next(/GENERATION_UNKNOWN: generation 99 is not remembered/);
    watch.type("/nope");
    await watch.next(/There is no command \/nope/);
    watch.child.kill("SIGINT");
    expect((await watch.outcome).code).toBe(0);
  });

  test("goes on without an input, and --strict tells of a last generation with errors", async () => {
    const watch = await watching(["--strict"]);
    watch.child.stdin.end();
    watch.write(BROKEN);
    await watch.next(/LOAD_SYNTAX/);
    watch.child.kill("SIGTERM");
    expect((await watch.outcome).code).toBe(1);
  });

  test("--json is one value at the end, --events one a line; both leave the rest to stderr", async () => {
    const [json, events] = await Promise.all([watching(["--json"]), watching(["--events"])]);
    for (const watch of [json, events]) {
      watch.write(toolSource("two"));
      await watch.next(/generation 1 → 2|"type":"reload"/);
      watch.type("/status");
      await watch.next(/generation 2, ok, profile default/);
      watch.type("/quit");
    }
    const list = JSON.parse((await json.outcome).stdout);
    expect(list).toMatchObject([
      { number: 1 },
      { number: 2, receipt: { status: "ok", cause: "watch", files: [TOOL] } },
    ]);
    const { stdout, code } = await events.outcome;
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect({ lines, code }).toMatchObject({ lines: [{ type: "reload", from: 1, to: 2 }], code: 0 });
  });

  test("tells of what a retired version still does, and the doctor of its timers", async () => {
    const watch = await watching();
    const ticking = (word: string) =>
      toolSource(word).replace("export default", "setInterval(() => {}, 1e6);\nexport default");
    watch.write(ticking("two"));
    await watch.next(/1 → 2, watch: ok/);
    watch.write(toolSource("three"));
    await watch.next(/2 → 3, watch: ok/);
    watch.type("/doctor");
    await watch.next(
      /warning +timers +1 leaked timer runs on: 1 of the plugin p, usr\/plugins\/p\/tools\/greet\.ts as of generation 2\n/,
    );
    watch.type("/quit");
    expect((await watch.outcome).code).toBe(0);
  });

  test("at a terminal a change is told above the prompt, and Ctrl-D ends it", async () => {
    const root = makeTree({ "usr/plugins/p/plugin.yaml": manifest("p"), [TOOL]: toolSource("one") });
    const watch = sitDown(["watch"], { cwd: root, env: { NO_COLOR: "1" } });
    await watch.shows(/generation 1\. .*\n[\s\S]*> /);
    watch.type("/sta");
    writeTree(root, { [TOOL]: toolSource("two") });
    await watch.shows(/generation 1 → 2, watch: ok\n[\s\S]*> \/sta/);
    watch.type("tus\r");
    await watch.shows(/generation 2, ok, profile default\n[\s\S]*> /);
    watch.type("\x04");
    expect(await watch.code).toBe(0);
  });
});
