import { linkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkspace } from "../../core/governance/workspace.ts";
import { openHost } from "../../core/host.ts";
import ContentSearch from "../../plugins/_files/tools/content_search.ts";
import GlobSearch from "../../plugins/_files/tools/glob_search.ts";
import { makeTree } from "../helpers/tree.ts";

it("tells nothing of secrets of the host and of what the risk profile forbids, by no name", async () => {
  const rules = { forbidden_paths: ["closed", "dir/one.txt"] };
  const root = makeTree({
    "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: rules } }),
    "usr/plugins/.gitkeep": "",
    "usr/secrets.env": "A_SECRET=needle\n",
    "usr/projects/one/secrets.env": "A_SECRET=needle\n",
    "usr/ledger/key.pem": "needle",
    "closed/deep/a.txt": "needle",
    "dir/one.txt": "needle",
    "dir/two.txt": "needle",
  });
  linkSync(join(root, "usr/secrets.env"), join(root, "dir/hard.txt"));
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  const host = await openHost({ root, workspace: root, env, trust: true });
  const all = { include_hidden: true, include_ignored: true };
  try {
    for (const output_mode of ["content", "files_with_matches", "count"]) {
      const { data } = await host.call("content_search", { pattern: "needle", output_mode, ...all });
      expect(data).toMatchObject({ files: [{ path: "dir/two.txt", matches: 1 }], totals: { matches: 1, files: 1 } });
    }
    const { data } = await host.call("glob_search", {
      pattern: "{closed,dir,usr/ledger,usr/*.env,usr/projects}{,/**}",
      ...all,
    });
    expect(data.paths).toEqual(["dir/hard.txt", "dir/two.txt"]);
    expect((await host.call("glob_search", { pattern: "*", path: "usr/ledger" })).error?.code).toBe("ACCESS_DENIED");
  } finally {
    await host.close();
  }
});

it("asks more for what looks like files with secrets, and outside of the workspace", async () => {
  const base = makeTree({ "ws/a": "", "ws/.env": "", "outside/b": "" });
  const workspace = await createWorkspace({ root: join(base, "ws") });
  const context = { workspace } as never;
  const level = async (args: { path?: string; include?: string }) =>
    (await (ContentSearch.risk as (...given: unknown[]) => Promise<{ level: string }>)({ path: ".", ...args }, context))
      .level;
  for (const include of [".env", "**/.env*", "*.pem", "{a,id_rsa}", "**/.ssh/**", "[.]env"]) {
    expect([include, await level({ include })]).toEqual([include, "medium"]);
  }
  for (const include of ["*.ts", "src/**", ".env.example"]) {
    expect([include, await level({ include })]).toEqual([include, "low"]);
  }
  expect(await level({ path: ".env" })).toBe("medium");
  expect(await level({})).toBe("low");
  const open = { workspace: { resolve: async () => "/elsewhere", isOutside: async () => true } } as never;
  expect(await GlobSearch.risk({ path: "/elsewhere" }, open)).toMatchObject({ level: "medium" });
  expect(await GlobSearch.risk({ path: "." }, context)).toMatchObject({ level: "low" });
});
