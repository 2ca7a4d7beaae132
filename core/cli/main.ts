#!/usr/bin/env node
// The entry imports nothing that a command does not need: `--version` has to cost no more than Node itself.
import { readFileSync } from "node:fs";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-v") {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${manifest.version}\n`);
} else {
  const { main } = await import("./command-line.ts");
  process.exitCode = await main(process.argv.slice(2), process);
}
