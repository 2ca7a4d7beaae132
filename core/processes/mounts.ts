import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { compareText } from "../diagnostics.ts";
import { look, realPath } from "../discovery/look.ts";
import { contains } from "../discovery/paths.ts";
import type { FileRules } from "../governance/file-rules.ts";
import type { HostPlaces } from "../governance/host-state.ts";

/** One thing that a sandbox shows at a path. Where it shows something of the system, it is the same path there. */
export interface Mount {
  /** Absolute. */
  readonly path: string;
  /**
   * `read`, `write`: what lies there. `empty`: an empty directory of its own, which goes with the sandbox. `nothing`: a file
   * that holds nothing. `link`: a link to `target`. `proc`, `dev`: what systems have there.
   */
  readonly as: "read" | "write" | "empty" | "nothing" | "link" | "proc" | "dev";
  readonly target?: string;
}

/** Of the system's programs and libraries, and of its settings what programs cannot do without and is no secret. */
const SYSTEM = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/gnu/store",
  ...[
    "alternatives",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "fonts",
    "gai.conf",
    "host.conf",
    "hosts",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "magic",
    "mime.types",
    "networks",
    "nsswitch.conf",
    "pki/ca-trust",
    "pki/tls/certs",
    "protocols",
    "resolv.conf",
    "services",
    "ssl/cert.pem",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xattr.conf",
  ].map((name) => `/etc/${name}`),
] as const;

/** Directories of the sandbox's own. */
const OWN: readonly Mount[] = [
  { path: "/dev", as: "dev" },
  { path: "/proc", as: "proc" },
  ...["/run", "/tmp", "/var/tmp"].map((path): Mount => ({ path, as: "empty" })),
];

/** What of the system every sandbox shows, as it is now. */
export function systemMounts(): readonly Mount[] {
  return SYSTEM.flatMap((path): readonly Mount[] => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return [];
    // Of /etc a link leads to what is needed; of the top, to what is there anyway.
    if (found.isSymbolicLink() && !path.startsWith("/etc/")) return [{ path, as: "link", target: readlinkSync(path) }];
    return look(path) ? [{ path, as: "read" }] : [];
  });
}

/** What {@link planMounts} takes. */
export interface MountOptions {
  readonly system: readonly Mount[];
  /** Real path. */
  readonly workspace: string;
  /** Which files may be touched: the sandbox shows no more, and lets write no more. */
  readonly rules: FileRules;
  readonly places: HostPlaces;
  /** The home directory as programs are told it. */
  readonly home: string | undefined;
}

/**
 * What a sandbox shows: the system's programs, the workspace, the directories that risk profiles admit; nothing of what they
 * forbid, nothing of the home directory, and of what the host keeps for itself what files tools may read, to be read.
 *
 * @returns in an order in which each can be put over those before it
 */
export function planMounts({ system, workspace, rules, places, home }: MountOptions): readonly Mount[] {
  const mounts = new Map<string, Mount>();
  const set = (mount: Mount): void => void mounts.set(mount.path, mount);
  /** What lies there is seen through the sandbox. */
  const isSeen = (path: string): boolean => {
    const around = [...mounts.values()].filter((mount) => contains(mount.path, path));
    const nearest = around.sort((a, b) => b.path.length - a.path.length)[0];
    return nearest?.as === "read" || nearest?.as === "write";
  };
  const may = (path: string, use: "read" | "write"): boolean => rules.refusal(path, use, path) === undefined;
  const hide = (named: string): void => {
    const path = realPath(named) ?? named;
    const found = look(path);
    if (found && isSeen(path)) set({ path, as: found.isDirectory() ? "empty" : "nothing" });
  };
  /** A directory in which nothing may be made; what lies in it is as it may be used. @param depth so far below it the same holds */
  const keep = (directory: string, depth: (name: string) => number): void => {
    if (!isSeen(directory)) return;
    set({ path: directory, as: "read" });
    for (const name of namesIn(directory)) {
      const path = join(directory, name);
      const left = depth(name);
      if (!may(path, "read")) hide(path);
      else if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) continue;
      else if (left > 0) keep(path, () => left - 1);
      else if (may(path, "write")) set({ path, as: "write" });
    }
  };

  if (rules.isOpen) {
    // Of the system all is there, but for what is forbidden; what programs need of /etc may be.
    const needed = system.filter(({ path }) => path.startsWith("/etc/"));
    for (const mount of [{ path: "/", as: "write" } as const, ...OWN.filter(({ as }) => as !== "empty"), ...needed])
      set(mount);
  } else {
    for (const mount of [...OWN, ...system]) set(mount);
    if (home !== undefined && home !== "/" && !isSeen(home)) set({ path: home, as: "empty" });
  }
  for (const path of [...rules.roots, workspace]) {
    if (!look(path) || !may(path, "read")) continue;
    set({ path, as: may(path, "write") ? "write" : "read" });
    // What is the sandbox's own elsewhere is part of what is shown here.
    for (const own of ["/tmp", "/var/tmp", "/run", home]) {
      if (own !== undefined && own !== path && contains(path, own) && mounts.get(own)?.as === "empty")
        mounts.delete(own);
    }
  }
  // A project's settings and secrets lie one below it.
  const usr = join(places.root, "usr");
  keep(realPath(usr) ?? usr, (name) => (name === "projects" ? 2 : 0));
  if (look(places.audit) && isSeen(places.audit) && !may(places.audit, "write"))
    set({ path: places.audit, as: "read" });
  for (const path of [places.outside, places.configuration, ...rules.forbidden]) hide(path);
  return [...mounts.values()].sort((a, b) => compareText(a.path, b.path));
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).sort(compareText);
  } catch {
    return [];
  }
}
