// Loads modules with the loader of the build. Arguments: a JSON file {core, sdk, files, root, cacheDir}.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { requireDefaults } from "./defaults.mjs";

const { core, sdk: sdkFile, files, root, cacheDir } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const sdk = await import(pathToFileURL(sdkFile).href);
const { openModuleLoader } = await import(pathToFileURL(`${core}/loading/module-loader.js`).href);
await import("jiti");

const start = performance.now();
const loader = openModuleLoader({
  sdk: async () => sdk,
  contentRoots: [root],
  cacheDir,
  deadlineMs: 600_000,
  display: (file) => file,
});
const outcomes = await Promise.all(files.map((file) => loader.import(file)));
const ms = performance.now() - start;

requireDefaults(outcomes.map((outcome) => outcome.exports ?? outcome.diagnostic));
await loader.close();
process.stdout.write(JSON.stringify({ ms }));
