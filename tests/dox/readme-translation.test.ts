import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { checkTranslation } from "../../core/dox/readme-translation.ts";
import { makeTree } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const CASES = fileURLToPath(new URL("../cases", import.meta.url));
const names = readdirSync(CASES).filter((name) => name.startsWith("readme-"));

/** `tree/` holds `README.md` and `README.de.md`. */
interface Case {
  readonly title: string;
  readonly found: readonly { readonly line?: number; readonly message: string }[];
}

it.each(names.sort())("%s", (name) => {
  const directory = join(CASES, name);
  const { title, found }: Case = parse(readFileSync(join(directory, "case.yaml"), "utf8"));
  const text = (file: string) => ({ file, text: readFileSync(join(directory, "tree", file), "utf8") });
  const told = checkTranslation({ readme: text("README.md"), translation: text("README.de.md") });
  expect(
    told.map(({ line, message }) => ({ ...(line === undefined ? {} : { line }), message })),
    title,
  ).toEqual(found.map((item) => ({ ...item, message: expect.stringContaining(item.message) })));
  for (const { code, file, severity } of told)
    expect([code, file, severity]).toEqual(["README_TRANSLATION", "README.de.md", "error"]);
});

it("is part of the check of the product's own tree, and of no other", async () => {
  const root = makeTree({ "usr/plugins/.gitkeep": "", "agents/default/agent.yaml": "title: x\n" });
  cpSync(join(CASES, "readme-headings/tree"), root, { recursive: true });
  const elsewhere = await openHouse({}, { root });
  expect((await elsewhere.host.check({ areas: ["locales"] })).diagnostics).toEqual([]);
  const own = await elsewhere.again({ home: root });
  const { diagnostics } = await own.check({ areas: ["locales"] });
  expect(diagnostics.map(({ code }) => code)).toContain("README_TRANSLATION");
});
