import { delimiter, isAbsolute } from "node:path";
import { realPath } from "../discovery/look.ts";
import { contains } from "../discovery/paths.ts";

/** What a child is given of the host's own environment, where it is set. */
const PASSED = ["PATH", "HOME", "USER", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "LC_CTYPE"] as const;

/** Where programs are looked for when the host has no `PATH`. */
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** What {@link childEnvironment} takes. */
export interface ChildEnvironmentOptions {
  /** The host's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that are passed besides. */
  readonly passthrough: readonly string[];
  /** Whether what a variable holds is a secret: it is passed to nobody, whoever asks for it. */
  isSecret(name: string): boolean;
}

/** The environment that a child begins with: nothing of the host's but a short list. */
export function childEnvironment({
  env,
  passthrough,
  isSecret,
}: ChildEnvironmentOptions): Readonly<Record<string, string>> {
  const names = [...new Set([...PASSED, ...passthrough])].filter((name) => !isSecret(name));
  const found = names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { PATH: DEFAULT_PATH, ...Object.fromEntries(found) };
}

/**
 * Where programs are looked for: nowhere in the workspace, and nowhere that depends on the directory they run in. A program
 * there by the name of another one would run in its place, and `npm start` puts such directories in front.
 *
 * @param path the host's own `PATH`
 * @param workspace a real path
 */
export function pathOutside(path: string | undefined, workspace: string): string {
  const directories = (path ?? "").split(delimiter);
  const outside = directories.filter(
    (directory) => isAbsolute(directory) && !contains(workspace, realPath(directory) ?? directory),
  );
  return outside.join(delimiter) || DEFAULT_PATH;
}
