import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makeTree } from "../helpers/tree.ts";
import { openProgramHouse, PROGRAM, program, risk } from "./program.ts";

const IN = risk({ sandbox: "required" });

/** A directory beside everything that a sandbox shows. */
function outside(): string {
  return makeTree({ "secret.txt": "of somebody else\n" });
}

describe("what a sandbox shows", () => {
  it("runs what needs libraries, settings of the system and /dev/null", async () => {
    const { host } = await openProgramHouse(IN);
    const script =
      "ls /lib* >/dev/null && awk 'BEGIN{print 1}' </dev/null && test -r /etc/ssl/certs && id -un && date >/dev/null";
    expect(await program(host, { bash: script })).toMatchObject({ stdout: "1\nuser\n", data: { exitCode: 0 } });
    const python = await program(host, { argv: ["/usr/bin/env", "sh", "-c", "head -c 4 /dev/urandom | wc -c"] });
    expect(python).toMatchObject({ stdout: "4\n" });
  });

  it("nothing outside: not by a link in the workspace, not by a script, not by what processes of the host see", async () => {
    const beside = outside();
    const { host, workspace } = await openProgramHouse(IN, {
      workspaceFiles: {
        "leak.sh": `cat ${beside}/secret.txt; cat /etc/shadow; cat /proc/1/root${beside}/secret.txt; ls /root /home\n`,
      },
    });
    symlinkSync(join(beside, "secret.txt"), join(workspace, "link.txt"));
    symlinkSync(beside, join(workspace, "link"));
    for (const command of [
      { argv: ["cat", "link.txt"] },
      { argv: ["cat", "link/secret.txt"] },
      { argv: ["sh", "leak.sh"] },
      { bash: `cat ${beside}/secret.txt ../*/secret.txt; ls ..` },
    ]) {
      const { stdout, stderr } = await program(host, command);
      expect(stdout).not.toMatch(/somebody|root:|secret/u);
      expect(stderr).toContain("No such file");
    }
    await program(host, { bash: `echo changed > link.txt; echo new > link/new.txt; echo x > ${beside}/made.txt` });
    expect(readFileSync(join(beside, "secret.txt"), "utf8")).toBe("of somebody else\n");
    expect([existsSync(join(beside, "new.txt")), existsSync(join(beside, "made.txt"))]).toEqual([false, false]);
  });

  it("lets write in the workspace, and nowhere of the system", async () => {
    const { host, workspace } = await openProgramHouse(IN);
    const mark = `toolroom-${process.pid}`;
    const script = `echo a > a.txt; touch /usr/x /etc/x /bin/x 2>/dev/null; echo t > /tmp/${mark} && cat /tmp/${mark}`;
    expect((await program(host, { bash: script })).stdout).toBe("t\n");
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("a\n");
    expect([existsSync("/usr/x"), existsSync("/etc/x"), existsSync(`/tmp/${mark}`)]).toEqual([false, false, false]);
    expect((await program(host, { argv: ["cat", `/tmp/${mark}`] })).data.exitCode).toBe(1);
  });

  it("does not keep in the host itself", async () => {
    const beside = outside();
    const { host } = await openProgramHouse(IN);
    await program(host, { argv: ["true"] });
    expect(readFileSync(join(beside, "secret.txt"), "utf8")).toContain("somebody");
    writeFileSync(join(beside, "mine.txt"), "x");
  });

  it("no processes but its own, no capabilities, no variable of the host", async () => {
    const { again } = await openProgramHouse(IN);
    const host = await again({ env: { PATH: process.env.PATH, HOME: "/root", TMPDIR: "/elsewhere", OTHER: "x" } });
    const { stdout } = await program(host, {
      bash: "ls -d /proc/[0-9]* | wc -l; grep CapEff /proc/self/status; echo $TMPDIR $OTHER; ls -A /root | wc -l; tr '\\0' '\\n' < /proc/1/environ | grep -c OTHER",
    });
    const [count, capabilities, temporary, home, others] = stdout.trim().split("\n");
    expect(Number(count)).toBeLessThan(8);
    expect(capabilities).toMatch(/0000000000000000$/u);
    expect([temporary?.trim(), home, others]).toEqual(["/tmp", "0", "0"]);
  });

  it("the network only where the policy opens it", async () => {
    const server = createServer((socket) => socket.end("hello\n"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", () => resolve()));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const bash = `exec 5<>/dev/tcp/127.0.0.1/${port}; cat <&5`;
    const { host } = await openProgramHouse(IN);
    expect(await program(host, { bash })).toMatchObject({
      stdout: "",
      data: { exitCode: 1, sandbox: { network: false } },
    });
    const { host: open } = await openProgramHouse(risk({ sandbox: "required", sandbox_network: true }));
    expect(await program(open, { bash })).toMatchObject({ stdout: "hello\n", data: { sandbox: { network: true } } });
  });

  it("of what the host keeps what file tools may read, and no secret", async () => {
    const root = makeTree({
      ...IN,
      "usr/tools/program.ts": PROGRAM,
      "usr/secrets.env": "DOOR=hunter2-and-more\n",
      "usr/plugins/own/plugin.yaml": "name: own\ntitle: Own\nversion: 1.0.0\napiVersion: ^1\n",
      "usr/projects/p/secrets.env": "P=hunter3-and-more\n",
      "usr/projects/p/settings.yaml": "{}\n",
      "usr/projects/p/tools/x.txt": "x\n",
      "usr/ledger/key": "hunter4\n",
      "usr/approvals.jsonl": "",
    });
    const { host } = await openProgramHouse({}, { root, workspace: root });
    const read = await program(host, {
      bash: "cat usr/secrets.env usr/projects/p/secrets.env usr/ledger/* usr/settings.yaml",
    });
    expect(read.stdout).not.toMatch(/hunter|§§secret/u);
    expect(read.stdout).toContain("sandbox");
    const script = [
      "usr/settings.yaml usr/approvals.jsonl usr/estop.json usr/new usr/secrets.env usr/projects/q usr/projects/p/settings.yaml"
        .split(" ")
        .map((path) => `echo x >> ${path}`)
        .join("; "),
      "mv usr/settings.yaml usr/old; rm -f usr/approvals.jsonl; echo y > usr/plugins/own/y; echo z > usr/projects/p/tools/z",
    ].join("; ");
    await program(host, { bash: script });
    const text = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : null);
    expect(text("usr/settings.yaml")).not.toContain("x\n");
    expect(["usr/approvals.jsonl", "usr/estop.json", "usr/new", "usr/projects/q", "usr/old"].map(text)).toEqual([
      "",
      null,
      null,
      null,
      null,
    ]);
    expect([text("usr/projects/p/settings.yaml"), text("usr/plugins/own/y"), text("usr/projects/p/tools/z")]).toEqual([
      "{}\n",
      "y\n",
      "z\n",
    ]);
  });

  it("the roots that the policy admits as it admits them, and nothing that it forbids", async () => {
    const [read, write, blind] = [outside(), outside(), outside()];
    const { host, workspace } = await openProgramHouse(
      risk({
        sandbox: "required",
        allowed_roots: [read, { path: write, access: "read_write" }, { path: blind, access: "write_only" }],
        forbidden_paths: ["/etc", join(write, "private")],
      }),
    );
    mkdirSync(join(write, "private"));
    writeFileSync(join(write, "private/key"), "key\n");
    const script = `cat ${read}/secret.txt; echo x > ${read}/x; echo x > ${write}/x; cat ${write}/private/key; cat ${blind}/secret.txt; pwd`;
    expect((await program(host, { bash: script })).stdout).toBe(`of somebody else\n${workspace}\n`);
    expect([existsSync(join(read, "x")), existsSync(join(write, "x"))]).toEqual([false, true]);
  });

  it("all that is not forbidden, where the policy opens all paths", async () => {
    const [beside, closed] = [outside(), outside()];
    const settings = { sandbox: "required", level: "full", workspace_only: false, forbidden_paths: ["/etc", closed] };
    const { host } = await openProgramHouse(risk(settings));
    const script = `cat ${beside}/secret.txt; echo x > ${beside}/x; cat ${closed}/secret.txt /etc/shadow; test -d /etc/ssl && echo y`;
    expect((await program(host, { bash: script })).stdout).toBe("of somebody else\ny\n");
    expect(existsSync(join(beside, "x"))).toBe(true);
  });

  it("ends with what it holds, also what left its group", async () => {
    const { host } = await openProgramHouse(IN);
    const mark = `86${process.pid}`;
    const found = await program(host, { bash: `setsid sleep ${mark} & echo done` });
    expect(found.stdout).toBe("done\n");
    const lines = await program((await openProgramHouse(risk({ sandbox: "none" }))).host, {
      bash: `pgrep -f 'sleep ${mark}$' | wc -l`,
    });
    expect(lines.stdout.trim()).toBe("0");
  });
});

describe("which sandbox there is", () => {
  const EMPTY = makeTree({ ".keep": "" });

  it.each([
    ["none", "none"],
    ["auto", "bubblewrap"],
    ["required", "bubblewrap"],
    ["bubblewrap", "bubblewrap"],
  ])("%s: %s, where it works", async (sandbox, kind) => {
    const { host } = await openProgramHouse(risk({ sandbox }));
    expect((await program(host, { argv: ["true"] })).data.sandbox.kind).toBe(kind);
    expect(await host.status()).toMatchObject({ sandbox: { kind } });
    expect(await host.policy.show()).toMatchObject({ sandbox: { kind } });
  });

  it.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["there is none", {}, /no bwrap in PATH/u],
    ["it does not work", { bwrap: "#!/bin/sh\necho no name spaces >&2; exit 1\n" }, /no name spaces/u],
    [
      "it keeps nothing in",
      { bwrap: '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' },
      /the whole file system is seen/u,
    ],
  ])("where %s, auto says so, and required runs nothing", async (_, files, why) => {
    const bin = makeTree({ ".keep": "", ...files });
    if (files.bwrap) chmodSync(join(bin, "bwrap"), 0o755);
    const path = `${bin}:${EMPTY}`;
    const { again, write } = await openProgramHouse(risk({ sandbox: "auto" }));
    const host = await again({ env: { PATH: path } });
    const loose = await program(host, { argv: ["/bin/true"] });
    expect(loose.data).toMatchObject({ exitCode: 0, sandbox: { kind: "none", why: expect.stringMatching(why) } });
    expect((await host.doctor()).checks).toContainEqual(
      expect.objectContaining({ name: "sandbox", status: "warning", message: expect.stringMatching(why) }),
    );
    for (const sandbox of ["required", "bubblewrap"]) {
      write(risk({ sandbox }));
      const strict = await again({ env: { PATH: path } });
      expect(await program(strict, { argv: ["/bin/true"] })).toMatchObject({
        code: "DENIED_BY_POLICY",
        message: expect.stringMatching(/sandbox of risk profile default \(usr\/settings\.yaml\) asks for a sandbox/u),
      });
      expect((await strict.doctor()).checks).toContainEqual(
        expect.objectContaining({ name: "sandbox", status: "error" }),
      );
    }
  });
});
