import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RISK_PROFILE_KEYS } from "../../core/discovery/risk-profile-keys.ts";
import { openHouse } from "../host/house.ts";
import { LISTS, openGround, verdictOf } from "./ground.ts";

const { allowed_commands: allowed, low_risk_commands: low, denied_commands: denied } = RISK_PROFILE_KEYS;

/** A tool that judges what it is given, and does nothing. */
const JUDGE = `import { judgeCommand, Tool, z } from "toolroom";
const parameters = z.object({ command: z.string() });
export default class Judge extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = ({ command }, context) => judgeCommand(command, context);
  async execute() {
    return this.success("done");
  }
}
`;
const TOOL = {
  "usr/plugins/judge/plugin.yaml": "name: judge\n",
  "usr/plugins/judge/tools/judge.ts": JUDGE,
  "usr/plugins/judge/prompts/agent.system.tool.judge.md": "---\ndescription: Judges.\n---\nJudges.\n",
};

describe("lists of commands", () => {
  it("make a command medium, and low where it is on both", async () => {
    const { workspace } = await openGround();
    const verdicts = async (lists: object) =>
      await Promise.all(["ls", "date", "touch a"].map((text) => verdictOf(text, workspace, { lists: { ...lists } })));
    expect(await verdicts({})).toEqual(["medium", "medium", "high"]);
    expect(await verdicts({ low_risk_commands: ["ls", "touch"] })).toEqual(["low", "medium", "high"]);
    expect(await verdicts({ allowed_commands: ["touch"], low_risk_commands: ["ls"] })).toEqual([
      "high",
      "high",
      "medium",
    ]);
    expect(await verdicts({ allowed_commands: [], low_risk_commands: ["ls"] })).toEqual(["high", "high", "high"]);
    expect(await verdicts({ allowed_commands: ["*"], low_risk_commands: ["touch"] })).toEqual([
      "medium",
      "medium",
      "low",
    ]);
  });

  it("lower nothing where a command writes what others obey, wherever it has gone before, and through a link", async () => {
    const { workspace } = await openGround();
    const verdict = async (text: string, cwd = ".") =>
      await verdictOf(text, workspace, {
        lists: { allowed_commands: ["echo", "cd"], low_risk_commands: ["echo"] },
        cwd,
      });
    expect(await verdict("cd sub && echo x > pre-commit")).toBe("medium");
    expect(await verdict("cd .git/hooks && echo x > pre-commit")).toBe("high");
    expect(await verdict("echo x > pre-commit", ".git/hooks")).toBe("high");
    expect(await verdict("cd sub && echo x >> ../git-config")).toBe("high");
  });

  it("name commands that `*` does not mean, and paths in the workspace", async () => {
    const { root, workspace } = await openGround();
    await mkdir(join(root, "other", "deep"), { recursive: true });
    await symlink("../other/deep", join(root, "sub", "link"));
    const lists = { allowed_commands: ["*", "rm", "./sub/build.sh"], low_risk_commands: ["rm"] };
    const verdict = async (text: string, cwd?: string) =>
      await verdictOf(text, workspace, { lists, ...(cwd === undefined ? {} : { cwd }) });
    expect(await verdict("rm a.ts")).toBe("low");
    expect(await verdict("shred a.ts")).toBe("high");
    expect(await verdict("sub/build.sh")).toBe("medium");
    expect(await verdict("./build.sh", "sub")).toBe("medium");
    expect(await verdict("../sub/build.sh", "x:")).toBe("medium");
    expect(await verdict("./build.sh")).toBe("deny executable_path");
    // By the name of the listed one, and other/build.sh for the system.
    expect(await verdict("sub/link/../build.sh")).toBe("deny path");
  });

  it.each([
    "rm x",
    "RM x",
    "ls; rm x",
    "command rm",
    "env A=1 rm x",
    "timeout -k 1 5 rm x",
    "timeout --weird 5 rm x",
    "ls | xargs -n 1 rm",
    "sudo -u root rm x",
    "sudo env nice -n 5 rm x",
    "sh -c 'ls; rm x'",
    "bash +x -lc 'rm x'",
    "bash -c 'sh -c \"rm x\"'",
    "nohup nice rm x",
    "stdbuf -oL setsid rm",
    "exec -a ls rm",
    "builtin rm",
    "eval 'rm' x",
    "eval eval rm",
    "trap 'rm x' EXIT",
    "su -c 'rm x' root",
    "find . -exec rm {} +",
    "find . -execdir rm {} +",
    "busybox rm x",
    "strace -f rm x",
    "ssh host rm x",
    "watch 'rm x'",
    "f() { rm x; }",
    "coproc rm x",
    "if ls; then rm x; fi",
    "/bin/rm x",
    "env -a ls rm x",
    "cat <<E | rm\nE",
  ])("deny a command wherever it is run: %s", async (text) => {
    const { workspace } = await openGround();
    const lists = { allowed_commands: ["*", "rm"], low_risk_commands: ["rm"], denied_commands: ["rm"] };
    const verdict = await verdictOf(text, workspace, { lists });
    // A path, and what is refused by itself, need no list.
    expect(verdict).toMatch(/^deny (?:denied_commands|find_exec)$/u);
    expect(await verdictOf("echo rm", workspace, { lists })).toBe("medium");
  });

  it("deny everything by `*`", async () => {
    const { workspace } = await openGround();
    expect(await verdictOf("ls", workspace, { lists: { ...LISTS, denied_commands: ["*"] } })).toBe(
      "deny denied_commands",
    );
  });

  it("narrow: what both allow, what either denies", () => {
    expect(allowed.narrow(["ls", "git"], ["git", "cat"])).toEqual(["git"]);
    expect(allowed.narrow(["*"], ["git", "rm"])).toEqual(["git"]);
    expect(allowed.narrow(["*", "rm"], ["git", "rm"])).toEqual(["rm", "git"]);
    expect(allowed.narrow(["ls", "rm", "./x"], ["*"])).toEqual(["ls"]);
    expect(allowed.narrow(["*"], ["*"])).toEqual(["*"]);
    expect(allowed.narrow([], ["*"])).toEqual([]);
    expect(low.narrow(["ls"], [])).toEqual([]);
    expect(low.narrow(["ls", "cat"], ["cat"])).toEqual(["cat"]);
    expect(denied.narrow(["rm"], ["dd", "rm"])).toEqual(["rm", "dd"]);
  });

  it.each([
    ["allowed_commands: [git status]", []],
    ["allowed_commands: all", []],
    ["allowed_commands: ['-x']", []],
    ["low_risk_commands: ['*']", []],
    ["denied_commands: rm", ["*"]],
  ])("that are not what they should be (%s) are errors", async (line, value) => {
    const { host } = await openHouse({ "usr/settings.yaml": `risk_profiles:\n  default:\n    ${line}\n` });
    expect(host.diagnostics()).toContainEqual(expect.objectContaining({ code: "SETTINGS_INVALID", severity: "error" }));
    const { settings, fault } = await host.policy.show();
    const key = line.split(":")[0];
    expect(fault).toContain(key);
    expect([value, ["git status"], ["-x"], ["*"]]).toContainEqual(settings.find((one) => one.key === key)?.value);
  });

  it("come from the settings and from plugins, and a refusal is told with its rule", async () => {
    const { host } = await openHouse({
      ...TOOL,
      "usr/plugins/tight/plugin.yaml": "name: tight\npolicy:\n  denied_commands: [date]\n",
      "usr/settings.yaml":
        "risk_profiles:\n  default:\n    low_risk_commands: [ls, date]\n    block_high_risk: false\n    denied_commands: [wc]\n",
    });
    const why = async (command: string) => {
      const { decision, rule, risk } = await host.policy.why("judge", { command });
      return [decision, rule ?? "", ...(risk?.reasons ?? [])];
    };
    expect(await why("ls")).toEqual(["run", expect.any(String), "all of its commands are on low_risk_commands"]);
    expect(await why("pwd")).toEqual(["ask", expect.any(String), "pwd is not on low_risk_commands"]);
    expect(await why("rm -rf x")).toEqual(["ask", expect.any(String), "rm is not on allowed_commands"]);
    for (const command of ["date", "wc a.ts"]) {
      expect((await why(command)).slice(0, 2)).toEqual(["block", "denied_commands"]);
    }
    expect(await why("cat /etc/passwd")).toEqual(["block", "path", expect.stringContaining("/etc/passwd")]);
    const result = await host.call("judge", { command: "cat $HOME/x" });
    expect(result.error).toMatchObject({ code: "DENIED_BY_POLICY", message: expect.stringContaining("expansion") });
  });
});
