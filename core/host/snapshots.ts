import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckedSnapshots } from "../dox/subject.ts";
import type { Model } from "../model/model.ts";
import type { HostOptions } from "./options.ts";

/** What is asked of a host for snapshots. */
interface SnapshotHost {
  items(kind: "profile", options: { readonly hidden: true }): readonly { readonly id: string }[];
  prompt(options: { readonly profile: string }): Promise<{ readonly text: string }>;
  close(): Promise<void>;
}

/** What {@link snapshotsOf} takes. */
export interface SnapshotParts {
  readonly root: string;
  readonly home: string;
  /** Where a root is made that holds nothing. */
  readonly cacheDir: string;
  /** The prompt of each profile that is looked at, without what differs from machine to machine. */
  own(): Promise<readonly { readonly profile: string; readonly text: string }[]>;
  open(options: HostOptions): Promise<SnapshotHost>;
}

/** The form of calls that snapshots show: it says the most. */
export const SNAPSHOT_PROTOCOL = "json";

/**
 * In the house of the bundled profiles each has a snapshot in `tests/prompts/snapshots/`, made in a root that holds
 * nothing: what somebody has in `usr/` is not in it. In a person's root they lie in `usr/snapshots/`.
 */
export function snapshotsOf({ root, home, cacheDir, own, open }: SnapshotParts): CheckedSnapshots {
  const required = root === home;
  return {
    directory: required ? "tests/prompts/snapshots" : "usr/snapshots",
    required,
    async prompts() {
      const made = required ? await bundled({ home, cacheDir, open }) : await own();
      return made.map(({ profile, text }) => ({ profile, text: `${text}\n` }));
    },
  };
}

async function bundled({
  home,
  cacheDir,
  open,
}: Pick<SnapshotParts, "home" | "cacheDir" | "open">): ReturnType<SnapshotParts["own"]> {
  const { root, remove } = emptyRoot(cacheDir);
  const host = await open({ root, home, workspace: root, env: {}, model: NOBODY });
  try {
    const found = [];
    for (const { id } of host.items("profile", { hidden: true })) {
      found.push({ profile: id, text: (await host.prompt({ profile: id })).text });
    }
    return found;
  } finally {
    await host.close();
    remove();
  }
}

/** It is kept, so that modules are compiled once; where nothing can be kept, it goes again. */
function emptyRoot(cacheDir: string): { readonly root: string; remove(): void } {
  const kept = join(cacheDir, "bundled");
  try {
    mkdirSync(join(kept, "usr"), { recursive: true });
    return { root: kept, remove: () => {} };
  } catch {
    const root = mkdtempSync(join(tmpdir(), "toolroom-bundled-"));
    mkdirSync(join(root, "usr"));
    return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
  }
}

/** Nobody is asked; it only says how calls would travel. */
const NOBODY: Model = {
  id: "snapshot",
  protocol: SNAPSHOT_PROTOCOL,
  async *stream() {
    yield* [];
  },
};
