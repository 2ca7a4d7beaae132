import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { explain } from "../../core/discovery/explain.ts";
import { addFiles, open, useTrees } from "./trees.ts";

const CASES = fileURLToPath(new URL("../cases", import.meta.url));

/** A folder of `tests/cases/` with steps: `tree/` is the root, `home/` the home where there is one. */
interface Case {
  readonly title: string;
  readonly profile?: string;
  readonly project?: string | null;
  readonly steps: readonly Step[];
}

/** What is done, and what must be so then. `$HOME` stands for the home in paths. */
interface Step {
  readonly title?: string;
  readonly do?: readonly ({ readonly write: string; readonly text?: string } | { readonly remove: string })[];
  readonly profile?: string;
  readonly project?: string | null;
  /** Of a tool, the file that serves, or null. */
  readonly winners?: Readonly<Record<string, string | null>>;
  /** Of a tool, every candidate with its state, highest first. */
  readonly explain?: Readonly<Record<string, readonly string[]>>;
  /** Of a tool, what the reason of its highest candidate names. */
  readonly reasons?: Readonly<Record<string, string>>;
  /** All that is found, in any order; a list of messages names texts that must occur. Default: nothing. */
  readonly diagnostics?: readonly (Partial<Omit<Diagnostic, "message">> & { readonly message?: readonly string[] })[];
}

const tree = useTrees();
const read = (name: string): Partial<Case> => parse(readFileSync(join(CASES, name, "case.yaml"), "utf8"));
const names = readdirSync(CASES).filter((name) => existsSync(join(CASES, name, "case.yaml")) && read(name).steps);

describe.each(names.sort())("%s", (name) => {
  const { title, steps, ...defaults } = read(name) as Case;
  const top = tree();
  const root = join(top, "root");
  cpSync(join(CASES, name, "tree"), root, { recursive: true });
  const bundled = join(CASES, name, "home");
  const home = existsSync(bundled) ? join(top, "home") : root;
  if (home !== root) cpSync(bundled, home, { recursive: true });
  const place = (path: string) => path.replace("$HOME", home);

  it.each(steps.map((step, at) => [step.title ?? `step ${at + 1}: ${title}`, step] as const))("%s", (_, step) => {
    for (const action of step.do ?? []) {
      if ("remove" in action) rmSync(join(root, action.remove), { recursive: true });
      else addFiles(root, { [action.write]: action.text ?? "" });
    }
    const { profile = "default", project } = { ...defaults, ...step };
    const view = open(root, { home }).view(profile, project ?? undefined);
    for (const [id, winner] of Object.entries(step.winners ?? {})) {
      expect(explain(view, { id }).winner, id).toBe(winner === null ? null : place(winner));
    }
    for (const [id, expected] of Object.entries(step.explain ?? {})) {
      const { candidates } = explain(view, { id });
      expect(
        candidates.map(({ file, state }) => `${file} ${state}`),
        id,
      ).toEqual(expected.map(place));
    }
    for (const [id, reason] of Object.entries(step.reasons ?? {})) {
      expect(explain(view, { id }).candidates[0]?.reason, id).toContain(reason);
    }
    const expected = (step.diagnostics ?? []).map(({ message = [], ...rest }) => ({
      ...rest,
      message: expect.stringMatching(
        new RegExp(message.map((text) => `(?=[^]*${text.replaceAll(".", "\\.")})`).join(""), "u"),
      ),
    }));
    expect(view.diagnostics).toHaveLength(expected.length);
    expect(view.diagnostics).toEqual(expect.arrayContaining(expected.map((one) => expect.objectContaining(one))));
  });
});
