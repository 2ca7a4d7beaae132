import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Tree } from "../helpers/tree.ts";
import { bothWays, FORMATS } from "./both-ways.ts";

const REPOSITORY: Tree = {
  "usr/settings.yaml": "risk_profiles: { default: { block_high_risk: false } }\n",
  "package.json": '{ "name": "shop", "type": "module", "scripts": { "test": "node test/price.mjs" } }\n',
  "src/price.mjs":
    "/** In cents. */\nexport function total(prices) {\n  return prices.reduce((sum, price) => sum - price, 0);\n}\n",
  "src/shop.mjs": 'import { total } from "./price.mjs";\nexport const show = (prices) => total(prices) + " cents";\n',
  "test/price.mjs": `import { total } from "../src/price.mjs";
const found = total([120, 30]);
console.log(found === 150 ? "1 passed" : "1 failed: expected 150, found " + found);
process.exitCode = found === 150 ? 0 : 1;
`,
};

const WORK = [
  { name: "content_search", args: { pattern: "\\btotal\\(", include: "*.mjs" } },
  { name: "glob_search", args: { pattern: "test/**" } },
  { name: "shell", args: { command: "node test/price.mjs" } },
  { name: "file_read", args: { path: "src/price.mjs" } },
  { name: "file_edit", args: { path: "src/price.mjs", old_string: "sum - price", new_string: "sum + price" } },
  { name: "shell", args: { command: "node test/price.mjs" } },
] as const;

it.each(FORMATS)(
  "an agent finds, mends and tests in a repository, and does so again from a cassette (%s)",
  async (format) => {
    const asked: string[] = [];
    const roots: string[] = [];
    const approver = ({ tool }: { tool: string }) => {
      asked.push(tool);
      return { decision: "approve" } as const;
    };
    const script = [...WORK.map((call) => ({ calls: [call] })), { text: "A minus was a plus. The test passes." }];
    const { events, outcome } = await bothWays(
      { format, files: REPOSITORY, script, inRoot: true, loose: true, approver },
      (host, { root }) => {
        roots.push(root);
        return host.run("The total is wrong. Mend it.");
      },
    );

    expect(outcome).toMatchObject({ answer: "A minus was a plus. The test passes." });
    const results = events.flatMap((event) => (event.type === "tool_end" ? event.result : []));
    const [found, tests, before, read, edited, after] = results;
    expect(found).toMatchObject({ status: "success", message: expect.stringContaining("src/shop.mjs") });
    expect(tests).toMatchObject({ status: "success", message: expect.stringContaining("test/price.mjs") });
    expect(before).toMatchObject({
      status: "partial",
      message: expect.stringContaining("found -150"),
      data: { exitCode: 1 },
    });
    expect(read?.message).toContain("3:   return prices.reduce((sum, price) => sum - price, 0);");
    expect(edited?.status).toBe("success");
    expect(after).toMatchObject({
      status: "success",
      message: expect.stringContaining("1 passed"),
      data: { exitCode: 0 },
    });
    // Who looks asks nobody; who changes or runs something asks each time, in both runs.
    expect(asked).toEqual([...Array(2)].flatMap(() => ["shell", "file_edit", "shell"]));
    expect(roots).toHaveLength(2);
    for (const root of roots) expect(readFileSync(join(root, "src/price.mjs"), "utf8")).toContain("sum + price");
  },
);
