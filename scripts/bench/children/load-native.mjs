// Imports built modules one after the other. Arguments: a JSON file {sdk, files}.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { requireDefaults } from "./defaults.mjs";

const { sdk, files } = JSON.parse(readFileSync(process.argv[2], "utf8"));
await import(pathToFileURL(sdk).href);

const start = performance.now();
const loaded = [];
for (const file of files) loaded.push(await import(pathToFileURL(file).href));
const ms = performance.now() - start;

requireDefaults(loaded);
process.stdout.write(JSON.stringify({ ms }));
