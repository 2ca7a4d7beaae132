import type { SandboxesOptions, SandboxTest } from "./sandbox.ts";

/** The sandbox of a host. */
export interface Sandboxes {
  /** Tries it out, once. */
  test(): Promise<SandboxTest>;
}

export function createSandboxes(options: SandboxesOptions): Sandboxes {
  let tested: Promise<SandboxTest> | undefined;
  return {
    test() {
      // Most hosts run no program.
      tested ??= import("./sandbox-test.ts").then(({ tryOut }) => tryOut(options));
      return tested;
    },
  };
}
