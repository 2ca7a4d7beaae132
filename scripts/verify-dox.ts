#!/usr/bin/env node
// The check of documents under a name of its own, for whoever puts that check alone into their CI.
import { runAndExit } from "../core/cli/command-line.ts";

await runAndExit(["check", "dox", ...process.argv.slice(2)]);
