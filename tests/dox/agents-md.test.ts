import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parseSections } from "../../core/dox/sections.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const SECTIONS = ["Purpose", "Ownership", "Local contracts", "Verification", "Children"];

const directories = (path: string) =>
  readdirSync(join(HOME, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => entry.name)
    .sort();

const GENERATED = ["node_modules", "dist", "coverage"];
const TOP = directories(".").filter((name) => !GENERATED.includes(name));
const PAGES = [
  "AGENTS.md",
  ...TOP.map((name) => `${name}/AGENTS.md`),
  ...directories("plugins").map((name) => `plugins/${name}/AGENTS.md`),
  "agents/_example/AGENTS.md",
];

/** The pages that the section Children of a page links to, relative to the project. */
function children(page: string): readonly string[] {
  const text = readFileSync(join(HOME, page), "utf8").split(/^## Children$/m)[1] ?? "";
  return [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => relative(HOME, join(HOME, dirname(page), match[1] ?? "")));
}

describe("AGENTS.md", () => {
  test.each(PAGES)("%s exists and has its sections in order", (page) => {
    const sections = parseSections(readFileSync(join(HOME, page), "utf8"));
    expect(sections.map(({ title }) => title)).toEqual(SECTIONS);
    expect(sections.filter(({ empty }) => empty)).toEqual([]);
  });

  test("no link of a page is dead", () => {
    const dead = PAGES.flatMap((page) =>
      [...readFileSync(join(HOME, page), "utf8").matchAll(/\]\((?!https?:)([^)#]+)\)/g)]
        .map((match) => match[1] ?? "")
        .filter((link) => !existsSync(join(HOME, dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test("every page is a child of the one above it, and no other", () => {
    expect([...children("AGENTS.md")].sort()).toEqual(TOP.map((name) => `${name}/AGENTS.md`));
    expect(children("plugins/AGENTS.md")).toEqual(directories("plugins").map((name) => `plugins/${name}/AGENTS.md`));
    expect(children("agents/AGENTS.md")).toEqual(["agents/_example/AGENTS.md"]);
  });

  test("the inventory lists each bundled tool with its home", () => {
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
