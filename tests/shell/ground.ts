import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { RISK_PROFILE_KEYS } from "../../core/discovery/risk-profile-keys.ts";
import { createWorkspace } from "../../core/governance/workspace.ts";
import type { JsonObject } from "../../core/sdk/result.ts";
import type { Workspace } from "../../core/sdk/workspace.ts";
import { judgeCommand } from "../../core/shell/judge-command.ts";

/** What most tests judge by: many names on the first list, those that only read on the second. */
export const LISTS = {
  allowed_commands:
    "cargo git node npm pip python python3 cat date df du echo find grep head hostname ls pwd tail uname uptime wc".split(
      " ",
    ),
  low_risk_commands: "ls cat echo grep head tail wc pwd".split(" "),
};

/**
 * A directory with some files, `sub/`, a directory `x:`, and links: `somelink` and `sub/away` lead outside, `inner` and
 * `repository` do not, and `git-config` leads to what git obeys.
 */
export async function makeGround(): Promise<{ readonly root: string; readonly workspace: Workspace }> {
  const base = await mkdtemp(join(tmpdir(), "toolroom-shell-"));
  const root = join(base, "workspace");
  await mkdir(join(root, "sub"), { recursive: true });
  await mkdir(join(root, "x:"));
  await mkdir(join(base, "outside"));
  for (const file of ["a.ts", "b.ts", "sub/c.ts"]) await writeFile(join(root, file), "x\n");
  await writeFile(join(base, "outside", "d.ts"), "x\n");
  await symlink("/etc/passwd", join(root, "somelink"));
  await symlink(join(base, "outside"), join(root, "sub", "away"));
  await symlink("a.ts", join(root, "inner"));
  await symlink(".git", join(root, "repository"));
  await mkdir(join(root, ".git", "hooks"), { recursive: true });
  await symlink(".git/config", join(root, "git-config"));
  return { root, workspace: await createWorkspace({ root }) };
}

/** {@link makeGround} for one test. */
export async function openGround(): Promise<{ readonly root: string; readonly workspace: Workspace }> {
  const ground = await makeGround();
  onTestFinished(() => rm(join(ground.root, ".."), { recursive: true, force: true }));
  return ground;
}

/** The values of a risk profile with these lists. */
export function policyWith(lists: JsonObject): JsonObject {
  const defaults = Object.fromEntries(Object.entries(RISK_PROFILE_KEYS).map(([key, row]) => [key, row.default]));
  return { ...defaults, ...lists } as JsonObject;
}

/** A verdict in one word: `deny <rule>`, `high`, `medium`, `low`. */
export async function verdictOf(
  command: string,
  workspace: Workspace,
  { lists = LISTS, cwd }: { readonly lists?: JsonObject; readonly cwd?: string } = {},
): Promise<string> {
  const { level, deny } = await judgeCommand(command, { workspace, policy: policyWith(lists), cwd });
  return deny ? `deny ${deny.rule}` : level;
}
