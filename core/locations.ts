import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, parse, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { diagnostic, hostError } from "./diagnostics.ts";
import { look } from "./discovery/look.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What marks a directory as a root when the nearest one is looked for upwards. */
const ROOT_MARKS = ["usr/plugins", "usr/agents", "usr/settings.yaml"] as const;

/**
 * The directory of the installed package, which holds the bundled content: the nearest directory above
 * this module whose `package.json` is ours. The same from the source and from the build.
 */
export function findHome(): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const manifest = join(directory, "package.json");
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).name === "toolroom")
      return realpathSync(directory);
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`no package.json of toolroom above ${fileURLToPath(import.meta.url)}`);
    directory = parent;
  }
}

/** The built program of a probing process: an absolute path. From the source, too, it is the build that runs. */
export function probeProgram(): string {
  return join(findHome(), "dist", "bundle", "probe-main.js");
}

/**
 * The absolute real path of the root.
 *
 * `root` when it is given; else the nearest directory from `cwd` upwards that holds `usr/plugins/`,
 * `usr/agents/` or `usr/settings.yaml`, the file system's own root excepted; else `cwd`.
 *
 * @throws HostError ROOT_MISSING (usage) when the directory does not exist or is not one
 */
export function findRoot(root: string | undefined, cwd: string): string {
  const chosen = root === undefined ? (nearestRoot(cwd) ?? cwd) : resolve(cwd, root);
  return requireDirectory(chosen, "root");
}

/**
 * The absolute real path of an existing directory.
 * @throws HostError ROOT_MISSING (usage)
 */
export function requireDirectory(path: string, role: "root" | "workspace"): string {
  const found = directoryAt(path);
  if ("real" in found) return found.real;
  const message = `the ${role} must be a directory, found ${found.instead} at ${path}`;
  throw hostError(diagnostic("ROOT_MISSING", { message, hint: `Name an existing directory with --${role}.` }), "usage");
}

function directoryAt(path: string): { readonly real: string } | { readonly instead: string } {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isDirectory()) return { real: realpathSync(path) };
    return { instead: found ? "a file" : "nothing" };
  } catch (error) {
    // A circle of links, a name that is too long, a directory on the way that may not be entered.
    return { instead: `something that cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})` };
  }
}

/**
 * The directory for everything that the host writes: `<root>/usr` where it exists, else
 * `${XDG_STATE_HOME:-~/.local/state}/toolroom/<first 16 hex of sha256(real path of the root)>`, because a
 * root without `usr/` is never written to.
 */
export function stateDirectory(root: string, env: Environment): string {
  const usr = join(root, "usr");
  return look(usr)?.isDirectory() ? usr : outsideDirectory(root, env);
}

/**
 * Where hosts of this root may keep what they write, the one of {@link stateDirectory} first: `usr/` may have been made
 * since one of them started.
 */
export function stateDirectories(root: string, env: Environment): readonly string[] {
  const now = stateDirectory(root, env);
  return [now, ...[join(root, "usr"), outsideDirectory(root, env)].filter((directory) => directory !== now)];
}

/** Where the host keeps what it must not keep in the root: see {@link stateDirectory}. */
export function outsideDirectory(root: string, env: Environment): string {
  const base = env.XDG_STATE_HOME || join(homedir(), ".local", "state");
  // Looked up when it is needed: it takes 3 ms to come.
  const name = process.getBuiltinModule("node:crypto").hash("sha256", root, "hex").slice(0, 16);
  return join(base, "toolroom", name);
}

/** The file that says which roots a person trusts: `${XDG_CONFIG_HOME:-~/.config}/toolroom/trust.json`. */
export function trustFile(env: Environment): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), ".config"), "toolroom", "trust.json");
}

function nearestRoot(cwd: string): string | undefined {
  const top = parse(cwd).root;
  for (let directory = resolve(cwd); directory !== top; directory = dirname(directory)) {
    if (ROOT_MARKS.some((mark) => existsSync(join(directory, mark)))) return directory;
  }
  return undefined;
}
