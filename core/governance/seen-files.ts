import { createHash } from "node:crypto";

/** Which version of a file somebody knows. */
export interface SeenVersion {
  /** In bytes. */
  readonly size: number;
  readonly sha256: string;
}

/**
 * The versions of files that one agent has read or written, so that it overwrites nothing that it does not know of. They
 * are kept in memory: of a conversation that goes on in another process, nothing counts as seen until it is read again.
 */
export interface SeenFiles {
  /** @param real a real path */
  of(real: string): SeenVersion | undefined;
  note(real: string, content: string | Uint8Array): void;
}

/** So many files are remembered, the ones seen last. */
const MAX_FILES = 10_000;

export function createSeenFiles(): SeenFiles {
  const versions = new Map<string, SeenVersion>();
  return {
    of: (real) => versions.get(real),
    note(real, content) {
      versions.delete(real);
      versions.set(real, versionOf(content));
      if (versions.size <= MAX_FILES) return;
      for (const oldest of versions.keys()) {
        versions.delete(oldest);
        break;
      }
    },
  };
}

/** Whether a content is that version. */
export function isVersion(content: Uint8Array, { size, sha256 }: SeenVersion): boolean {
  return content.length === size && versionOf(content).sha256 === sha256;
}

function versionOf(content: string | Uint8Array): SeenVersion {
  const size = typeof content === "string" ? Buffer.byteLength(content) : content.length;
  return { size, sha256: createHash("sha256").update(content).digest("base64") };
}
