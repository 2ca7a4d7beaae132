import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { DIAGNOSTIC_CODES } from "../../core/diagnostics.ts";
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
  /** The root is the product itself: its content is the bundled one. */
  readonly home?: boolean;
  /** The root is a git repository; what lies in `before/` is its one commit, over which `tree/` was laid. */
  readonly since?: string;
  /** A baseline in the tree. */
  readonly baseline?: string;
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

/** Codes of the check that no tree can show, and what shows them instead. */
const WITHOUT_TREE: Readonly<Record<string, string>> = {
  TOOL_PUBLISHED_NAME: "dox/schemas.test.ts: the names of files always fit",
  PROMPT_SNAPSHOT_MISSING: "dox/snapshots.test.ts: the product's own prompts",
  LOAD_UNREADABLE: "loading/load-errors.test.ts: modes of files are not in a tree",
  PLUGIN_NAME_INVALID: "discovery/plugins.test.ts: a plugin of an installed package",
  TOOL_UNMET: "discovery/explain.test.ts: no fault, and told by explain",
  TOOL_HOOK_FAILED: "dispatch/dispatch.test.ts: of a call",
  RISK_PROFILE_NAME_UNKNOWN: "cli/policy.test.ts: told by policy show",
  BASELINE_INVALID: "dox/baseline.test.ts: the check does not run",
  LOCALE_INVALID: "cli/locales.test.ts: a word of the command line",
  PROFILE_UNKNOWN: "discovery/plugins.test.ts: a word of the command line",
  PROFILE_DISABLED: "discovery/plugins.test.ts: a word of the command line",
};
const GROUPS =
  /^(?:AGENTS|ALIAS|BASELINE|COLLISION|CONTRACT|DOX|FM|FRAGMENT|INCLUDE|LOAD|LOCALE|MANIFEST|PLUGIN|PROFILE|PROMPT|README|RISK_PROFILE|SCHEMA|SETTINGS|SKILL|TEMPLATE|TOGGLE|TOOL)_/u;

it("each code of the check has a tree that shows it", () => {
  const shown = readdirSync(CASES)
    .map((name) => join(CASES, name, "case.yaml"))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const codes = Object.keys(DIAGNOSTIC_CODES).filter((code) => GROUPS.test(code) && !(code in WITHOUT_TREE));
  expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`, "u").test(shown))).toEqual([]);
});

describe("check", () => {
  it.each(names.sort())("%s", async (name) => {
    const { title, check: areas, home, found, mended, ...given } = read(name) as Case;
    const { usr = false, profile, since, baseline } = given;
    const root = makeTree({ "usr/plugins/.gitkeep": "" });
    if (since !== undefined) commit(root, join(CASES, name, "before"));
    cpSync(join(CASES, name, "tree"), root, { recursive: true });
    const options = {
      ...{ areas, usr },
      ...(profile ? { profile } : {}),
      ...(since ? { since } : {}),
      ...(baseline ? { baseline } : {}),
    };
    const { host, again } = await openHouse({}, { root, ...(home ? { home: root } : {}) });
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

function commit(root: string, before: string): void {
  cpSync(before, root, { recursive: true });
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  for (const words of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "before"],
  ]) {
    const { status, stderr } = spawnSync("git", [...identity, ...words], { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  }
}

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
