#!/usr/bin/env node
// The entry imports nothing that a command does not need: `--version` has to cost no more than Node itself.
import { readFileSync, writeSync } from "node:fs";

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-v") {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  try {
    // The stream `process.stdout` would take longer to open than all the rest.
    writeSync(1, `${manifest.version}\n`);
  } catch (error) {
    // A reader that went away wants no answer.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
} else {
  const { runAndExit } = await import("./command-line.ts");
  await runAndExit(process.argv.slice(2));
}
