import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs once before all tests: those that start processes must meet a build of these sources. */
export default function build(): void {
  const setUp = fileURLToPath(new URL("../../scripts/setup.mjs", import.meta.url));
  execFileSync(process.execPath, [setUp], { stdio: "inherit" });
}
