import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { at, walk } from "./files.mjs";
import {
  BUILD_CONFIG,
  BUNDLER,
  forgetBuild,
  isBuilt,
  isInstalled,
  outputsOf,
  readBuildState,
  sourceFiles,
  stampBuild,
  stampInstallation,
} from "./fresh.mjs";
import { oneAtATime } from "./one-at-a-time.mjs";

const COMPILER = "node_modules/typescript/bin/tsc";

/**
 * Installs and builds, each where needed. Says in one line on standard error what it is doing.
 *
 * @throws Error of {@link run}
 */
export async function setUp() {
  await oneAtATime(async () => {
    // Whoever held the lock before may have done it all.
    if (!(await isInstalled())) await install();
    if (!(await isBuilt())) await build();
  }, say);
}

async function install() {
  say("Installing the packages of package-lock.json …");
  // A production environment must not leave out the compiler, and no package here needs a script of its own.
  const options = ["ci", "--no-audit", "--no-fund", "--include=dev", "--ignore-scripts"];
  const npm = process.env.npm_execpath ?? "";
  if (/npm-cli\.c?js$/.test(npm)) await run(process.execPath, [npm, ...options]);
  else await run("npm", options);
  stampInstallation();
}

async function build() {
  say("Building …");
  // Taken before the compiler reads, so what is saved meanwhile is built the next time.
  const state = await readBuildState();
  const outputs = new Set(sourceFiles().flatMap(outputsOf));
  forgetBuild();
  await run(process.execPath, [at(COMPILER), "-p", at(BUILD_CONFIG)]);
  removeOthers(outputs);
  await run(process.execPath, [at(BUNDLER)]);
  stampBuild(state);
}

/** What was built from sources that are gone would still be imported, and packed. */
function removeOthers(outputs) {
  for (const file of walk("dist")) {
    if (/\.(js|d\.ts)$/.test(file) && !file.startsWith("dist/bundle/") && !outputs.has(file))
      rmSync(at(file), { force: true });
  }
}

/**
 * Runs a program to its end with nothing shown. Standard input is left alone: it is for what runs after the set-up.
 *
 * @throws Error with everything that the program printed in `output`, when it fails
 */
async function run(command, args) {
  const chunks = [];
  const shell = process.platform === "win32" && command === "npm";
  const code = await new Promise((resolve) => {
    const child = spawn(command, args, { cwd: at("."), stdio: ["ignore", "pipe", "pipe"], shell });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(chunk));
    child.on("error", (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      resolve(error.code);
    });
    child.on("close", (status, signal) => resolve(status ?? signal));
  });
  if (code === 0) return;
  const failure = new Error(`\`${[command, ...args].join(" ")}\` failed (${code})`);
  throw Object.assign(failure, { output: `\n${Buffer.concat(chunks)}` });
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
