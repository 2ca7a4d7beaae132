import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckedSnapshots } from "../dox/subject.ts";
import type { Model } from "../model/model.ts";
import type { HostOptions } from "./options.ts";

/** What is asked of a host for snapshots. */
interface SnapshotHost {
  items(
    kind: "profile",
    options: { readonly hidden: true },
  ): readonly { readonly id: string; readonly status?: "unloaded" }[];
  prompt(options: { readonly profile: string }): Promise<{ readonly text: string }>;
  close(): Promise<void>;
}

/** What {@link snapshotsOf} takes. */
export interface SnapshotParts {
  readonly root: string;
  readonly home: string;
  /** Where a root is made that holds nothing. */
  readonly cacheDir: string;
  /** Whether what lies in the root is used. */
  readonly trusted: boolean;
  /** Opens a host whose prompts name no secrets. */
  open(options: HostOptions): Promise<SnapshotHost>;
}

/**
 * In the house of the bundled profiles each has a snapshot in `tests/prompts/snapshots/`, made in a root that holds
 * nothing: what somebody has in `usr/` is not in it. In a person's root they lie in `usr/snapshots/`.
 *
 * What differs from machine to machine is in none: they are made by a host of their own, without environment and secrets.
 *
 * @param profile default: all, hidden ones too
 */
export function snapshotsOf(
  { root, home, cacheDir, trusted, open }: SnapshotParts,
  profile: string | undefined,
): CheckedSnapshots {
  const required = root === home;
  return {
    directory: required ? "tests/prompts/snapshots" : "usr/snapshots",
    required,
    async prompts() {
      const place = required ? emptyRoot(cacheDir) : { root, remove: () => {} };
      const trust = required || trusted;
      const host = await open({ root: place.root, home, workspace: place.root, env: {}, model: NOBODY, trust });
      try {
        const all = host.items("profile", { hidden: true }).filter(({ status }) => status === undefined);
        const ids = profile === undefined ? all.map(({ id }) => id) : [profile];
        const found = [];
        for (const id of ids) found.push({ profile: id, text: `${(await host.prompt({ profile: id })).text}\n` });
        return found;
      } finally {
        await host.close();
        place.remove();
      }
    },
  };
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

/** Nobody is asked; it only says how calls would travel: as JSON, of which a prompt says the most. */
const NOBODY: Model = {
  id: "snapshot",
  protocol: "json",
  async *stream() {
    yield* [];
  },
};
