import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Host, openHost } from "../../core/host.ts";
import type { JsonObject, ToolResult } from "../../core/sdk/result.ts";
import { makeTree, type Tree } from "./tree.ts";

/** A tool that takes a path, as {@link pathCorpus} tries it. */
export interface CorpusTool {
  /** `name`, or `name:method`. */
  readonly name: string;
  /** A call for one path, which finds something where the file is there. */
  args(path: string): JsonObject;
  /** `read`, `change` (of a file that is there), `write` (makes one that is not). */
  readonly does: "read" | "change" | "write";
  /** How a kind of path ends for this tool, where it is otherwise than for all that do the same. */
  readonly ends?: Partial<Record<PathKind, readonly string[]>>;
}

/** What a path is. */
type PathKind = keyof typeof ENDS;

/** How calls end that do something with it. `success` stands for `partial` as well. */
const ENDS = {
  outside: { read: ["ACCESS_DENIED"], change: ["ACCESS_DENIED"], write: ["ACCESS_DENIED"] },
  missing: { read: ["NOT_FOUND"], change: ["NOT_FOUND"], write: ["success"] },
  none: { read: ["INVALID_PARAM"], change: ["INVALID_PARAM"], write: ["INVALID_PARAM"] },
  special: { read: ["INVALID_PARAM"], change: ["INVALID_PARAM"], write: ["INVALID_PARAM"] },
  directory: { read: ["IS_DIRECTORY"], change: ["IS_DIRECTORY"], write: ["IS_DIRECTORY"] },
  file: { read: ["success"], change: ["success"], write: ["success"] },
  link: { read: ["success"], change: ["INVALID_PARAM"], write: ["INVALID_PARAM"] },
  large: { read: ["TOO_LARGE", "BINARY_FILE"], change: ["TOO_LARGE"], write: ["success"] },
  kept: { read: ["success"], change: ["ACCESS_DENIED"], write: ["ACCESS_DENIED"] },
} as const;

/** What lies outside, and must never be in a result. */
const SECRET = "nobody is to see this";
/** What stands in every file inside. */
export const INSIDE = "words of the workspace";

/** Each path with what it is. Those that begin with `*` are only there where the corpus is laid out. */
const PATHS: readonly (readonly [path: string, kind: PathKind])[] = [
  ["../x", "outside"],
  ["a/../../x", "outside"],
  ["a/./../..", "outside"],
  ["..", "outside"],
  ["dir/../../outside/secret.txt", "outside"],
  ["/etc/passwd", "outside"],
  ["/no/such/file", "outside"],
  ["/proc/self/root/etc/passwd", "outside"],
  ["/proc/self/cwd/../..", "outside"],
  ["/dev/stdin", "outside"],
  ["/dev/fd/0", "outside"],
  ["x://../../etc/passwd", "outside"],
  ["file-out", "outside"],
  ["dir-out", "outside"],
  ["dir-out/secret.txt", "outside"],
  ["dir-out/new.txt", "outside"],
  ["dir-out/new/deep/er.txt", "outside"],
  ["dangling-out", "outside"],
  ["dangling-out/deeper/x", "outside"],
  ["up/etc/passwd", "outside"],
  ["..%2fx", "missing"],
  ["%2e%2e/x", "missing"],
  ["~/.ssh/id_rsa", "missing"],
  ["~root/x", "missing"],
  ["$HOME/x", "missing"],
  ["C:x", "missing"],
  ["C:\\Windows\\x", "missing"],
  ["\\\\?\\C:\\x", "missing"],
  ["\\\\server\\share\\x", "missing"],
  ["CON", "missing"],
  ["NUL", "missing"],
  ["a.txt ", "missing"],
  ["a.txt.", "missing"],
  ["dir-in/new/x.txt", "missing"],
  ["cafe\u0301.txt", "missing"],
  ["broken-\ufffd.txt", "missing"],
  ["", "none"],
  ["a\0.txt", "none"],
  ["../../etc/passwd\0.txt", "none"],
  ["x".repeat(5000), "none"],
  [`${"d/".repeat(3000)}x`, "none"],
  ["circle", "none"],
  ["chain-64", "none"],
  ["pipe", "special"],
  ["socket", "special"],
  ["dir", "directory"],
  [".", "directory"],
  ["a.txt", "file"],
  ["dir/../a.txt", "file"],
  ["x:/a.txt", "file"],
  ["dir-in/b.txt", "file"],
  ["caf\u00e9.txt", "file"],
  ["hard.txt", "file"],
  ["file-in", "link"],
  ["large.txt", "large"],
  ["sparse.txt", "large"],
];

const MEBIBYTE = 1024 * 1024;
/** So often a path is used while it is swapped. */
const SWAPPED_CALLS = { read: 150, change: 60, write: 45 };

/** What is open to whom is not the question here: everything runs that is allowed at all. */
const RULES = { level: "full", block_high_risk: false, leak_guard: "off" };

/**
 * Tries each path of the corpus with each tool through a whole host: how it ends, that nothing outside is read or changed,
 * and that it stays so while another process swaps files, directories and links.
 */
export function pathCorpus(tools: readonly CorpusTool[]): void {
  const names = tools.map((tool) => ({ name: tool.name, tool }));

  describe("each path of the corpus", () => {
    const ground = layOut();
    const { workspace, outside } = ground;
    const before = snapshotOf(outside);
    let host: Host;
    let open: Host;
    let server: ReturnType<typeof createServer>;
    beforeAll(async () => {
      server = createServer().listen(join(workspace, "socket"));
      await once(server, "listening");
      host = await openOn(workspace);
      open = await openOn(workspace, { rules: OPEN });
    });
    afterAll(async () => {
      server.close();
      await host.close();
      await open.close();
    });

    it.each(names)("ends as it should by $name, and nothing outside is touched", async ({ tool }) => {
      for (const [path, kind] of PATHS) {
        ground.refill(kind, path);
        const result = await host.call(tool.name, tool.args(path));
        const shown = path.slice(0, 60);
        expect([shown, endOf(result)]).toEqual([shown, expect.toBeOneOf([...endsOf(tool, kind)])]);
        expect(JSON.stringify(result)).not.toContain(SECRET);
      }
      expect(snapshotOf(outside)).toEqual(before);
    });

    it.each(names)("$name opens no device, also where everything is allowed", async ({ tool }) => {
      for (const path of ["/dev/zero", "/dev/null", "/dev/tty"].filter((device) => existsSync(device))) {
        expect(endsOf(tool, "special")).toContain(endOf(await open.call(tool.name, tool.args(path))));
      }
    });
  });

  describe("while another process swaps what lies at a path", () => {
    const moving = movingPaths();
    const before = snapshotOf(moving.outside);
    let host: Host;
    beforeAll(async () => {
      host = await openOn(moving.workspace);
      moving.start();
    });
    afterAll(async () => {
      await moving.stop();
      await host.close();
    });

    it.each(names)("$name sees and touches nothing outside", async ({ tool }) => {
      const ends = new Set<string>();
      for (let round = 0; round < SWAPPED_CALLS[tool.does]; round++) {
        const path = SWAPPED[round % SWAPPED.length] as string;
        const result = await host.call(tool.name, tool.args(path));
        ends.add(endOf(result));
        expect(JSON.stringify(result)).not.toContain(SECRET);
      }
      expect(snapshotOf(moving.outside)).toEqual(before);
      const possible = ["success", "NOT_FOUND", "ACCESS_DENIED", "CONFLICT", "INVALID_PARAM", "IS_DIRECTORY"];
      expect([...ends].filter((end) => !possible.includes(end))).toEqual([]);
    });
  });

  describe("while a file grows", () => {
    const workspace = makeTree({ "grows.txt": `${INSIDE}\n` });
    const grower = startWith(GROWER, join(workspace, "grows.txt"));
    let host: Host;
    beforeAll(async () => {
      host = await openOn(workspace);
      grower.start();
    });
    afterAll(async () => {
      await grower.stop();
      await host.close();
    });

    it.each(names)("$name comes to an end", async ({ tool }) => {
      writeFileSync(join(workspace, "grows.txt"), `${INSIDE}\n`);
      const end = endOf(await host.call(tool.name, tool.args("grows.txt")));
      // Whoever changes it never finds it as it was read.
      expect(tool.does === "read" ? endsOf(tool, "file") : ["success", "CONFLICT"]).toContain(end);
    });
  });

  describe("what the host keeps for itself", () => {
    const root = makeTree({ ...KEPT, "usr/plugins/.gitkeep": "" });
    let host: Host;
    beforeAll(async () => {
      host = await openOn(root, { rules: OPEN, root });
    });
    afterAll(async () => await host.close());

    it.each(names)("is not changed by $name, and its secrets are not read", async ({ tool }) => {
      for (const path of Object.keys(KEPT)) {
        const text = readFileSync(join(root, path), "utf8");
        const isSecret = path.endsWith("secrets.env") || path.includes("ledger");
        const ends = isSecret ? ["ACCESS_DENIED"] : endsOf(tool, "kept");
        const result = await host.call(tool.name, tool.args(path));
        expect([path, endOf(result)]).toEqual([path, expect.toBeOneOf([...ends])]);
        expect(JSON.stringify(result)).not.toContain(SECRET);
        if (tool.does !== "read") expect(readFileSync(join(root, path), "utf8")).toBe(text);
      }
    });
  });
}

const SWAPPED = ["d/a.txt", "f.txt", "d/new/deep.txt"];
/** Nothing is closed but what the host keeps off. */
const OPEN = { workspace_only: false, forbidden_paths: [] };

/** Files of a root that are the host's own. */
const KEPT: Tree = {
  "usr/settings.yaml": `# ${INSIDE}\n`,
  "usr/settings.yaml.bak": INSIDE,
  "usr/secrets.env": `A_SECRET=${SECRET}\n`,
  "usr/projects/one/settings.yaml": `# ${INSIDE}\n`,
  "usr/estop.json.bak": INSIDE,
  "usr/approvals.jsonl": "",
  "usr/ledger/key.pem": SECRET,
  "usr/sessions/x.jsonl": INSIDE,
};

function endsOf({ does, ends }: CorpusTool, kind: PathKind): readonly string[] {
  return ends?.[kind] ?? ENDS[kind][does];
}

function endOf({ status, error }: ToolResult): string {
  return error?.code ?? (status === "partial" ? "success" : status);
}

async function openOn(
  workspace: string,
  { rules = {}, root }: { readonly rules?: object; readonly root?: string } = {},
): Promise<Host> {
  const settings = JSON.stringify({ risk_profiles: { default: { ...RULES, ...rules } } });
  const at = root ?? makeTree({ "usr/settings.yaml": settings });
  if (root !== undefined) writeFileSync(join(root, "usr/settings.yaml"), `# ${INSIDE}\n${settings}\n`);
  const env = { XDG_CONFIG_HOME: makeTree({}), XDG_STATE_HOME: makeTree({}) };
  return await openHost({ root: at, workspace, env, trust: true, profile: "developer" });
}

/** A workspace with everything of the corpus in it, beside a directory that is not to be touched. */
function layOut() {
  const base = makeTree({
    "ws/dir/b.txt": INSIDE,
    "ws/x:/a.txt": INSIDE,
    "outside/secret.txt": SECRET,
    "outside/hard.txt": INSIDE,
  });
  const workspace = join(base, "ws");
  const outside = join(base, "outside");
  const link = (target: string, name: string): void => symlinkSync(target, join(workspace, name));
  link(join(outside, "secret.txt"), "file-out");
  link(outside, "dir-out");
  link(join(outside, "missing"), "dangling-out");
  link("../../..", "up");
  link("circle", "circle");
  link("a.txt", "chain-0");
  for (let at = 1; at < 65; at++) link(`chain-${at - 1}`, `chain-${at}`);
  link("a.txt", "file-in");
  link("dir", "dir-in");
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  // A name that is no text at all.
  writeFileSync(Buffer.concat([Buffer.from(`${workspace}/broken-`), Buffer.from([0xe9]), Buffer.from(".txt")]), INSIDE);
  const large = (name: string, size: number): void => {
    writeFileSync(join(workspace, name), "");
    truncateSync(join(workspace, name), size);
  };
  /** What the call before may have changed. */
  const refill = (kind: PathKind, path: string): void => {
    if (kind === "missing") rmSync(resolve(workspace, path), { force: true });
    if (kind === "file") {
      rmSync(join(workspace, "hard.txt"), { force: true });
      linkSync(join(outside, "hard.txt"), join(workspace, "hard.txt"));
      for (const name of ["a.txt", "dir/b.txt", "x:/a.txt", "caf\u00e9.txt"])
        writeFileSync(join(workspace, name), INSIDE);
    }
    if (kind !== "large") return;
    large("large.txt", 10 * MEBIBYTE + 1);
    large("sparse.txt", 2 ** 40);
  };
  refill("file", "");
  return { workspace, outside, refill };
}

/** Swaps `d` and `f.txt` of a workspace all the time: the thing itself, nothing, a link to what lies outside. */
const SWAPPER = `
const { renameSync } = require("node:fs");
const root = process.argv[1];
const to = (from, name) => { try { renameSync(root + "/" + from, root + "/" + name); } catch {} };
for (;;) {
  to("real", "d"); to("d", "real"); to("dir-link", "d"); to("d", "dir-link");
  to("real.txt", "f.txt"); to("f.txt", "real.txt"); to("file-link", "f.txt"); to("f.txt", "file-link");
}
`;

const GROWER = `
const { appendFileSync } = require("node:fs");
setInterval(() => appendFileSync(process.argv[1], "more and more\\n"), 1);
`;

/** A process of a test. @param path what it works on */
function startWith(source: string, path: string) {
  let child: ChildProcess | undefined;
  const start = (): void => {
    child = spawn(process.execPath, ["-e", source, path], { stdio: "ignore" });
  };
  const stop = async (): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { start, stop };
}

function movingPaths() {
  const base = realpathSync(
    makeTree({ "ws/real/a.txt": INSIDE, "ws/real.txt": INSIDE, "outside/a.txt": SECRET, "outside/deep/a.txt": SECRET }),
  );
  const [workspace, outside] = [join(base, "ws"), join(base, "outside")];
  symlinkSync(outside, join(workspace, "dir-link"));
  symlinkSync(join(outside, "a.txt"), join(workspace, "file-link"));
  return { workspace, outside, ...startWith(SWAPPER, workspace) };
}

/** All that lies below a directory, with what is in it. */
function snapshotOf(directory: string): Readonly<Record<string, string>> {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? readFileSync(path, "utf8") : "a directory"];
    }),
  );
}
