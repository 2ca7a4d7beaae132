import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import type { DiagnosticCode } from "../../diagnostics.ts";
import { HostError } from "../../sdk/errors.ts";

/** What is run, and for whom. */
export interface TestRun {
  /** Absolute. */
  readonly root: string;
  /** Absolute: the directory of the installed package. */
  readonly home: string;
  /** An absolute directory for what is generated; it need not exist. */
  readonly scratch: string;
  /** Test files, relative to the root. */
  readonly files: readonly string[];
  /** Absolute paths of tools' modules that the suite alone is run on. */
  readonly suites: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Takes what Vitest writes for people. */
  write(text: string): void;
  /** Colours in that. */
  readonly colors: boolean;
}

/** What came of it. A file that could not be run counts as one that failed. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly files: number;
}

const CONFIGS = ["ts", "mts", "js", "mjs", "cts", "cjs"].map((extension) => `vitest.config.${extension}`);

/**
 * Runs tests with the Vitest that is installed: of the root, else of the package. Files of the root's own `tests/` run
 * as the root's configuration says, where it has one; all others with one in which `toolroom` and `toolroom/testing` are
 * this package.
 * @throws HostError VITEST_MISSING
 */
export async function runTests(run: TestRun): Promise<TestCounts> {
  const vitest = findVitest(run);
  const config = CONFIGS.map((name) => join(run.root, name)).find((file) => existsSync(file));
  const isOwn = (file: string): boolean => config !== undefined && file.startsWith("tests/");
  const own = run.files.filter(isOwn);
  const others = run.files.filter((file) => !isOwn(file)).map((file) => resolve(run.root, file));
  mkdirSync(run.scratch, { recursive: true });
  const scratch = mkdtempSync(join(run.scratch, "test-"));
  try {
    const suites = run.suites.map((module, index) => writeSuite(scratch, module, index));
    const all = [...others, ...suites];
    const counts: TestCounts[] = [];
    if (own.length > 0 && config !== undefined) {
      counts.push(await runVitest(run, { vitest, scratch, config, filters: own }));
    }
    if (all.length > 0) {
      counts.push(
        await runVitest(run, {
          vitest,
          scratch,
          config: writeConfig(run, { vitest, scratch, files: all }),
          filters: [],
        }),
      );
    }
    return counts.reduce((sum, one) => add(sum, one), { passed: 0, failed: 0, files: 0 });
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The directory of the package, absolute. The suite needs its fourth major version. */
function findVitest({ root, home }: Pick<TestRun, "root" | "home">): string {
  const found = [root, home].flatMap((directory) => installedIn(directory) ?? []);
  const [usable] = found.filter(({ version }) => version.startsWith("4."));
  if (usable) return usable.directory;
  const versions = found.map(({ version, directory }) => `${version} in ${directory}`).join(", ");
  throw new HostError(
    "VITEST_MISSING" satisfies DiagnosticCode,
    `expected Vitest 4 in ${root} or ${home}, found ${versions || "none"}; install it with: npm install --save-dev vitest@4`,
  );
}

function installedIn(root: string): { readonly directory: string; readonly version: string } | undefined {
  const require = createRequire(join(root, "x.js"));
  try {
    const manifest = require.resolve("vitest/package.json");
    return { directory: dirname(manifest), version: String(require(manifest).version) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

/** A test file for a tool that has none. */
function writeSuite(scratch: string, module: string, index: number): string {
  const file = join(scratch, `${index}.test.mjs`);
  writeFileSync(file, `import { testTool } from "toolroom/testing";\ntestTool(${JSON.stringify(module)});\n`);
  return file;
}

/**
 * A configuration for files that know nothing of where the package is. The suite itself goes through Vitest, so that it
 * finds the Vitest that runs it; what it is made of is loaded by Node as it lies there.
 */
function writeConfig(
  { root, home }: Pick<TestRun, "root" | "home">,
  { vitest, scratch, files }: { readonly vitest: string; readonly scratch: string; readonly files: readonly string[] },
): string {
  const bundle = (name: string): string => join(home, "dist/bundle", name);
  const config = {
    root,
    cacheDir: join(scratch, "vite"),
    resolve: {
      alias: [
        ["toolroom", bundle("index.js")],
        ["toolroom/testing", bundle("testing.js")],
        ["vitest", join(vitest, "dist/index.js")],
      ],
    },
    test: {
      include: files.map((file) => file.replaceAll("\\", "/")),
      inline: [bundle("testing.js")],
      external: [bundle("")],
    },
  };
  const file = join(scratch, "vitest.config.mjs");
  writeFileSync(
    file,
    `const { root, cacheDir, resolve, test } = ${JSON.stringify(config)};
const exact = (text) => new RegExp(\`^\${text.replace(/[.*+?^\${}()|[\\]\\\\]/g, "\\\\$&")}\`);
export default {
  root,
  cacheDir,
  resolve: {
    alias: resolve.alias.map(([find, replacement]) => ({ find: new RegExp(\`^\${find}$\`), replacement })),
  },
  test: {
    include: test.include,
    exclude: [],
    testTimeout: 20_000,
    server: { deps: { inline: test.inline.map(exact), external: test.external.map(exact) } },
  },
};
`,
  );
  return file;
}

async function runVitest(
  { root, env, write, colors }: TestRun,
  { vitest, scratch, config, filters }: { vitest: string; scratch: string; config: string; filters: readonly string[] },
): Promise<TestCounts> {
  const report = join(scratch, "report.json");
  rmSync(report, { force: true });
  const args = [
    "run",
    "--root",
    root,
    "--config",
    config,
    "--passWithNoTests",
    "--reporter=default",
    "--reporter=json",
  ];
  const child = spawn(
    process.execPath,
    [join(vitest, "vitest.mjs"), ...args, `--outputFile.json=${report}`, ...filters],
    {
      cwd: root,
      env: { ...env, TOOLROOM_TEST: "1", ...(colors ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" }) },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  // Where the report lies that is read here is of no use to anybody else.
  const tell = (text: string): void => write(text.replace(/^JSON report written to .*\n/gmu, ""));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", tell);
  const code = await new Promise<number>((done) => {
    child.on("error", (error) => {
      write(`${error.message}\n`);
      done(1);
    });
    child.on("close", (status) => done(status ?? 1));
  });
  return countsOf(report, code);
}

interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

function countsOf(file: string, code: number): TestCounts {
  const results = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Report).testResults : [];
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").length;
  // A file that could not be loaded has no tests that could fail; a crash of the runner fails none either.
  const broken = results.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
  const unexplained = code !== 0 && failed + broken === 0 ? 1 : 0;
  const passed = tests.filter(({ status }) => status === "passed").length;
  return { passed, failed: failed + broken + unexplained, files: results.length };
}

function add(a: TestCounts, b: TestCounts): TestCounts {
  return { passed: a.passed + b.passed, failed: a.failed + b.failed, files: a.files + b.files };
}
