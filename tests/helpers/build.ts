import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs once before all tests: those that start processes must meet a build of these sources. */
export default function build(): void {
  const setUp = fileURLToPath(new URL("../../scripts/setup.mjs", import.meta.url));
  const { status } = spawnSync(process.execPath, [setUp], { stdio: "inherit" });
  // The compiler has said why. Tests of single modules are useful all the same.
  if (status !== 0) process.stderr.write("Tests that start processes meet the last build that there was.\n");
}
