#!/usr/bin/env node
// Installs and builds what is not fresh. Runs before `npm start`, `npm test`, `npm run check` and `npm run bench`.
//
// Nothing but Node's own modules may be imported below: it runs before there is a `node_modules`. And nothing may be
// loaded, hashed or parsed that the usual case, in which all is fresh, does not need: it must take no time.
import { isBuilt, isInstalled } from "./setup/fresh.mjs";

try {
  if (!(await isInstalled()) || !(await isBuilt())) {
    const { setUp } = await import("./setup/work.mjs");
    await setUp();
  }
} catch (error) {
  process.stderr.write(`set-up: ${error.output === undefined ? error.stack : `${error.output}${error.message}`}\n`);
  process.exitCode = 1;
}
