import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const COMPILER = pathToFileURL(join(REPOSITORY, "node_modules/typescript/bin/tsc")).href;

/** A project whose only package is a local one that runs the real compiler: installed by the real npm, from no network. */
const FILES: Readonly<Record<string, unknown>> = {
  "package.json": { name: "p", version: "1.0.0", type: "module", devDependencies: { typescript: "file:ts" } },
  "package-lock.json": {
    name: "p",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "p", version: "1.0.0", devDependencies: { typescript: "file:ts" } },
      "node_modules/typescript": { resolved: "ts", link: true },
      ts: { name: "typescript", version: "0.0.0", dev: true, bin: { tsc: "bin/tsc" } },
    },
  },
  "ts/package.json": { name: "typescript", version: "0.0.0", bin: { tsc: "bin/tsc" } },
  "ts/bin/tsc": `import(${JSON.stringify(COMPILER)});\n`,
  // The smallest library, unchecked: most of the compiler's time on two short modules would be the types of a browser.
  "tsconfig.json": {
    compilerOptions: {
      target: "ES2023",
      lib: ["ES5"],
      skipLibCheck: true,
      module: "NodeNext",
      strict: true,
      types: [],
      noEmit: true,
      rewriteRelativeImportExtensions: true,
    },
  },
  "core/cli/main.ts":
    '#!/usr/bin/env node\nimport { one } from "../one.ts";\nconst shown: number = one;\nexport { shown };\n',
  "core/one.ts": "export const one = 1;\n",
  "scripts/bundle.mjs": `import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
const at = (file) => new URL(\`../dist/bundle/\${file}\`, import.meta.url);
mkdirSync(at("cli"), { recursive: true });
for (const file of ["cli/main.js", "index.js", "testing.js", "verify-dox.js"]) writeFileSync(at(file), "// bundled");
chmodSync(at("cli/main.js"), 0o755);
`,
  "core/AGENTS.md": "# core\n",
};

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Project {
  at(path: string): string;
  write(path: string, content: unknown): void;
  read(path: string): string;
  setup(env?: Readonly<Record<string, string>>): Promise<Ran>;
}

/** A project as a clone leaves it; or, from `ready`, a copy of one that is set up. */
function project(ready?: string): Project {
  const root = mkdtempSync(join(tmpdir(), "toolroom-setup-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const p = projectAt(root);
  if (ready) cpSync(ready, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  else writeClone(p);
  return p;
}

function projectAt(root: string): Project {
  return {
    at: (path) => join(root, path),
    write(path, content) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
    setup: (env = {}) => run(process.execPath, [join(root, "scripts/setup.mjs")], { env }),
  };
}

function writeClone(p: Project): void {
  for (const [path, content] of Object.entries(FILES)) p.write(path, content);
  for (const path of ["scripts/setup.mjs", "scripts/setup", "scripts/tsconfig.build.json"]) {
    cpSync(join(REPOSITORY, path), p.at(path), { recursive: true });
  }
  p.write("scripts/verify-dox.ts", "export {};\n");
}

/** One project that is set up, to be copied: an installation and a build take a second. */
let ready = "";
beforeAll(async () => {
  ready = mkdtempSync(join(tmpdir(), "toolroom-ready-"));
  const p = projectAt(ready);
  writeClone(p);
  expect(await p.setup()).toMatchObject({ code: 0 });
});
afterAll(() => rmSync(ready, { recursive: true, force: true }));

function run(
  command: string,
  args: readonly string[],
  { env = {}, input = "" }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<Ran> {
  const { npm_execpath: _, NODE_ENV: __, ...inherited } = process.env;
  const child = spawn(command, args, { env: { ...inherited, ...env }, stdio: "pipe" });
  const out = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (out.stdout += chunk));
  child.stderr.on("data", (chunk) => (out.stderr += chunk));
  child.stdin.end(input);
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...out })));
}

/** With this npm every installation fails, so a set-up that works has not installed. */
const NO_NPM = { npm_execpath: "/nowhere/npm-cli.js" };
const SILENT: Ran = { code: 0, stdout: "", stderr: "" };
const BUILT: Ran = { code: 0, stdout: "", stderr: "Building …\n" };

describe("a fresh clone", () => {
  test("is installed and built, whatever the environment, and then left alone in silence", async () => {
    const p = project();
    const first = await p.setup({ NODE_ENV: "production", npm_config_omit: "dev" });
    expect(first).toEqual({
      code: 0,
      stdout: "",
      stderr: "Installing the packages of package-lock.json …\nBuilding …\n",
    });
    expect(p.read("dist/core/cli/main.js")).toContain('from "../one.js"');
    expect(existsSync(p.at("dist/core/one.d.ts"))).toBe(true);
    expect(existsSync(p.at("dist/scripts/verify-dox.js"))).toBe(true);
    expect(statSync(p.at("dist/bundle/cli/main.js")).mode & 0o777).toBe(0o755);
    expect(existsSync(p.at("dist/.lock"))).toBe(false);

    const built = statSync(p.at("dist/core/one.js")).mtimeMs;
    expect(await p.setup(NO_NPM)).toEqual(SILENT);
    expect(statSync(p.at("dist/core/one.js")).mtimeMs).toBe(built);
  });

  test("is set up once when two commands start at the same time", async () => {
    const p = project();
    const both = await Promise.all([p.setup(), p.setup(), p.setup()]);
    expect(both.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(both.flatMap(({ stderr }) => stderr.match(/Installing/g) ?? [])).toHaveLength(1);
    expect(both.flatMap(({ stderr }) => stderr.match(/Building/g) ?? [])).toHaveLength(1);
  });

  test("leaves standard input to what comes after it", async () => {
    const p = project();
    const setup = JSON.stringify(p.at("scripts/setup.mjs"));
    const ran = await run("sh", ["-c", `${JSON.stringify(process.execPath)} ${setup} && cat`], {
      input: "for the host",
    });
    expect(ran).toMatchObject({ code: 0, stdout: "for the host" });
  });
});

describe("what is installed", () => {
  test("by hand is recognised; so are new times of the same content", async () => {
    const p = project();
    await run("npm", ["ci", "--offline", "--no-audit", "--no-fund", "--prefix", p.at(".")]);
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
    const now = new Date();
    for (const file of ["package-lock.json", "package.json"]) utimesSync(p.at(file), now, now);
    expect(await p.setup(NO_NPM)).toEqual(SILENT);
    p.write("package.json", { ...(FILES["package.json"] as object), scripts: { test: "true" } });
    expect(await p.setup(NO_NPM)).toEqual(SILENT);
  });

  test("is installed again when the lock, the platform or npm's own record says so", async () => {
    const p = project(ready);
    const installs = async () => /^Installing/.test((await p.setup()).stderr);
    expect(await installs()).toBe(false);
    p.write("node_modules/.toolroom-setup.json", { platform: "other-os", files: "" });
    expect(await installs()).toBe(true);
    p.write("node_modules/.package-lock.json", "{ damaged");
    expect(await installs()).toBe(true);
    p.write("node_modules/.package-lock.json", { packages: { "node_modules/typescript": { version: "9.9.9" } } });
    expect(await installs()).toBe(true);
    rmSync(p.at("node_modules"), { recursive: true });
    expect(await installs()).toBe(true);
    expect(await installs()).toBe(false);
  });

  test("a lock that does not fit the manifest fails with npm's own words and exit code 1", async () => {
    const p = project(ready);
    p.write("package.json", { ...(FILES["package.json"] as object), dependencies: { "left-out": "1.0.0" } });
    const { code, stdout, stderr } = await p.setup({ npm_config_offline: "true" });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/left-out/);
    expect(stderr).toMatch(/set-up: .*`npm ci .*` failed \(1\)\n$/s);
    expect(existsSync(p.at("dist/.lock"))).toBe(false);
  });
});

describe("what is built", () => {
  test("is built again for new content, not for new times, and loses what has no source", async () => {
    const p = project(ready);
    const soon = new Date(Date.now() + 5_000);
    utimesSync(p.at("core/one.ts"), soon, soon);
    p.write("core/AGENTS.md", "# other words\n");
    expect(await p.setup(NO_NPM)).toEqual(SILENT);
    p.write("core/one.ts", "export const one = 2;\n");
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
    expect(p.read("dist/core/one.js")).toContain("one = 2");
    expect(await p.setup(NO_NPM)).toEqual(SILENT);

    renameSync(p.at("core/one.ts"), p.at("core/uno.ts"));
    p.write("core/cli/main.ts", '#!/usr/bin/env node\nexport { one } from "../uno.ts";\n');
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
    expect(existsSync(p.at("dist/core/one.js")) || existsSync(p.at("dist/core/one.d.ts"))).toBe(false);
    expect(existsSync(p.at("dist/core/uno.js"))).toBe(true);
  });

  test.each(["dist/core/one.js", "dist/bundle/index.js", "dist/.stamp"])("is built again without %s", async (file) => {
    const p = project(ready);
    rmSync(p.at(file));
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
    expect(existsSync(p.at(file))).toBe(true);
  });

  test("fails with the compiler's own words, and again until it is mended", async () => {
    const p = project(ready);
    p.write("core/one.ts", 'export const one = "text";\n');
    for (let round = 0; round < 2; round++) {
      const { code, stdout, stderr } = await p.setup(NO_NPM);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/core\/cli\/main\.ts\(3,7\): error TS2322/);
    }
    p.write("core/one.ts", "export const one = 3;\n");
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
  });
});

describe("a lock that was left behind", () => {
  test.each([
    ["by a process that is gone", JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }), new Date()],
    ["on another host, long ago", JSON.stringify({ pid: 1, host: "elsewhere" }), new Date(Date.now() - 60_000)],
    ["half written, long ago", "{", new Date(Date.now() - 60_000)],
  ])("%s is taken away", async (_, content, time) => {
    const p = project(ready);
    p.write("core/one.ts", "export const one = 4;\n");
    p.write("dist/.lock", content);
    utimesSync(p.at("dist/.lock"), time, time);
    expect(await p.setup(NO_NPM)).toEqual(BUILT);
    expect(existsSync(p.at("dist/.lock"))).toBe(false);
  });

  test("one that is held is waited for", async () => {
    const p = project(ready);
    p.write("core/one.ts", "export const one = 5;\n");
    p.write("dist/.lock", JSON.stringify({ pid: process.pid, host: hostname() }));
    const waiting = p.setup(NO_NPM);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(p.read("dist/core/one.js")).toContain("one = 1");
    rmSync(p.at("dist/.lock"));
    expect(await waiting).toEqual(BUILT);
  });
});
