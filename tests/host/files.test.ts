import { execFileSync } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createWorkspace } from "../../core/governance/workspace.ts";
import { type Host, openHost } from "../../core/host.ts";
import type { ModelRequest } from "../../core/model/model.ts";
import { call, text } from "../helpers/scripted-model.ts";
import { makeTree, type Tree, writeTree } from "../helpers/tree.ts";
import { openAgency, resultsIn } from "./agency.ts";
import { openHouse } from "./house.ts";

/** A tool that puts a file there. */
const put = `import { Tool, z } from "toolroom";
const parameters = z.object({ path: z.string(), text: z.string().default("x") });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ path, text }: z.infer<typeof parameters>) {
    await this.workspace.write(path, text);
    return this.success("written");
  }
}
`;
/** Of the tests that share one. */
let shared: Host | undefined;
afterAll(async () => await shared?.close());
/** Whether the tests are still being told, and none runs. */
let collecting = true;
beforeAll(() => {
  collecting = false;
});

interface Place {
  readonly host: Host;
  readonly workspace: string;
  readonly outside: string;
  code(tool: string, path: string): Promise<string>;
}

/** A host whose workspace lies beside a directory that is not to be touched. @param rules of the risk profile */
async function place(rules: object | ((base: string) => object) = {}, files: Tree = {}): Promise<Place> {
  const base = makeTree({
    "ws/a.txt": "one two\n",
    "ws/dir/b.txt": "deep\n",
    "outside/secret.txt": "hidden\n",
    ...files,
  });
  const profile = typeof rules === "function" ? rules(base) : rules;
  const settings = { risk_profiles: { default: profile } };
  const workspace = join(base, "ws");
  const root = makeTree({ "usr/tools/put.ts": put, "usr/settings.yaml": JSON.stringify(settings) });
  const host = await openHost({ root, workspace, env: {}, trust: true });
  if (collecting) shared = host;
  else onTestFinished(async () => await host.close());
  const code = async (tool: string, path: string): Promise<string> => {
    const result = await host.call(tool, { path });
    return result.error?.code ?? result.status;
  };
  return { host, workspace, outside: join(base, "outside"), code };
}

describe("paths that lead elsewhere", async () => {
  const { workspace, outside, code } = await place({ level: "full" });
  const link = (target: string, name: string) => symlinkSync(target, join(workspace, name));
  link(join(outside, "secret.txt"), "file-link");
  link(outside, "dir-link");
  link(join(outside, "missing.txt"), "dangling");
  link("circle", "circle");
  link("a.txt", "chain-0");
  for (let at = 1; at < 65; at++) link(`chain-${at - 1}`, `chain-${at}`);
  mkdirSync(join(workspace, "x:"));
  writeFileSync(join(workspace, "large"), "");
  truncateSync(join(workspace, "large"), 10 * 1024 * 1024 + 1);
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  linkSync(join(outside, "secret.txt"), join(workspace, "hard-link"));
  writeFileSync(join(workspace, "caf\u00e9.txt"), "composed");

  const OUTSIDE = "ACCESS_DENIED";
  const MISSING = "NOT_FOUND";
  const ODD = "INVALID_PARAM";
  /** The corpus: path, and what `file_read` and `word_count` end with. */
  const CORPUS: readonly (readonly [path: string, code: string])[] = [
    ["../x", OUTSIDE],
    ["a/../../x", OUTSIDE],
    ["a/./../..", OUTSIDE],
    ["..", OUTSIDE],
    ["dir/../../outside/secret.txt", OUTSIDE],
    ["/etc/passwd", OUTSIDE],
    ["/no/such/file", OUTSIDE],
    ["/proc/self/root/etc/passwd", OUTSIDE],
    ["/proc/self/cwd/../..", OUTSIDE],
    ["/dev/stdin", OUTSIDE],
    ["/dev/fd/0", OUTSIDE],
    ["..%2fx", MISSING],
    ["%2e%2e/x", MISSING],
    ["~/.ssh/id_rsa", MISSING],
    ["~root/x", MISSING],
    ["$HOME/x", MISSING],
    ["x://../../etc/passwd", OUTSIDE],
    ["C:x", MISSING],
    ["C:\\Windows\\x", MISSING],
    ["\\\\?\\C:\\x", MISSING],
    ["\\\\server\\share\\x", MISSING],
    ["CON", MISSING],
    ["NUL", MISSING],
    ["a.txt ", MISSING],
    ["a.txt.", MISSING],
    ["A.TXT", MISSING],
    ["cafe\u0301.txt", MISSING],
    ["", ODD],
    ["a\0.txt", ODD],
    ["../../etc/passwd\0.txt", ODD],
    ["x".repeat(5000), ODD],
    [`${"d/".repeat(3000)}x`, ODD],
    ["file-link", OUTSIDE],
    ["dir-link/secret.txt", OUTSIDE],
    ["dir-link/new.txt", OUTSIDE],
    ["dangling", OUTSIDE],
    ["circle", ODD],
    ["chain-64", ODD],
    ["pipe", ODD],
    ["dir", "IS_DIRECTORY"],
    [".", "IS_DIRECTORY"],
  ];
  // Case folds on some disks, and there the same file is meant.
  const folds = existsSync(join(workspace, "A.TXT"));

  it.each(CORPUS.filter(([path]) => !(folds && path === "A.TXT")))("are not read: %j", async (path, expected) => {
    expect(await code("file_read", path)).toBe(expected);
    expect(await code("word_count", path)).toBe(expected);
  });

  it.each(CORPUS.filter(([, expected]) => expected === OUTSIDE))("are not written: %j", async (path) => {
    expect(await code("put", path)).toBe(OUTSIDE);
    expect(await code("put", `${path}/new/file`)).toBe(OUTSIDE);
    expect(existsSync(join(outside, "new.txt"))).toBe(false);
  });

  it("say the same, whether something lies there or not", async () => {
    const { host } = await place({ level: "full" });
    const words = async (path: string) => {
      const { error } = await host.call("file_read", { path });
      return [error?.message.replace(path, "…"), error?.hint];
    };
    expect(await words("/etc/passwd")).toEqual(await words("/etc/no-such-file"));
    expect((await words("/etc/passwd"))[1]).toContain("allowed_roots of risk profile default (its default)");
  });

  it("a hard link is a file of the workspace; writing leaves the other name as it is", async () => {
    expect(await code("file_read", "hard-link")).toBe("success");
    expect(await code("put", "hard-link")).toBe("success");
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("hidden\n");
  });

  it("a file over the limit, and one that is sparse and huge, are told as that", async () => {
    truncateSync(join(workspace, "large"), 10 * 1024 * 1024 + 1);
    expect(await code("file_read", "large")).toBe("TOO_LARGE");
    expect(await code("word_count", "large")).toBe("BINARY_FILE");
    truncateSync(join(workspace, "large"), 2 ** 40);
    expect(await code("file_read", "large")).toBe("TOO_LARGE");
    expect(await code("word_count", "large")).toBe("BINARY_FILE");
  });

  it("no text that is taken for a path resolves outside", async () => {
    const files = await createWorkspace({ root: workspace });
    const part = fc.oneof(
      fc.constantFrom(
        "..",
        ".",
        "",
        "a.txt",
        "dir",
        "dir-link",
        "file-link",
        "circle",
        "dangling",
        "~",
        "//",
        "\\",
        "%2e%2e",
      ),
      fc.string({ maxLength: 6 }),
    );
    const paths = fc
      .tuple(fc.boolean(), fc.array(part, { maxLength: 8 }))
      .map(([top, parts]) => (top ? "/" : "") + parts.join("/"));
    await fc.assert(
      fc.asyncProperty(paths, async (path) => {
        const real = await files.resolve(path).catch(() => workspace);
        return real === workspace || real.startsWith(`${workspace}/`);
      }),
      { numRuns: 500, seed: 6 },
    );
  });
});

describe("risk profiles say what else may be touched", () => {
  const FULL = { level: "full" };

  it("allowed_roots: to read, to write, or both", async () => {
    const { code, outside, host } = await place(
      (base) => ({
        // What lies outside of the workspace is more of a risk, and asks at any other level.
        level: "full",
        allowed_roots: [
          join(base, "outside"),
          { path: join(base, "both"), access: "read_write" },
          { path: join(base, "in"), access: "write_only" },
        ],
      }),
      { "both/a.txt": "a", "in/a.txt": "a" },
    );
    const base = join(outside, "..");
    const table = {
      outside: ["success", "ACCESS_DENIED"],
      both: ["success", "success"],
      in: ["ACCESS_DENIED", "success"],
    };
    for (const [directory, [read, write]] of Object.entries(table)) {
      const file = join(base, directory, directory === "outside" ? "secret.txt" : "a.txt");
      expect({ directory, read: await code("file_read", file), write: await code("put", file) }).toEqual({
        directory,
        read,
        write,
      });
    }
    expect(await code("file_read", join(base, "elsewhere"))).toBe("ACCESS_DENIED");
    expect((await host.call("put", { path: join(outside, "x") })).error?.message).toContain(
      "allowed_roots of risk profile default (usr/settings.yaml)",
    );
  });

  it("a link in an allowed root leads nowhere else", async () => {
    const { code, outside } = await place(
      (base) => ({ allowed_roots: [{ path: join(base, "both"), access: "read_write" }] }),
      { "both/a.txt": "" },
    );
    symlinkSync(outside, join(outside, "../both/link"));
    expect(await code("file_read", join(outside, "../both/link/secret.txt"))).toBe("ACCESS_DENIED");
    expect(await code("put", join(outside, "../both/link/new.txt"))).toBe("ACCESS_DENIED");
  });

  it.each([
    [{ workspace_only: false }, "ACCESS_DENIED"],
    [FULL, "ACCESS_DENIED"],
    [{ ...FULL, workspace_only: true }, "ACCESS_DENIED"],
    [{ ...FULL, workspace_only: false }, "success"],
  ])("workspace_only: %j opens the rest: %s", async (rules, expected) => {
    const { code, outside } = await place(rules);
    expect(await code("file_read", join(outside, "secret.txt"))).toBe(expected);
    expect(await code("put", join(outside, "new.txt"))).toBe(expected);
  });

  it("forbidden_paths are closed at every level, in the workspace as well, and behind links", async () => {
    const { code, host, outside, workspace } = await place((base) => ({
      ...FULL,
      workspace_only: false,
      allowed_roots: [join(base, "outside")],
      forbidden_paths: [join(base, "outside"), join(base, "ws/dir"), join(base, "later")],
    }));
    symlinkSync(outside, join(workspace, "way"));
    for (const path of [
      join(outside, "secret.txt"),
      "dir/b.txt",
      "way/secret.txt",
      "dir/new.txt",
      join(outside, "../later/x"),
    ]) {
      expect([path, await code("file_read", path), await code("put", path)]).toEqual([
        path,
        "ACCESS_DENIED",
        "ACCESS_DENIED",
      ]);
    }
    expect(await code("file_read", "a.txt")).toBe("success");
    expect((await host.call("file_read", { path: "dir/b.txt" })).error?.message).toContain(
      "forbidden_paths of risk profile default",
    );
  });

  it("what a system hangs on is forbidden where no file says otherwise", async () => {
    const open = { ...FULL, workspace_only: false };
    const { code } = await place(open);
    for (const path of ["/etc/passwd", "/proc/self/environ", join(homedir(), ".ssh/id_rsa")]) {
      expect(await code("file_read", path)).toBe("ACCESS_DENIED");
    }
    expect(await (await place({ ...open, forbidden_paths: [] })).code("file_read", "/etc/passwd")).toBe("success");
  });

  it.each([
    [{ allowed_roots: "x" }, /expected a list/],
    [{ allowed_roots: [{ path: "x", access: "all" }] }, /access: expected one of read_only/],
    [{ allowed_roots: [{ way: "x" }] }, /expected a path, or a mapping/],
    [{ allowed_roots: ["~other/x"] }, /expected a path/],
    [{ forbidden_paths: [""] }, /expected a path/],
    [{ workspace_only: "no" }, /expected true or false/],
    [{ allowed_rots: [] }, /allowed_roots/, "DENIED_BY_POLICY"],
  ])("a mistake is told, and permits nothing: %j", async (rules, words, denial = "ACCESS_DENIED") => {
    const { host, code } = await place(rules);
    const faults = host.diagnostics().filter(({ severity }) => severity === "error");
    expect(faults.map(({ message, hint }) => `${message} ${hint}`).join()).toMatch(words);
    expect(await code("file_read", "/etc/hostname")).toBe(denial);
  });
});

it("a subordinate with a wider risk profile reads nothing that its superior may not", async () => {
  const file = join(makeTree({ "secret.txt": "hidden" }), "secret.txt");
  const open = { level: "full", workspace_only: false, forbidden_paths: [] };
  const answers = async (above: object): Promise<string | undefined> => {
    const { host, asked } = await openAgency(
      {
        go: [[call("call_subordinate", { message: "task", profile: "bold" })], [text("done")]],
        task: [[call("file_read", { path: file })], [text("told")]],
      },
      {
        "usr/agents/bold/agent.yaml": "risk_profile: bold\n",
        "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: above, bold: open } }),
      },
    );
    await host.run("go");
    return resultsIn(asked("task").at(-1) as ModelRequest)[0];
  };
  expect(await answers({ level: "full" })).toContain("ACCESS_DENIED");
  expect(await answers(open)).toContain("hidden");
});

it("as long as it cannot be known what is forbidden, all is", async () => {
  const { code } = await place({ forbidden_paths: "dir" });
  expect(await code("file_read", "a.txt")).toBe("ACCESS_DENIED");
});

describe("what the host keeps for itself", () => {
  const KEPT = [
    "usr/settings.yaml",
    "usr/secrets.env",
    "usr/projects/one/settings.yaml",
    "usr/projects/one/secrets.env",
    "usr/sessions/x.jsonl",
    "usr/logs/toolroom.log",
    "usr/.cache/contracts.json",
    "usr/ledger/ledger.jsonl",
    "usr/ledger/key.pem",
    "usr/approvals.jsonl",
    "usr/estop.json",
    "usr/anything-new",
  ];

  /** The root is the workspace, and nothing else is closed. */
  const wide = async (files: Tree = {}) => {
    const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
    const rules = { level: "full", block_high_risk: false, workspace_only: false, forbidden_paths: [] };
    const root = makeTree({
      "usr/tools/put.ts": put,
      "usr/settings.yaml": JSON.stringify({ risk_profiles: { default: rules } }),
      "usr/secrets.env": "TOKEN_OF_MINE=abcdefghijklmnop\n",
      "usr/projects/one/secrets.env": "TOKEN_OF_ONE=abcdefghijklmnop\n",
      "usr/projects/one/notes.md": "notes",
      "usr/ledger/key.pem": "key",
      ...files,
    });
    const house = await openHouse({}, { root, workspace: root, env });
    const code = async (tool: string, path: string) => {
      const { status, error } = await house.host.call(tool, { path });
      return error?.code ?? status;
    };
    return { ...house, code, env };
  };

  it("is never written, whatever the level", async () => {
    const { code, root, env } = await wide();
    const others = [
      join(env.XDG_CONFIG_HOME, "toolroom/trust.json"),
      join(env.XDG_STATE_HOME, "toolroom/0123456789abcdef/estop.json"),
    ];
    for (const path of [...KEPT, ...others]) expect([path, await code("put", path)]).toEqual([path, "ACCESS_DENIED"]);
    symlinkSync("usr/settings.yaml", join(root, "innocent"));
    expect(await code("put", "innocent")).toBe("ACCESS_DENIED");
    linkSync(join(root, "usr/settings.yaml"), join(root, "hard"));
    const before = readFileSync(join(root, "usr/settings.yaml"), "utf8");
    await code("put", "hard");
    expect(readFileSync(join(root, "usr/settings.yaml"), "utf8")).toBe(before);
  });

  it("is kept also where settings say that the audit log lies elsewhere", async () => {
    const rules = { level: "full", workspace_only: false, forbidden_paths: [] };
    const settings = { audit: { file: "logs/a.jsonl" }, risk_profiles: { default: rules } };
    const root = makeTree({
      "usr/tools/put.ts": put,
      "usr/settings.yaml": JSON.stringify(settings),
      "logs/a.jsonl.1": "",
    });
    const { host } = await openHouse({}, { root, workspace: root });
    const code = async (path: string) => (await host.call("put", { path })).error?.code;
    for (const path of ["logs/a.jsonl", "logs/a.jsonl.1"])
      expect([path, await code(path)]).toEqual([path, "ACCESS_DENIED"]);
    expect(await code("logs/b.jsonl")).toBeUndefined();
  });

  it("secrets and keys are never read, by no name", async () => {
    const { code, root, env } = await wide();
    const elsewhere = "toolroom/0123456789abcdef/ledger/key.pem";
    writeTree(env.XDG_STATE_HOME, { [elsewhere]: "key of another root" });
    symlinkSync("usr/secrets.env", join(root, "innocent"));
    linkSync(join(root, "usr/secrets.env"), join(root, "hard"));
    linkSync(join(root, "usr/projects/one/secrets.env"), join(root, "hard-one"));
    linkSync(join(root, "usr/ledger/key.pem"), join(root, "hard-key"));
    for (const path of [
      "usr/secrets.env",
      "usr/projects/one/secrets.env",
      "usr/ledger/key.pem",
      "innocent",
      "hard",
      "hard-one",
      "hard-key",
      join(env.XDG_STATE_HOME, elsewhere),
    ]) {
      expect([path, await code("file_read", path), await code("word_count", path)]).toEqual([
        path,
        "ACCESS_DENIED",
        "ACCESS_DENIED",
      ]);
    }
  });

  it("settings may be read, and content may be read and written", async () => {
    const { code } = await wide();
    expect(await code("file_read", "usr/settings.yaml")).toBe("success");
    for (const path of [
      "usr/plugins/own/tools/new.ts",
      "usr/tools/more.ts",
      "usr/projects/one/notes.md",
      "usr/agents/a/agent.yaml",
    ]) {
      expect([path, await code("put", path)]).toEqual([path, "success"]);
    }
  });
});

it("a tool can ask what it may do with a path, before it does it", async () => {
  const asks = `import { Tool, z } from "toolroom";
const parameters = z.object({ path: z.string(), use: z.enum(["read", "write", "look"]) });
export default class extends Tool<typeof parameters> {
  static readonly parameters = parameters;
  static readonly risk = "low";
  async execute({ path, use }: z.infer<typeof parameters>) {
    return this.success(await this.workspace.resolve(path, use));
  }
}
`;
  const base = makeTree({ "notes/a.txt": "" });
  const settings = { risk_profiles: { default: { allowed_roots: [base] } } };
  const { host } = await openHouse({ "usr/tools/asks.ts": asks, "usr/settings.yaml": JSON.stringify(settings) });
  const path = join(base, "notes/a.txt");
  for (const use of ["read", "look"]) expect(await host.call("asks", { path, use })).toMatchObject({ message: path });
  expect(await host.call("asks", { path, use: "write" })).toMatchObject({ error: { code: "ACCESS_DENIED" } });
});
