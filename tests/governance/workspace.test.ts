import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CallWorkspace, createWorkspace, workspaceForCall } from "../../core/governance/workspace.ts";
import { HostError, isToolError, ToolError } from "../../core/sdk/errors.ts";

let base: string;
let root: string;
let workspace: CallWorkspace;

beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
  root = join(base, "ws");
  mkdirSync(join(root, "dir"), { recursive: true });
  writeFileSync(join(root, "a.txt"), "hello");
  writeFileSync(join(root, "dir", "b.txt"), "deep");
  writeFileSync(join(base, "secret.txt"), "secret");
  workspace = await createWorkspace({ root });
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

/** The error of a method that must fail. */
async function failure(work: Promise<unknown>): Promise<ToolError> {
  const error: unknown = await work.then(
    () => new Error("it did not fail"),
    (reason: unknown) => reason,
  );
  if (!isToolError(error)) throw error;
  return error;
}

const abort = (reason?: unknown) => AbortSignal.abort(reason);

describe("opening a workspace", () => {
  it("needs a directory, and says what it found", async () => {
    await expect(createWorkspace({ root: join(base, "no") })).rejects.toThrow(/found nothing at/);
    await expect(createWorkspace({ root: join(root, "a.txt") })).rejects.toBeInstanceOf(HostError);
  });

  it("resolves links of the root itself once", async () => {
    symlinkSync(root, join(base, "alias"));
    const linked = await createWorkspace({ root: join(base, "alias") });
    expect(linked.root).toBe(root);
    expect(await linked.readText(join(base, "alias", "a.txt"))).toBe("hello");
  });
});

describe("reading", () => {
  it("takes paths relative to the workspace, and absolute ones inside it", async () => {
    expect(await workspace.readText("a.txt")).toBe("hello");
    expect(await workspace.readText("./dir/../a.txt")).toBe("hello");
    expect(await workspace.readText(join(root, "dir/b.txt"))).toBe("deep");
    expect(Buffer.from(await workspace.readBytes("a.txt")).toString()).toBe("hello");
  });

  it("drops a byte-order mark of text and keeps that of bytes", async () => {
    writeFileSync(join(root, "bom.txt"), "\ufeffx");
    expect(await workspace.readText("bom.txt")).toBe("x");
    expect((await workspace.readBytes("bom.txt")).length).toBe(4);
  });

  it("says which file is missing and what to do", async () => {
    const error = await failure(workspace.readText("no.txt"));
    expect(error).toMatchObject({ code: "NOT_FOUND", message: 'there is nothing at "no.txt"' });
    expect(error.details.hint).toMatch(/list its directory/);
    expect(await failure(workspace.readText("a.txt/b"))).toMatchObject({ code: "NOT_FOUND" });
  });

  it("refuses a directory and binary content", async () => {
    expect(await failure(workspace.readText("dir"))).toMatchObject({ code: "IS_DIRECTORY" });
    expect(await failure(workspace.readBytes("."))).toMatchObject({ code: "IS_DIRECTORY" });
    writeFileSync(join(root, "bin"), Buffer.from([104, 105, 0, 1]));
    expect(await failure(workspace.readText("bin"))).toMatchObject({ code: "BINARY_FILE" });
    expect(await failure(workspace.openRead("bin", { text: true }))).toMatchObject({ code: "BINARY_FILE" });
    expect((await workspace.readBytes("bin")).length).toBe(4);
  });

  it("looks for a NUL in the first 8 KiB only", async () => {
    writeFileSync(join(root, "late"), `${"x".repeat(8192)}\0`);
    expect((await workspace.readText("late")).length).toBe(8193);
  });

  it("holds the limit, and its own of 10 MiB", async () => {
    expect(await failure(workspace.readText("a.txt", { maxBytes: 4 }))).toMatchObject({ code: "TOO_LARGE" });
    expect(await workspace.readText("a.txt", { maxBytes: 5 })).toBe("hello");
    writeFileSync(join(root, "sparse"), "");
    truncateSync(join(root, "sparse"), 10 * 1024 * 1024 + 1);
    expect(await failure(workspace.readBytes("sparse"))).toMatchObject({ code: "TOO_LARGE" });
  });

  it("streams files of any size", async () => {
    const line = "0123456789abcdef\n";
    writeFileSync(join(root, "big.txt"), line.repeat(100_000));
    const stream = await workspace.openRead("big.txt", { text: true });
    expect((await textOf(stream)).length).toBe(line.length * 100_000);
  });

  it("reads nothing for a call that was stopped", async () => {
    expect(await failure(workspace.readText("a.txt", { signal: abort() }))).toMatchObject({ code: "ABORTED" });
    const stopped = new ToolError("STOPPED", "somebody stopped it");
    expect(await failure(workspace.readBytes("a.txt", { signal: abort(stopped) }))).toBe(stopped);
    expect(await failure(workspace.openRead("a.txt", { signal: abort(stopped) }))).toBe(stopped);
  });

  it("ends a stream whose call is stopped", async () => {
    const controller = new AbortController();
    const stream = await workspace.openRead("a.txt", { signal: controller.signal });
    const closed = once(stream, "error");
    controller.abort();
    const [error] = (await closed) as [Error];
    expect(error.name).toBe("AbortError");
  });

  it("follows a hard link, which is a file of its own", async () => {
    linkSync(join(base, "secret.txt"), join(root, "hard"));
    expect(await workspace.readText("hard")).toBe("secret");
  });
});

describe("what leads outside", () => {
  beforeEach(() => {
    symlinkSync("/etc", join(root, "l"));
    symlinkSync(join(base, "secret.txt"), join(root, "file-link"));
    symlinkSync(join(base, "not-there"), join(root, "dangling"));
    symlinkSync("../../..", join(root, "dir", "up"));
  });

  it.each([
    "../secret.txt",
    "../not-there.txt",
    "a/../../secret.txt",
    "/etc/passwd",
    "/not-there/x",
    "l/passwd",
    "l/not-there",
    "file-link",
    "dangling",
    "dangling/deeper",
    "dir/up/etc/passwd",
    "/proc/self/root/etc/passwd",
    "/dev/stdin",
  ])("%s is refused in the same words, whether it exists or not", async (path) => {
    const refusals = [
      workspace.resolve(path),
      workspace.readText(path),
      workspace.readBytes(path),
      workspace.openRead(path),
      workspace.stat(path),
      workspace.list(path),
      workspace.write(path, "x"),
      workspace.update(path, () => "x"),
      workspace.isOutside(path),
      workspace.isContent(path),
      workspace.glob({ pattern: "**", path }),
      workspace.search({ pattern: "x", path }),
      ...(["read", "write", "update"] as const).map((use) => workspace.resolve(path, use)),
    ];
    for (const refusal of await Promise.all(refusals.map(failure))) {
      expect(refusal).toMatchObject({
        code: "ACCESS_DENIED",
        message: `${JSON.stringify(path)} lies outside the workspace`,
        details: { hint: "Give a path inside the workspace, relative to it." },
      });
    }
    expect(existsSync(join(base, "not-there"))).toBe(false);
    expect(readFileSync(join(base, "secret.txt"), "utf8")).toBe("secret");
  });

  it.each(["~/.ssh/id_rsa", "$HOME/x", "%2e%2e/x", "..%2fx", "x://../../etc/passwd"])(
    "%s is only a name in the workspace",
    async (path) => {
      const error = await failure(workspace.readText(path));
      expect(["NOT_FOUND", "ACCESS_DENIED"]).toContain(error.code);
      expect(error.message).not.toContain(base);
    },
  );

  it("makes no directory there", async () => {
    mkdirSync(join(base, "outside"));
    symlinkSync(join(base, "outside"), join(root, "out"));
    expect(await failure(workspace.write("out/new/x.txt", "x"))).toMatchObject({ code: "ACCESS_DENIED" });
    expect(readdirSync(join(base, "outside"))).toEqual([]);
  });

  it("is not a directory whose name begins like the workspace's", async () => {
    mkdirSync(`${root}-other`);
    writeFileSync(`${root}-other/x`, "x");
    expect(await failure(workspace.readText("../ws-other/x"))).toMatchObject({ code: "ACCESS_DENIED" });
  });
});

describe("links inside", () => {
  it("are followed, also those that dangle and chains of them", async () => {
    symlinkSync("a.txt", join(root, "l1"));
    symlinkSync("../l1", join(root, "dir", "l2"));
    symlinkSync("dir/new.txt", join(root, "later"));
    expect(await workspace.readText("dir/l2")).toBe("hello");
    expect(await workspace.resolve("later")).toBe(join(root, "dir/new.txt"));
    await workspace.write("later", "made");
    expect(readFileSync(join(root, "dir/new.txt"), "utf8")).toBe("made");
  });

  it("in a circle, or in a chain without end, are told as such", async () => {
    symlinkSync("y", join(root, "x"));
    symlinkSync("x", join(root, "y"));
    expect(await failure(workspace.readText("x"))).toMatchObject({ code: "INVALID_PARAM" });
    for (let index = 0; index < 65; index++) symlinkSync(`c${index + 1}`, join(root, `c${index}`));
    expect(await failure(workspace.readText("c0"))).toMatchObject({ code: "INVALID_PARAM" });
  });
});

describe("paths that are none", () => {
  it.each(["", "a\0.txt", "\0"])("%j is refused", async (path) => {
    expect(await failure(workspace.resolve(path))).toMatchObject({ code: "INVALID_PARAM" });
  });

  it("are told when they are too long, and quoted shortly", async () => {
    const error = await failure(workspace.readText("x".repeat(5000)));
    expect(error.code).toBe("INVALID_PARAM");
    expect(error.message.length).toBeLessThan(500);
  });

  it("are refused when plain JavaScript gives something else", async () => {
    expect(await failure(workspace.readText(undefined as unknown as string))).toMatchObject({ code: "INVALID_PARAM" });
  });
});

describe("names", () => {
  it.each([
    ...[
      "CON",
      "NUL",
      "com1.txt",
      "C:x",
      "C:\\x",
      "\\\\?\\C:\\x",
      "\\\\server\\share",
      "a.txt.",
      "a.txt ",
      "..\\x",
      "...",
    ],
    ...["~", "$HOME", "%2e%2e", "cafe\u0301", "a\nb", "-rf", "x\u202ey"],
  ])("that mean something elsewhere are plain ones here: %j", async (name) => {
    await workspace.write(name, "mine");
    expect(readdirSync(root).sort()).toEqual(["a.txt", "dir", name].sort());
    expect(await workspace.readText(name)).toBe("mine");
    expect(await workspace.stat(name)).toMatchObject({ path: name, type: "file" });
    expect((await workspace.list(".")).map(({ path }) => path)).toContain(name);
  });

  it("that are the same to the eye are two", async () => {
    for (const name of ["caf\u00e9", "cafe\u0301", "A.txt"]) await workspace.write(name, name);
    expect(await workspace.readText("caf\u00e9")).toBe("caf\u00e9");
    expect(await workspace.readText("cafe\u0301")).toBe("cafe\u0301");
    expect(await workspace.readText("a.txt")).toBe("hello");
  });

  it("that are no UTF-8 are passed over, and stand for no other file", async () => {
    const name = Buffer.concat([Buffer.from(`${root}/x`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(name, "bytes");
    expect((await workspace.list(".")).map(({ path }) => path)).toEqual(["a.txt", "dir"]);
    expect(await failure(workspace.readText("x\ufffd\ufffd"))).toMatchObject({ code: "NOT_FOUND" });
    await workspace.write("x\ufffd\ufffd", "another");
    expect(readFileSync(name, "utf8")).toBe("bytes");
  });
});

describe("special files", () => {
  it("are devices, too: nothing is read of one without end, and nobody waits for a terminal", async () => {
    const devices = await createWorkspace({ root: "/dev" });
    for (const name of ["zero", "null", "urandom", "tty", "ptmx"]) {
      expect([name, (await failure(devices.readBytes(name))).code]).toEqual([name, "INVALID_PARAM"]);
      expect([name, (await failure(devices.openRead(name))).code]).toEqual([name, "INVALID_PARAM"]);
    }
    expect((await failure(devices.readText("stdin"))).code).toMatch(/^(?:ACCESS_DENIED|INVALID_PARAM)$/u);
  });

  it("that say they are empty are read by what comes, up to the limit", async () => {
    const own = await createWorkspace({ root: `/proc/${process.pid}` });
    expect(await own.stat("status")).toMatchObject({ size: 0 });
    expect(await own.readText("status")).toContain(`Pid:\t${process.pid}`);
    expect(await failure(own.readText("status", { maxBytes: 50 }))).toMatchObject({ code: "TOO_LARGE" });
  });

  it("are refused without waiting for their other end", async () => {
    const makePipe = ["-c", 'mkfifo "$0"', join(root, "pipe")];
    execFileSync("/bin/sh", makePipe);
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    try {
      for (const name of ["pipe", "socket"]) {
        const attempts = [
          workspace.readText(name),
          workspace.readBytes(name),
          workspace.openRead(name),
          workspace.write(name, "x"),
        ];
        for (const error of await Promise.all(attempts.map(failure))) {
          expect(error).toMatchObject({ code: "INVALID_PARAM", message: expect.stringMatching(/regular file/) });
        }
        expect(await workspace.stat(name)).toMatchObject({ path: name, type: "other" });
      }
    } finally {
      server.close();
    }
  });
});

describe("writing", () => {
  it("makes directories inside, and replaces a whole file keeping its mode", async () => {
    await workspace.write("new/deep/x.txt", "one");
    expect(readFileSync(join(root, "new/deep/x.txt"), "utf8")).toBe("one");
    chmodSync(join(root, "a.txt"), 0o751);
    const before = statSync(join(root, "a.txt")).ino;
    await workspace.write("a.txt", new Uint8Array([120, 121]));
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("xy");
    expect(statSync(join(root, "a.txt")).mode & 0o777).toBe(0o751);
    expect(statSync(join(root, "a.txt")).ino).not.toBe(before);
  });

  it("leaves nothing behind when it fails", async () => {
    expect(await failure(workspace.write("dir", "x"))).toMatchObject({ code: "IS_DIRECTORY" });
    expect(await failure(workspace.write(".", "x"))).toMatchObject({ code: "IS_DIRECTORY" });
    expect((await failure(workspace.write("a.txt/b/c", "x"))).code).toMatch(/CONFLICT|NOT_FOUND/);
    expect(await failure(workspace.write("b.txt", "x", { signal: abort() }))).toMatchObject({ code: "ABORTED" });
    expect(readdirSync(root).sort()).toEqual(["a.txt", "dir"]);
  });

  it("many at once give one whole content", async () => {
    const contents = Array.from({ length: 20 }, (_, index) => String(index).repeat(5000));
    await Promise.all(contents.map((content) => workspace.write("a.txt", content)));
    expect(contents).toContain(readFileSync(join(root, "a.txt"), "utf8"));
    expect(readdirSync(root).sort()).toEqual(["a.txt", "dir"]);
  });
});

describe("looking around", () => {
  it("tells type and size", async () => {
    expect(await workspace.stat("a.txt")).toMatchObject({ path: "a.txt", type: "file", size: 5 });
    expect(await workspace.stat(".")).toMatchObject({ path: ".", type: "directory" });
    expect(await failure(workspace.stat("no"))).toMatchObject({ code: "NOT_FOUND" });
  });

  it("lists sorted, without links that lead outside or nowhere", async () => {
    symlinkSync("/etc", join(root, "l"));
    symlinkSync("nowhere", join(root, "dangling"));
    symlinkSync("dir", join(root, "Z"));
    writeFileSync(join(root, "B.txt"), "");
    expect((await workspace.list(".")).map(({ path, type }) => [path, type])).toEqual([
      ["B.txt", "file"],
      ["Z", "directory"],
      ["a.txt", "file"],
      ["dir", "directory"],
    ]);
    expect((await workspace.list("dir")).map(({ path }) => path)).toEqual(["dir/b.txt"]);
    expect(await failure(workspace.list("a.txt"))).toMatchObject({ code: "INVALID_PARAM" });
    expect(await failure(workspace.list("no"))).toMatchObject({ code: "NOT_FOUND" });
  });

  it("shows paths relative to the workspace, absolute outside", () => {
    expect(workspace.relative("dir/../a.txt")).toBe("a.txt");
    expect(workspace.relative(root)).toBe(".");
    expect(workspace.relative(join(root, "dir/b.txt"))).toBe("dir/b.txt");
    expect(workspace.relative("/etc/passwd")).toBe("/etc/passwd");
  });
});

describe("one call", () => {
  it("remembers the first path that it resolved, and no other call's", async () => {
    symlinkSync("a.txt", join(root, "link"));
    const call = workspaceForCall(workspace);
    expect(call.firstResolved()).toBeUndefined();
    await failure(call.readText("../secret.txt"));
    expect(call.firstResolved()).toBeUndefined();
    await call.readText("link");
    await call.readText("dir/b.txt");
    expect(call.firstResolved()).toBe("a.txt");
    expect(workspaceForCall(call).firstResolved()).toBeUndefined();
  });
});
