import type { Mount } from "./mounts.ts";

/** A sandbox that was tried out. */
export interface Sandbox {
  /** The program, absolute. */
  readonly program: string;
  /** What of the system it shows. */
  readonly system: readonly Mount[];
}

/** What came of trying it out. */
export type SandboxTest = { readonly sandbox: Sandbox } | { readonly why: string };

/** What a sandbox is tried out with. */
export interface SandboxesOptions {
  /** The host's `PATH`. */
  readonly path: string;
  /** A file that a sandbox has to hide: absolute, and there. */
  readonly canary: string;
}
