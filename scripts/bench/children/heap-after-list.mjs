// Lists the tools of a root and prints the heap (MB) that is in use then. Arguments: the built core, the root.
import { pathToFileURL } from "node:url";

const [core, root] = process.argv.slice(2);
const { createHost } = await import(pathToFileURL(`${core}/host.js`).href);
const host = await createHost({ root, workspace: root, trust: true });
const { tools } = await host.list();
for (let round = 0; round < 3; round++) globalThis.gc();
const megabytes = process.memoryUsage().heapUsed / 1e6;
await host.close();
process.stdout.write(JSON.stringify({ megabytes, tools: tools.length }));
