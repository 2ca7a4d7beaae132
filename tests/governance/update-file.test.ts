import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFileTurns } from "../../core/governance/file-turns.ts";
import { createSeenFiles } from "../../core/governance/seen-files.ts";
import { type CallWorkspace, createWorkspace, workspaceForCall } from "../../core/governance/workspace.ts";
import { isToolError } from "../../core/sdk/errors.ts";
import type { FileNow } from "../../core/sdk/workspace.ts";
import { makeTree } from "../helpers/tree.ts";

const textOf = async (now: FileNow): Promise<string> => Buffer.from(await now.read()).toString();
const append = (text: string) => async (now: FileNow) => (now.exists ? await textOf(now) : "") + text;

async function place(files: Readonly<Record<string, string>> = { "a.txt": "one\n" }) {
  const root = makeTree(files);
  const workspace = await createWorkspace({ root });
  return { root, workspace, file: join(root, "a.txt"), read: () => readFileSync(join(root, "a.txt"), "utf8") };
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => "success",
    (error: unknown) => (isToolError(error) ? error.code : error),
  );

describe("a file that is changed by what is in it", () => {
  it("is what the change makes of it, keeps its mode, and leaves nothing beside it", async () => {
    const { workspace, root, file, read } = await place();
    chmodSync(file, 0o640);
    await workspace.update("a.txt", append("two\n"));
    expect([read(), statSync(file).mode & 0o777, readdirSync(root)]).toEqual(["one\ntwo\n", 0o640, ["a.txt"]]);
  });

  it("is made where it is not there, with its directories; and not where nothing is to be written", async () => {
    const { workspace, root } = await place();
    await workspace.update("new/deep/b.txt", append("x"));
    expect(readFileSync(join(root, "new/deep/b.txt"), "utf8")).toBe("x");
    await workspace.update("other/c.txt", () => undefined);
    expect(existsSync(join(root, "other"))).toBe(false);
  });

  it("stays as it is where the change fails, or the call is stopped", async () => {
    const { workspace, root, read } = await place();
    const fails = workspace.update("a.txt", () => {
      throw new Error("no");
    });
    await expect(fails).rejects.toThrow("no");
    const controller = new AbortController();
    const stopped = workspace.update(
      "a.txt",
      () => {
        controller.abort();
        return "two";
      },
      { signal: controller.signal },
    );
    expect(await codeOf(stopped)).toBe("ABORTED");
    expect([read(), readdirSync(root)]).toEqual(["one\n", ["a.txt"]]);
  });

  it.each([
    ["written in place", (file: string) => writeFileSync(file, "others\n")],
    [
      "replaced",
      (file: string) => {
        writeFileSync(`${file}.new`, "others\n");
        renameSync(`${file}.new`, file);
      },
    ],
  ])("is changed anew where it was %s meanwhile by another program", async (_, others) => {
    const { workspace, file, read } = await place();
    let calls = 0;
    await workspace.update("a.txt", async (now) => {
      const text = await textOf(now);
      if (calls++ === 0) others(file);
      return `${text}mine\n`;
    });
    expect([read(), calls]).toEqual(["others\nmine\n", 2]);
  });

  it("is not overwritten where another program made it meanwhile", async () => {
    const { workspace, file, read } = await place({});
    let calls = 0;
    await workspace.update("a.txt", async (now) => {
      const text = now.exists ? await textOf(now) : "";
      if (calls++ === 0) writeFileSync(file, "others\n");
      return `${text}mine\n`;
    });
    expect([read(), calls]).toEqual(["others\nmine\n", 2]);
  });

  it("is given up where others change it all the time", async () => {
    const { workspace, file } = await place();
    let round = 0;
    const work = workspace.update("a.txt", () => {
      writeFileSync(file, String(round++));
      return "mine";
    });
    expect(await codeOf(work)).toBe("CONFLICT");
  });

  it("loses nothing of what many workspaces and writers do at once", async () => {
    const { root, workspace, read } = await place({ "a.txt": "" });
    const other = await createWorkspace({ root });
    const names = Array.from({ length: 24 }, (_, index) => `line ${index}\n`);
    await Promise.all(names.map((name, index) => (index % 2 ? workspace : other).update("a.txt", append(name))));
    expect(read().split("\n").slice(0, -1).sort()).toEqual(names.map((name) => name.trim()).sort());
  });

  it("goes in turns within a host, also after one that failed", async () => {
    const turns = createFileTurns();
    const order: string[] = [];
    const step = (name: string, ms: number, fails = false) =>
      turns.take("/x", async () => {
        order.push(`${name} begins`);
        await new Promise((resolve) => setTimeout(resolve, ms));
        order.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    await Promise.allSettled([step("a", 10, true), step("b", 1), step("c", 1)]);
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  });

  it("is never one that a link at its end leads to, whether it is there or not", async () => {
    const { workspace, root, read } = await place();
    symlinkSync("a.txt", join(root, "link"));
    symlinkSync("later.txt", join(root, "dangling"));
    for (const path of ["link", "dangling"])
      expect(await codeOf(workspace.update(path, () => "x"))).toBe("INVALID_PARAM");
    expect([read(), existsSync(join(root, "later.txt"))]).toEqual(["one\n", false]);
  });
});

describe("what somebody has seen of a file", () => {
  const seeing = (workspace: CallWorkspace) => workspaceForCall(workspace, { seen: createSeenFiles() });

  it("has to be what is there", async () => {
    const { workspace, file, read } = await place();
    const files = seeing(workspace);
    await files.readBytes("a.txt");
    writeFileSync(file, "two\n");
    expect(await codeOf(files.update("a.txt", append("x")))).toBe("CONFLICT");
    await files.readText("a.txt");
    await files.update("a.txt", append("x"));
    await files.update("a.txt", append("y"));
    await files.write("a.txt", "all new\n");
    await files.update("a.txt", append("z"));
    expect(read()).toBe("all new\nz");
  });

  it("is nothing of a file that is gone, nor of one that was never read, unless it must be", async () => {
    const { workspace, root } = await place();
    const files = seeing(workspace);
    expect(await codeOf(files.update("a.txt", append("x"), { mustBeSeen: true }))).toBe("CONFLICT");
    expect(await codeOf(files.update("a.txt", append("x")))).toBe("success");
    renameSync(join(root, "a.txt"), join(root, "b.txt"));
    expect(await codeOf(files.update("a.txt", append("anew")))).toBe("success");
  });

  it("is not remembered of all files there ever were", () => {
    const seen = createSeenFiles();
    for (let index = 0; index <= 10_000; index++) seen.note(`/f${index}`, "x");
    expect([seen.of("/f0"), seen.of("/f1")?.size]).toEqual([undefined, 1]);
  });
});

/** A process that adds numbered lines to a file by a workspace of its own. */
const ADDER = `
const [, home, root, name] = process.argv;
const { createWorkspace, workspaceForCall } = await import(home + "/dist/core/governance/workspace.js");
const { createFileTurns } = await import(home + "/dist/core/governance/file-turns.js");
const turns = createFileTurns({ locks: root + "/locks" });
const workspace = workspaceForCall(await createWorkspace({ root: root + "/ws" }), { turns });
for (let index = 0; index < 15; index++) {
  await workspace.update("a.txt", async (now) => Buffer.from(await now.read()).toString() + name + index + "\\n");
}
`;

it("processes that have the same locks wait for each other, and lose nothing", async () => {
  const root = makeTree({ "ws/a.txt": "", "locks/.gitkeep": "" });
  const adders = ["x", "y"].map((name) => {
    const args = ["--input-type=module", "-e", ADDER, resolve("."), root, name];
    return spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  });
  onTestFinished(() => adders.forEach((adder) => void adder.kill("SIGKILL")));
  await Promise.all(adders.map(async (adder) => expect((await once(adder, "exit"))[0]).toBe(0)));
  const lines = readFileSync(join(root, "ws/a.txt"), "utf8").split("\n").slice(0, -1);
  const expected = ["x", "y"].flatMap((name) => Array.from({ length: 15 }, (_, index) => `${name}${index}`));
  expect(lines.toSorted()).toEqual(expected.toSorted());
  expect(readdirSync(join(root, "locks"))).toEqual([".gitkeep"]);
});
