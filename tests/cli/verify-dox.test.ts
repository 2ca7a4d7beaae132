import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeTree } from "../helpers/tree.ts";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const CASES = join(HOME, "tests/cases");

/** Runs the program as a process of its own. */
function verify(args: readonly string[], cwd = HOME) {
  const program = join(HOME, "dist/bundle/verify-dox.js");
  const state = makeTree({});
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, XDG_STATE_HOME: state },
  });
  return { status, stdout, stderr };
}

describe("verify-dox", () => {
  test("our own tools are documented", () => {
    expect(verify([])).toEqual({ status: 0, stdout: "dox: 0 errors, 0 warnings.\n", stderr: "" });
  });

  test("lists every finding with the file to edit, and fails", () => {
    const { status, stdout } = verify(["--root", join(CASES, "dox-everything/tree")]);
    expect(status).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(
      /^tools\/a\.ts\.dox\.md error DOX_MISSING expected a document for tools\/a\.ts, found none/,
    );
    expect(lines.at(-1)).toBe("dox: 11 errors, 0 warnings.");
  });

  test("--json is one value and nothing else", () => {
    const { status, stdout, stderr } = verify(["--json", "--root", join(CASES, "dox-missing/tree")]);
    expect(status).toBe(1);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      diagnostics: [{ severity: "error", code: "DOX_MISSING", file: "tools/wait.ts.dox.md" }],
      summary: { errors: 1, warnings: 0 },
    });
  });

  test.each([[["--frobnicate"]], [["extra"]], [["--format", "xml"]], [["--root"]], [["--root", "/no/such/directory"]]])(
    "%j is wrong usage",
    (args) => {
      const { status, stdout, stderr } = verify(args);
      expect(status).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toMatch(/^toolroom: /);
    },
  );
});
