import { existsSync, rmSync } from "node:fs";
import { at, fingerprint, readJson, readText, remember, walk, writeJson } from "./files.mjs";

// Each question is answered by times and sizes first, and by content only where those differ.

const MANIFEST = "package.json";
const LOCK = "package-lock.json";
/** npm's record of what it installed: written last, so an interrupted installation has none. */
const INSTALLED = "node_modules/.package-lock.json";
/** In `node_modules`, because it is true as long as that directory is. */
const INSTALL_STAMP = "node_modules/.toolroom-setup.json";
const BUILD_STAMP = "dist/.stamp";
const EXTRA_SOURCE = "scripts/verify-dox.ts";
/** What runs, made of the compiled modules' sources by {@link BUNDLER}; its chunks are known to its entries only. */
const BUNDLE_ENTRIES = ["cli/main.js", "index.js", "testing.js", "verify-dox.js"].map((file) => `dist/bundle/${file}`);
const PLATFORM = `${process.platform}-${process.arch}`;

/** The configuration of the compiler. */
export const BUILD_CONFIG = "scripts/tsconfig.build.json";

/** The program that joins the modules into few files. */
export const BUNDLER = "scripts/bundle.mjs";

/** Whether `node_modules` is what the lock asks for, on this platform. */
export async function isInstalled() {
  if (!existsSync(at(INSTALLED))) return false;
  const stamp = readJson(INSTALL_STAMP);
  if (stamp && stamp.platform !== PLATFORM) return false;
  if (stamp?.files === installedFiles()) return true;
  const lock = readJson(LOCK);
  if (!lock || !agrees(readJson(MANIFEST) ?? {}, lock) || !holds(readJson(INSTALLED) ?? {}, lock)) return false;
  remember(INSTALL_STAMP, { platform: PLATFORM, files: installedFiles() });
  return true;
}

/** To be called after an installation. */
export function stampInstallation() {
  writeJson(INSTALL_STAMP, { platform: PLATFORM, files: installedFiles() });
}

/** Whether `dist` is what the sources give. */
export async function isBuilt() {
  const sources = sourceFiles();
  const built = new Set(walk("dist"));
  if (![...sources.flatMap(outputsOf), ...BUNDLE_ENTRIES].every((output) => built.has(output))) return false;
  const stamp = readJson(BUILD_STAMP);
  if (!stamp) return false;
  if (stamp.files === fingerprint(buildInputs())) return true;
  const state = await readBuildState();
  if (stamp.content !== state.content) return false;
  remember(BUILD_STAMP, state);
  return true;
}

/** What the next build is made from; for {@link stampBuild}. */
export async function readBuildState() {
  return { files: fingerprint(buildInputs()), content: await contentHash(buildInputs()) };
}

/** To be called before a build: half a build counts for nothing. */
export function forgetBuild() {
  rmSync(at(BUILD_STAMP), { force: true });
}

/** To be called after a build, with the state that was read before it. */
export function stampBuild(state) {
  writeJson(BUILD_STAMP, state);
}

/** The modules that are built. */
export function sourceFiles() {
  const core = walk("core").filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts"));
  return existsSync(at(EXTRA_SOURCE)) ? [...core, EXTRA_SOURCE] : core;
}

/** What the build makes of a module. */
export function outputsOf(source) {
  const stem = `dist/${source.slice(0, -".ts".length)}`;
  return [`${stem}.js`, `${stem}.d.ts`];
}

function installedFiles() {
  return fingerprint([MANIFEST, LOCK, INSTALLED]);
}

/** The lock is one of them for the compiler's version. */
function buildInputs() {
  return [...sourceFiles(), BUILD_CONFIG, BUNDLER, "tsconfig.json", LOCK];
}

/** Whether the lock was made for this manifest. */
function agrees(manifest, lock) {
  const wanted = lock.packages?.[""] ?? {};
  return ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].every(
    (key) => JSON.stringify(sorted(manifest[key])) === JSON.stringify(sorted(wanted[key])),
  );
}

/** Whether what is installed is what the lock asks for: nothing else, and nothing less than this platform needs. */
function holds(installed, lock) {
  const have = installed.packages ?? {};
  const want = lock.packages ?? {};
  const same = (path) => have[path].version === want[path]?.version && have[path].integrity === want[path]?.integrity;
  return (
    Object.keys(have).every((path) => path in want && same(path)) &&
    Object.keys(want).every((path) => path === "" || path in have || !isNeeded(want[path]))
  );
}

function isNeeded({ optional, os, cpu, libc }) {
  if (!optional) return true;
  // Which C library this is costs too much to find out; without one of the variants its users would say so.
  return Boolean(os && cpu && !libc && os.includes(process.platform) && cpu.includes(process.arch));
}

async function contentHash(files) {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for (const file of files) hash.update(JSON.stringify([file, readText(file) ?? null]));
  return hash.digest("hex");
}

function sorted(record = {}) {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
