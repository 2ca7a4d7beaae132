import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const HOME = fileURLToPath(new URL("../..", import.meta.url));
const CASES = join(HOME, "tests/cases");

/** Runs the script as a process of its own, from its source. */
function verify(args: readonly string[], cwd = HOME) {
  const cli = join(HOME, "node_modules/jiti/lib/jiti-cli.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, join(HOME, "scripts/verify-dox.ts"), ...args], {
    cwd,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

describe("verify-dox", () => {
  test("our own tools are documented", () => {
    expect(verify([])).toEqual({ status: 0, stdout: "4 tool modules, every one documented\n", stderr: "" });
  });

  test("lists every finding with the file to edit, and fails", () => {
    const { status, stdout } = verify(["--root", join(CASES, "dox-everything/tree")]);
    expect(status).toBe(1);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(12);
    expect(lines[0]).toMatch(
      /^tools\/a\.ts\.dox\.md error DOX_MISSING expected a document for tools\/a\.ts, found none/,
    );
    expect(lines.at(-1)).toBe("3 tool modules, 11 errors");
  });

  test("--json is one value and nothing else", () => {
    const { status, stdout, stderr } = verify(["--json", "--root", join(CASES, "dox-missing/tree")]);
    expect(status).toBe(1);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      diagnostics: [{ severity: "error", code: "DOX_MISSING", file: "tools/wait.ts.dox.md" }],
      summary: { errors: 1, warnings: 0, checked: 1 },
    });
  });

  test.each([[["--frobnicate"]], [["extra"]], [["--root"]], [["--root", "/no/such/directory"]]])(
    "%j is wrong usage",
    (args) => {
      const { status, stdout, stderr } = verify(args);
      expect(status).toBe(2);
      expect(stdout).toBe("");
      expect(stderr).toContain("usage: verify-dox");
    },
  );
});
