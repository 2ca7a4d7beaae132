import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { JsonObject } from "../sdk/result.ts";
import type { TestToolOptions, WorkspaceFiles } from "./options.ts";
import type { Place } from "./place.ts";

/** The temporary directories that one tool is tested in. All paths are absolute and real. */
export interface Ground {
  /** A root with the author's plugin (profile, project) in it, and nothing else of the author's. */
  readonly root: string;
  /** The copy of the module. */
  readonly file: string;
  /** What calls may touch. */
  readonly workspace: string;
  /** Lies beside the workspace; nothing of it may ever be seen or changed by a call. */
  readonly outside: string;
  /** Has the hosts that are opened from now on ask about every call, or not. */
  ask(everything: boolean): void;
  /** Empties the workspace, and writes files into it. */
  clear(files: WorkspaceFiles): void;
  remove(): void;
}

/** Whatever its risk: it is the tool that is tested, in a workspace of its own. */
const UNBOUND = { level: "full", block_high_risk: false, leak_guard: "off" };

const ASKING = { ...UNBOUND, always_ask: ["*"] };

/** What the author's directories hold besides content, and what somebody has set or switched there. */
const NOT_COPIED = /^(?:node_modules|tests?|\.git|\.cache|\.toggle-[01]|config\.(?:yaml|json)|.*\.test\.[cm]?[jt]s)$/u;

/** Makes the directories, with a copy of what the tool is made of: the suite changes its module. */
export function makeGround(place: Place, options: Pick<TestToolOptions, "settings" | "config" | "secrets">): Ground {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolroom-test-")));
  const root = join(base, "root");
  const workspace = join(base, "workspace");
  const outside = join(base, "outside");
  for (const directory of [join(root, "usr/plugins"), workspace, outside]) mkdirSync(directory, { recursive: true });
  for (const { from, to } of place.mounts) copyContent(from, join(root, to));
  lendPackages(place, root);
  // JSON is YAML. What a tool logs at any level is looked at, and nobody is there to ask whether it may run.
  const settings = { log: { level: "debug" }, risk_profiles: { default: UNBOUND }, ...options.settings };
  const names = ["default", ...Object.keys(settings.risk_profiles)];
  const asking = Object.fromEntries(names.map((name) => [name, ASKING]));
  const writeSettings = (given: object): void => write(root, { "usr/settings.yaml": JSON.stringify(given) });
  writeSettings(settings);
  write(root, { "usr/secrets.env": envFile(options.secrets) });
  // What the default profile switches off is tested like the rest.
  if (place.profile === undefined) write(root, { "usr/agents/default/agent.yaml": "tools: {disable: []}\n" });
  if (options.config && place.plugin !== undefined) writeConfig(root, place.plugin, options.config);
  return {
    root,
    file: join(root, place.home.to, "tools", basename(place.file)),
    workspace,
    outside,
    ask: (everything) => writeSettings(everything ? { ...settings, risk_profiles: asking } : settings),
    clear(files) {
      rmSync(workspace, { recursive: true, force: true });
      mkdirSync(workspace);
      write(workspace, files);
    },
    remove: () => rmSync(base, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** Writes text files below a directory. */
export function write(directory: string, files: WorkspaceFiles): void {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function copyContent(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => source === from || !NOT_COPIED.test(basename(source)),
  });
}

/** The packages that the author's modules find, and what kind of modules they are, come from above them. */
function lendPackages({ mounts, home }: Place, root: string): void {
  for (const { from, to } of mounts) {
    const own = join(from, "node_modules");
    if (existsSync(own)) symlinkSync(own, join(root, to, "node_modules"), "junction");
  }
  const above = nearest(dirname(home.from), "node_modules");
  if (above !== undefined) symlinkSync(above, join(root, "node_modules"), "junction");
  const manifest = nearest(home.from, "package.json");
  const type = manifest === undefined ? undefined : JSON.parse(readFileSync(manifest, "utf8")).type;
  if (type !== undefined) write(root, { "package.json": JSON.stringify({ private: true, type }) });
}

function nearest(directory: string, name: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const found = join(at, name);
    if (existsSync(found)) return found;
    if (dirname(at) === at) return undefined;
  }
}

function writeConfig(root: string, plugin: string, config: JsonObject): void {
  write(root, { [`usr/plugins/${plugin}/config.yaml`]: JSON.stringify(config) });
}

function envFile(secrets: TestToolOptions["secrets"] = {}): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join("");
}
