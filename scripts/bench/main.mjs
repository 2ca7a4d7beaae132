import { parseArgs } from "node:util";
import { openContext } from "./context.mjs";
import { measure } from "./measure.mjs";
import { ROWS } from "./rows.mjs";
import { formatTable } from "./table.mjs";

const USAGE = `npm run bench -- [--only PATTERN] [--smoke] [--check] [--json]

  --only PATTERN  the rows whose name matches this regular expression
  --smoke         every row once, on tiny trees: only to see that it runs
  --check         exit code 1 when a goal does not hold
  --json          print one JSON value, {rows: [...]}, and nothing else

A row that cannot be measured is told with its error, and the exit code is 1.`;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    smoke: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (options.help) {
  console.log(USAGE);
} else {
  const rows = await run();
  if (options.json) console.log(JSON.stringify({ rows }));
  else console.log(formatTable(rows));
  if (rows.some((row) => row.error !== undefined || (options.check && !row.holds))) process.exitCode = 1;
}

async function run() {
  const pattern = new RegExp(options.only, "i");
  const context = openContext({ smoke: options.smoke });
  const results = [];
  try {
    for (const row of ROWS) {
      for (const size of options.smoke ? (row.smokeSizes ?? [undefined]) : (row.sizes ?? [undefined])) {
        const name = size === undefined ? row.name : `${row.name}, ${size.toLocaleString("en")} ${row.of ?? "plugins"}`;
        if (!pattern.test(name)) continue;
        if (!options.json && process.stderr.isTTY) process.stderr.write(`${name} …\n`);
        results.push(await measureOrTell(row, { name, size, context }));
      }
    }
  } finally {
    context.close();
  }
  return results;
}

/** One row that fails keeps no other from being measured. */
async function measureOrTell(row, options) {
  try {
    return await measure(row, options);
  } catch (error) {
    return { name: options.name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
