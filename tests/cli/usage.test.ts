import { mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMain } from "../helpers/main.ts";
import { makeTree, manifest, toolSource } from "../helpers/tree.ts";

const root = makeTree({
  "usr/plugins/p/plugin.yaml": manifest("p"),
  "usr/plugins/p/tools/plain.ts": toolSource("done"),
  "usr/settings.yaml": "profile: default\n",
});
writeFileSync(join(root, "a-file"), "");
symlinkSync("circle", join(root, "circle"));

/** What a person gets wrong, and the words that say so. */
const WRONG: readonly (readonly [argv: string, words: RegExp])[] = [
  [
    "nope",
    /expected a command \(run, chat, list, explain, prompt, call, policy, estop, approvals, check, test, trust, sessions, receipts, audit, watch, doctor, locales\), found "nope"/,
  ],
  ["lst", /did you mean list\?/],
  ["help nope", /expected a command/],
  ["list --nope", /list has no option --nope; toolroom list --help tells those it has/],
  ["list --jason", /list has no option --jason; did you mean --json\?/],
  ["list -x", /list has no option -x/],
  ["call plain -5", /call has no option -5/],
  ["--frobnicate", /chat has no option --frobnicate/],
  ["list --profile", /--profile needs a value/],
  ["list --profile --json", /--profile needs a value/],
  ["list --profile=", /--profile needs a value, found an empty one/],
  ["list --json=yes", /--json takes no value/],
  ["list extra words", /list takes no words, found "extra words"; explain <id> tells about one tool/],
  ["list --kind widget", /--kind must be one of tool, fragment, .*locale, found "widget"/],
  ["list --kind tool --all", /--kind and --all exclude each other/],
  ["list --all --definitions", /--all and --definitions exclude each other/],
  ["list --provider openai", /--provider goes with --definitions only/],
  ["list --definitions --provider acme", /expected a provider that is known \(openai, .*found "acme"/],
  ["explain", /explain takes one id.*found 0/],
  ["explain a b", /explain takes one id.*found 2/],
  ["explain plain --kind widget", /a kind is one of tool, .*; found "widget"/],
  ["prompt extra", /prompt takes no words, found "extra"/],
  ["prompt --tokens --sources", /ask for one of them/],
  ["call", /call needs a tool: toolroom call <tool> key=value/],
  ["call plain key", /expected key=value, or one JSON object as the only argument, found "key"/],
  ["call plain =value", /expected key=value.*found "=value"/],
  ["call plain a=1 a=2", /expected each argument once, found a twice/],
  ["call plain a=1 {}", /expected key=value.*found "{}"/],
  ["check nothing", /"nothing" is not an area of check; the areas are dox, .*locales, snapshot, all/],
  ["run", /run needs a message: toolroom run "/],
  ["run hi --model gpt", /expected a model as provider\/model .*found "gpt"/],
  ["run hi --model acme/gpt", /expected a provider that is known/],
  ["chat hello", /chat takes no words, found "hello"; run "<message>" asks once/],
  ["chat --continue --resume x", /--continue and --resume exclude each other/],
  ["chat --continue", /there is no session to go on with/],
  ["chat --resume x", /SESSION_UNKNOWN: there is no session "x"/],
  ["run hi --session 20250101T000000000-00000000", /there is no session "20250101T000000000-00000000"/],
  ["sessions nope", /sessions has the actions list, show, delete, found "nope"/],
  ["sessions list x", /sessions list takes no words, found "x"/],
  ["sessions show", /sessions show takes one id, found 0/],
  ["sessions show ..", /there is no session "\.\."/],
  ["sessions delete", /sessions delete needs an id/],
  ["sessions delete ../x", /there is no session "\.\.\/x"/],
  ["watch here", /watch takes no words, found "here"/],
  ["watch --json --events", /expected --json \(one value at the end\) or --events \(one a line\), found both/],
  ["doctor me", /doctor takes no words, found "me"/],
  ["chat --json", /chat has no JSON form; run --json has/],
  ["list --profile nobody", /PROFILE_UNKNOWN: expected a profile \(.*default.*\), found "nobody"/],
  ["list --project nothing", /PROJECT_UNKNOWN: expected a directory of usr\/projects\//],
  ["list --root ./nowhere", /ROOT_MISSING: the root must be a directory, found nothing at .*nowhere/],
  ["list --root a-file", /ROOT_MISSING: the root must be a directory, found a file at .*a-file/],
  ["list --root circle", /ROOT_MISSING: .*found something that cannot be read \(ELOOP\) at .*circle/],
  [`list --root ${"x".repeat(300)}`, /ROOT_MISSING: .*found something that cannot be read \(ENAMETOOLONG\)/],
  ["list --workspace ./nowhere", /the workspace must be a directory, found nothing at/],
];

describe("wrong usage is exit code 2 and one sentence on stderr", () => {
  for (const [words, expected] of WRONG) {
    test(words, async () => {
      const { code, stdout, stderr } = await runMain(words.split(" "), { cwd: root });
      expect(stderr).toMatch(expected);
      expect(stderr).toMatch(/^toolroom: .+\n$/);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    });
  }

  test("a sentence without `run` is told where it belongs", async () => {
    const { code, stderr } = await runMain(["how are you"], { cwd: root });
    expect(stderr).toContain('toolroom run "how are you" asks the agent');
    expect(code).toBe(2);
  });

  test("with --json too: nothing on stdout", async () => {
    for (const argv of [
      ["list", "--json", "--nope"],
      ["call", "plain", "--json", "x"],
      ["run", "--json", "hi", "--profile", "nobody"],
    ]) {
      const { code, stdout } = await runMain(argv, { cwd: root });
      expect({ argv, code, stdout }).toEqual({ argv, code: 2, stdout: "" });
    }
  });
});

describe("options", () => {
  test("common options may stand before the command", async () => {
    const { code, stdout } = await runMain(["--root", root, "--json", "list"], { cwd: tmpdir() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toContain("plain");
  });

  test("behind -- nothing is an option", async () => {
    const { code, stdout } = await runMain(["run", "--", "--json", "--model"], { cwd: root });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/^\{/);
  });

  test("--root is found upwards from the current directory", async () => {
    const { stdout } = await runMain(["explain", "plain", "--json"], { cwd: join(root, "usr/plugins/p") });
    expect(JSON.parse(stdout).winner).toBe("usr/plugins/p/tools/plain.ts");
  });

  test("a directory without usr/ is a root of bundled content, and is not written to", async () => {
    const bare = mkdtempSync(join(tmpdir(), "toolroom-"));
    const { code, stdout } = await runMain(["list", "--json"], {
      cwd: bare,
      env: { XDG_STATE_HOME: join(root, "state") },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)).toContain("response");
    expect(readdirSync(bare)).toEqual([]);
  });
});

describe("help", () => {
  test.each([["--help"], ["-h"], ["help"], ["--help", "--profile", "default"]])(
    "%s tells every command",
    async (...argv) => {
      const { code, stdout, stderr } = await runMain(argv, { cwd: root });
      for (const name of ["run", "chat", "list", "explain", "prompt", "call", "check", "watch", "doctor"])
        expect(stdout).toContain(`\n  ${name}`);
      expect(stdout).toContain("--strict");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    },
  );

  test.each([
    ["list", "--help"],
    ["list", "-h"],
    ["help", "list"],
  ])("%s %s tells one command", async (...argv) => {
    const { code, stdout } = await runMain(argv, { cwd: root });
    expect(stdout).toMatch(/^toolroom list .*\n/);
    for (const option of ["--kind VALUE", "--all", "--definitions", "--provider VALUE", "--json"])
      expect(stdout).toContain(option);
    expect(code).toBe(0);
  });
});
