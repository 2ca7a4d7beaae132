import { execFileSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createFileRules } from "../../core/governance/file-rules.ts";
import { createHostState } from "../../core/governance/host-state.ts";
import { workspaceForCall } from "../../core/governance/workspace.ts";
import type { CommandPlan } from "../../core/sdk/command.ts";
import { judgeCommand } from "../../core/shell/judge-command.ts";
import { riskProfile } from "../governance/profiles.ts";
import { openGround, policyWith, verdictOf } from "./ground.ts";

const ALL = policyWith({ allowed_commands: ["*", "cat", "cd", "echo"] });

describe("the plan of a command", () => {
  it.each([
    ["ls -l 'a b'", { kind: "argv", argv: ["ls", "-l", "a b"], env: {} }],
    ["FOO=bar LC_ALL=C ls", { kind: "argv", argv: ["ls"], env: { FOO: "bar", LC_ALL: "C" } }],
    ["echo {a,b}c", { kind: "argv", argv: ["echo", "ac", "bc"], env: {} }],
    ['git commit -m "; rm -rf /"', { kind: "argv", argv: ["git", "commit", "-m", "; rm -rf /"], env: {} }],
    ["ls *.ts", { kind: "bash", script: "'ls' *.ts" }],
    ["wc *.ts -- *.md", { kind: "bash", script: "'wc' ./*.ts -- *.md" }],
    ["wc ''*.ts", { kind: "bash", script: "'wc' ./''*.ts" }],
    ["cd sub", { kind: "bash", script: "'cd' sub" }],
    ["ls > x", { kind: "bash", script: "'ls' >'x'" }],
    ["time ls", { kind: "bash", script: "time 'ls'" }],
    ["sh -c 'ls   a;  pwd'", { kind: "argv", argv: ["sh", "-c", "'ls' a\n'pwd'"], env: {} }],
    ["eval ls '; pwd'", { kind: "bash", script: "'eval' ''\\''ls'\\''\n'\\''pwd'\\'''" }],
  ] as readonly (readonly [string, CommandPlan])[])("of %j is made of what was understood", async (text, plan) => {
    const { workspace } = await openGround();
    expect((await judgeCommand(text, { workspace, policy: ALL })).plan).toEqual(plan);
  });

  it("is not there where the command may not run", async () => {
    const { workspace } = await openGround();
    expect(await judgeCommand("cat /etc/passwd", { workspace, policy: ALL })).toEqual({
      level: "high",
      reasons: [expect.stringContaining("/etc/passwd")],
      deny: { rule: "path", message: expect.stringContaining("use a path in the workspace") },
    });
  });

  // Each prints what bash prints for the text itself.
  it.each([
    "echo a 'b  c' \"d e\" f\\ g \\\\ '' x#y # z",
    "echo \"it's\" '\"' 'a\nb' \\\n c",
    "echo *.ts s?b/[a-d].ts nothing* '*.ts' \\*.ts",
    "echo {a,b{1..3},}x {01..3} {c..a} '{a,b}' {} {a} a{,}",
    "cat <<E; echo b\na \\$x \\\\ 'q' \\\nc\nE",
    "cat <<-'E' | cat - /dev/null\n\ta $x `y`\n\t\tb\n\tE",
    "cat <<A <<B\n1\nA\n2\nB",
    "cat <<E 3<<<'3'\nEND_0\nE",
    "cat <<< \"a b\"; cat <<<''",
    "echo a && echo b || echo c; ! echo d && echo e; (echo f; exit 3) || echo g",
    "{ echo a; echo b >&2; } 2>&1 | cat -n |& cat",
    "echo x > out; echo y >> out; cat < out; cat out; > out; cat out",
    "echo x &> out2; cat out2; echo z &>> out2; cat out2",
    "if false; then echo a; elif true; then echo b; else echo c; fi",
    "for x in 1 2; do echo i; done; while false; do echo w; done; until true; do echo u; done",
    "case 'a b' in (x|a*) echo one;;& *b) echo two;& c) echo three;; *) echo four;; esac",
    "case x in y) ;; esac; echo done",
    "f() { echo in f; }; f; f",
    "function g { (echo in g); } 2>/dev/null; g",
    "cd sub && echo *.ts && cd .. && echo *.ts",
    "[[ abc == a* && ! -f nothing ]] && echo yes; [[ 'a*' == \"a*\" || -d x ]] && echo too",
    "[ -f a.ts ] && echo file",
    "eval 'echo a; echo \"b  c\"' d",
    "sh -c 'echo in sh; cat <<E\nx\nE'",
    "echo a & wait; echo b",
    "printf '%s|' a 'b c' ''",
    "! true; echo if then 'fi' do; 'echo' for",
    "cat a.ts 2>/dev/null 1>&2 2>&1; echo 2 >&1",
    "echo ü 日本 'é'",
  ])("does what bash does for %j", async (text) => {
    const { workspace, root } = await openGround();
    const { plan, deny } = await judgeCommand(text, { workspace, policy: ALL });
    expect(deny).toBeUndefined();
    expect(run(plan as CommandPlan, root)).toBe(run({ kind: "bash", script: text }, root));
  });
});

describe("a command that is made to take long", () => {
  it.each([
    ["parentheses", `${"(".repeat(5_000)}ls${")".repeat(5_000)}`, "deny syntax"],
    ["braces", `ls ${"{".repeat(20_000)}a,b${"}".repeat(20_000)}`, "deny expansion"],
    ["braces in a row", `ls ${"{a,b}".repeat(100)}`, "deny expansion"],
    ["a sequence", "ls {1..999999}", "deny expansion"],
    ["stars", `cat ${"*a".repeat(2_000)}`, "low"],
    ["percent signs", `cat ${"%25".repeat(10_000)}2f`, "low"],
    ["a long text", `cat 'a${"b".repeat(70_000)}'`, "deny characters"],
    ["wrappers", `${"nice ".repeat(20)}ls`, "deny syntax"],
    ["texts", "eval eval eval eval eval eval eval eval eval eval ls", "deny syntax"],
    ["chains", `ls${" && ls".repeat(8_000)}`, "low"],
    ["words", `ls${" a".repeat(30_000)}`, "low"],
  ])("is not: %s", async (_, text, verdict) => {
    const { root, workspace } = await openGround();
    await writeFile(join(root, "a".repeat(250)), "");
    expect(await verdictOf(text, workspace)).toBe(verdict);
  });
});

describe("paths of a command", () => {
  it("are taken from where it would run", async () => {
    const { workspace } = await openGround();
    const verdict = async (text: string, cwd: string) => await verdictOf(text, workspace, { cwd });
    expect(await verdict("cat ../a.ts", "sub")).toBe("low");
    expect(await verdict("cat ../../a.ts", "sub")).toBe("deny path");
    expect(await verdict("cat away/d.ts", "sub")).toBe("deny path");
    await expect(verdict("ls", "../outside")).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    await expect(verdict("ls", "sub/away")).rejects.toMatchObject({ code: "ACCESS_DENIED" });
  });

  it.each([
    ["cd sub && cat ../a.ts", "medium"],
    ["cd sub; cat ../a.ts", "deny path"],
    ["cd sub || cat ../a.ts", "deny path"],
    ["cd sub && ls; cat ../a.ts", "deny path"],
    ["(cd sub && cat ../a.ts)", "medium"],
    ["(cd sub); cat ../a.ts", "deny path"],
    ["cd sub && cd .. && ls", "medium"],
    ["cd .. && ls", "deny path"],
    ["cd", "deny path"],
    ["cd -", "deny path"],
    ["cd sub/away", "deny path"],
    ["cd sub/up && cat a.ts", "medium"],
    ["cd sub/up && cat ../a.ts", "deny path"],
    ["env -C sub/up cat ../a.ts", "deny path"],
    ["git -C sub/up log ../a.ts", "deny path"],
    ["cd ~", "deny path"],
    ["while ls; do cd sub; done", "deny path"],
    ["f() { cd sub; }", "deny path"],
    ["cd sub | cat ../a.ts", "deny path"],
    ["eval 'cd sub' && cat ../a.ts", "medium"],
    ["if cd sub; then ls; fi; cat away/d.ts", "deny path"],
    ["env -C sub cat ../a.ts", "medium"],
    ["env -C sub cat ../../a.ts", "deny path"],
    ["env -C .. cat a.ts", "deny path"],
    ["git -C sub log ../a.ts", "deny path"],
  ])("follow cd: %j %s", async (text, verdict) => {
    const { root, workspace } = await openGround();
    await symlink("..", join(root, "sub", "up"));
    const lists = { allowed_commands: ["*"], low_risk_commands: ["cat"] };
    expect(await verdictOf(text, workspace, { lists })).toBe(verdict);
  });

  it("may lie in other roots that the risk profile admits, as it says", async () => {
    const { root, workspace } = await openGround();
    const outside = join(root, "..", "outside");
    const profile = riskProfile({ allowed_roots: [outside], forbidden_paths: ["sub"] });
    const none = (name: string): string => join(root, name);
    const places = { outside: none("state/none"), configuration: none("nothing"), audit: none("usr/audit.jsonl") };
    const state = createHostState({ root, home: none("home"), linked: () => [], ...places });
    const rules = createFileRules({ workspace: root, base: root, profiles: [profile], state });
    const open = workspaceForCall(workspace, { rules });
    const verdict = async (text: string) => await verdictOf(text, open);
    expect(await verdict("cat ../outside/d.ts")).toBe("low");
    expect(await verdict("echo x > ../outside/e")).toBe("deny path");
    expect(await verdict("rm ../outside/d.ts")).toBe("deny path");
    expect(await verdict("cat sub/c.ts")).toBe("deny path");
    expect(await verdict("echo x > usr/settings.yaml")).toBe("deny path");
    expect(await verdict("git checkout usr/settings.yaml")).toBe("deny path");
    expect(await verdict("cat usr/settings.yaml")).toBe("low");
    expect(await verdict("cat usr/secrets.env")).toBe("deny path");
    expect(await verdict("grep -f usr/secrets.env x")).toBe("deny path");
  });

  it("may be those below ~, where they lie in the workspace", async () => {
    const { root, workspace } = await openGround();
    await symlink(homedir(), join(root, "home"));
    expect(await verdictOf("cat ~/a", workspace)).toBe("deny path");
    expect(await verdictOf("cat home/a", workspace)).toBe("deny path");
    expect(await verdictOf("cat a~ b.~1~", workspace)).toBe("low");
  });

  it("are those of files that a pattern finds", async () => {
    const { root, workspace } = await openGround();
    await writeFile(join(root, "sub", "-rf"), "");
    expect(await verdictOf("cat sub/*", workspace)).toBe("deny path");
    expect(await verdictOf("cat sub/*.ts", workspace)).toBe("low");
    expect(await verdictOf("cat */../../x", workspace)).toBe("deny path");
    expect(await verdictOf("ls -*", workspace)).toBe("high");
  });
});

function run(plan: CommandPlan, cwd: string): string {
  const [file, ...args] = plan.kind === "argv" ? plan.argv : ["bash", "--norc", "--noprofile", "-c", plan.script];
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", ...(plan.kind === "argv" ? plan.env : {}) };
  try {
    return execFileSync(file as string, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return `${(error as { stdout: string }).stdout}\nexit ${(error as { status: number }).status}`;
  }
}
