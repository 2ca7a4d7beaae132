import { existsSync } from "node:fs";
import { createMasker } from "../governance/mask.ts";
import { BUBBLEWRAP, bubblewrapCall, findBubblewrap } from "./bubblewrap.ts";
import { startChild } from "./child.ts";
import { type Mount, systemMounts } from "./mounts.ts";
import type { SandboxesOptions, SandboxTest } from "./sandbox.ts";

const TEST_MS = 5_000;
const WELL = "contained";

/**
 * Whether it runs a program of the system, has a `/dev/null`, hides what it is not to show, and keeps from the network and
 * from other processes. A sandbox that is there and does none of it would be worse than none.
 */
export async function tryOut({ path, canary }: SandboxesOptions): Promise<SandboxTest> {
  const program = findBubblewrap(path);
  if (program === undefined) return { why: `there is no ${BUBBLEWRAP} in PATH` };
  if (!existsSync(canary)) return { why: `there is nothing at ${canary} to test it with` };
  const system = systemMounts();
  const mounts: readonly Mount[] = [{ path: "/dev", as: "dev" }, { path: "/proc", as: "proc" }, ...system];
  const script = [
    "echo x >/dev/null || { echo no /dev/null; exit 1; }",
    '[ ! -e "$1" ] || { echo the whole file system is seen; exit 1; }',
    "[ $$ -lt 100 ] || { echo other processes are seen; exit 1; }",
    '[ "$(grep -c : /proc/net/dev)" = 1 ] || { echo the network is reached; exit 1; }',
    `echo ${WELL}`,
  ].join("\n");
  const { args, data } = bubblewrapCall({
    argv: ["/bin/sh", "-c", script, "sh", canary],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
    mounts,
    network: false,
    descriptor: 3,
  });
  const child = startChild({
    ...{ file: program, args, data, cwd: "/", env: {}, holder: BUBBLEWRAP },
    masker: createMasker([]),
    overflow: () => undefined,
  });
  const timer = setTimeout(child.end, TEST_MS);
  const { failure } = await child.ended;
  clearTimeout(timer);
  const said = child.stdout.take().text.trim();
  if (said === WELL) return { sandbox: { program, system } };
  const complaint =
    failure?.message ?? (`${said}\n${child.stderr.take().text}`.trim().split("\n")[0] || "it did not end");
  return { why: `${BUBBLEWRAP} does not work here: ${complaint}` };
}
