import { accessSync, constants } from "node:fs";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import type { Mount } from "./mounts.ts";

/** The program, and how its processes are named. */
export const BUBBLEWRAP = "bwrap";

/** What is to run in a sandbox. All paths are absolute. */
export interface SandboxedCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  /** The first descriptor that nothing else is given by. */
  readonly descriptor: number;
}

/** How bubblewrap is started for it. */
export interface SandboxCall {
  readonly args: readonly string[];
  /** What it reads from the descriptors. */
  readonly data: readonly string[];
}

/** Where the program lies. @param path the host's `PATH` */
export function findBubblewrap(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((directory) => directory.startsWith("/"))
    .map((directory) => join(directory, BUBBLEWRAP))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/**
 * Name spaces of its own for processes, users, hosts' names and, without `network`, the network; no capabilities; the
 * processes end with it, and it with whoever started it. Its options go by a descriptor, because everybody on the machine
 * can read a command line, and an environment may hold a secret.
 */
export function bubblewrapCall({ argv, cwd, env, mounts, network, descriptor }: SandboxedCommand): SandboxCall {
  const options = [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    "--die-with-parent",
    ...["--cap-drop", "ALL"],
    "--clearenv",
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    ...mounts.flatMap(mountOptions),
    ...["--ro-bind-data", String(descriptor + 1), "/etc/passwd"],
    ...["--ro-bind-data", String(descriptor + 2), "/etc/group"],
    ...["--chdir", cwd],
  ];
  const { uid, gid } = userInfo();
  const account = `user:x:${uid}:${gid}:user:${env.HOME ?? "/"}:/bin/sh\n`;
  return {
    args: ["--args", String(descriptor), "--", ...argv],
    data: [options.map((option) => `${option}\0`).join(""), account, `user:x:${gid}:\n`],
  };
}

function mountOptions({ path, as, target = "" }: Mount): readonly string[] {
  switch (as) {
    case "read":
      return ["--ro-bind", path, path];
    case "write":
      return ["--bind", path, path];
    case "empty":
      return ["--tmpfs", path];
    case "nothing":
      return ["--ro-bind", "/dev/null", path];
    case "link":
      return ["--symlink", target, path];
    case "proc":
      return ["--proc", path];
    case "dev":
      return ["--dev", path];
  }
}
