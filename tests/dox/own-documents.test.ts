import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHost } from "../../core/host.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));

const directories = (path: string) =>
  readdirSync(join(HOME, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();

const GENERATED = ["node_modules", "dist", "coverage"];

describe("the documents of this project", () => {
  test("are what its check asks for", async () => {
    const host = await createHost({ root: HOME });
    onTestFinished(async () => await host.close());
    expect((await host.check({ areas: ["dox"] })).diagnostics).toEqual([]);
  });

  test("begin with a page for each folder, so that the check looks at them", () => {
    const pages = ["", ...directories(".").filter((name) => !GENERATED.includes(name))];
    expect(pages.filter((name) => !existsSync(join(HOME, name, "AGENTS.md")))).toEqual([]);
    expect(readFileSync(join(HOME, "AGENTS.md"), "utf8")).toMatch(/^## Children$/m);
  });

  test("list each bundled tool with its home", () => {
    const homes = [
      "",
      ...directories("plugins").map((n) => `plugins/${n}/`),
      ...directories("agents").map((n) => `agents/${n}/`),
    ];
    const tools = homes
      .flatMap((home) => listTools(`${home}tools`).map((tool) => [tool, home === "" ? "tools/" : home.slice(0, -1)]))
      .filter(([tool, home], index, all) => all.findIndex(([other]) => other === tool) === index || home === "tools/");
    const text = readFileSync(join(HOME, "plugins/AGENTS.md"), "utf8");
    const rows = [...text.matchAll(/^\| `(\w+)` \| `([\w/]+)` \| \S/gm)].map((match) => [match[1], match[2]]);
    expect(rows.sort()).toEqual(tools.sort());
  });
});

function listTools(path: string): readonly string[] {
  if (!existsSync(join(HOME, path))) return [];
  return readdirSync(join(HOME, path))
    .filter((name) => /^[a-z]\w*\.ts$/.test(name))
    .map((name) => name.slice(0, -3))
    .sort();
}
