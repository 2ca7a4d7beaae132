import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { CheckArea } from "../../core/dox/check.ts";
import { makeTree, writeTree } from "../helpers/tree.ts";
import { openHouse } from "../host/house.ts";

const CASES = fileURLToPath(new URL("../cases", import.meta.url));

/**
 * A folder of `tests/cases/` with a check: `tree/` is the root, the bundled content is the project's own. What is found
 * in it is listed to the last finding; behind the changes of `mended` nothing of it is found any more.
 */
interface Case {
  readonly title: string;
  /** The areas. */
  readonly check: readonly CheckArea[];
  readonly usr?: boolean;
  readonly profile?: string;
  /** In the order of the report, each with some of its fields; a text between slashes is a pattern. */
  readonly found: readonly Readonly<Record<string, unknown>>[];
  readonly mended?: readonly (
    | { readonly write: string; readonly text: string }
    | { readonly remove: string }
    /** `check --fix`. */
    | { readonly fix: true }
  )[];
}

const read = (name: string): Partial<Case> => parse(readFileSync(join(CASES, name, "case.yaml"), "utf8"));
const names = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, "case.yaml")) && read(name).check);

describe("check", () => {
  it.each(names.sort())("%s", async (name) => {
    const { title, check: areas, usr = false, profile, found, mended } = read(name) as Case;
    const root = makeTree({ "usr/plugins/.gitkeep": "" });
    cpSync(join(CASES, name, "tree"), root, { recursive: true });
    const options = { areas, usr, ...(profile ? { profile } : {}) };
    const { host, again } = await openHouse({}, { root });
    const { diagnostics } = await host.check(options);
    expect(diagnostics.map(shortly), title).toEqual(found.map(shortly));
    expect(diagnostics, title).toEqual(found.map((item) => expect.objectContaining(patterns(item))));
    if (!mended) return;
    for (const action of mended) {
      if ("fix" in action) await (await again()).check({ ...options, fix: true });
      else if ("remove" in action) rmSync(join(root, action.remove), { recursive: true });
      else writeTree(root, { [action.write]: action.text });
    }
    const after = await (await again()).check(options);
    expect(after.diagnostics.map(shortly), `${title}, mended`).toEqual([]);
  });
});

function shortly({ code, file, line }: { code?: unknown; file?: unknown; line?: unknown }): string {
  return [code, file, line].filter((part) => part !== undefined).join(" ");
}

function patterns(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      typeof value === "string" && /^\/.*\/$/su.test(value)
        ? expect.stringMatching(new RegExp(value.slice(1, -1), "u"))
        : value,
    ]),
  );
}
