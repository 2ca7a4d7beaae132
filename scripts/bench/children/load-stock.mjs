// Loads modules with jiti as it comes, without its caches. Arguments: a JSON file {sdk, files, root}.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { createJiti } from "jiti";
import { requireDefaults } from "./defaults.mjs";

const { sdk: sdkFile, files, root } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const sdk = await import(pathToFileURL(sdkFile).href);

const start = performance.now();
const jiti = createJiti(`${root}/`, { moduleCache: false, fsCache: false, virtualModules: { toolroom: sdk } });
const loaded = [];
for (const file of files) loaded.push(await jiti.import(file));
const ms = performance.now() - start;

requireDefaults(loaded);
process.stdout.write(JSON.stringify({ ms }));
