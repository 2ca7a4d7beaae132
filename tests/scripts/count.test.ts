import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

const COUNT = fileURLToPath(new URL("../../.ci/count.mjs", import.meta.url));

function count(report: unknown, testsStatus: number, elsewhere: number) {
  const directory = mkdtempSync(join(tmpdir(), "toolroom-count-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const file = join(directory, "report.json");
  if (report !== undefined) writeFileSync(file, JSON.stringify(report));
  const { stdout, status } = spawnSync(process.execPath, [COUNT, file, String(testsStatus), String(elsewhere)], {
    encoding: "utf8",
  });
  return { stdout, status };
}

const file = (...statuses: readonly string[]) => ({
  status: statuses.includes("failed") ? "failed" : "passed",
  assertionResults: statuses.map((status) => ({ status })),
});

test.each([
  ["all passed", { testResults: [file("passed", "passed"), file("passed")] }, 0, 0, "3 passed, 0 failed", 0],
  ["some failed", { testResults: [file("passed", "failed"), file("failed")] }, 1, 0, "1 passed, 2 failed", 1],
  ["a check failed", { testResults: [file("passed")] }, 0, 2, "1 passed, 2 failed", 1],
  [
    "a file did not load",
    { testResults: [file("passed"), { status: "failed", assertionResults: [] }] },
    1,
    0,
    "1 passed, 1 failed",
    1,
  ],
  ["an error outside of any test", { testResults: [file("passed")] }, 1, 0, "1 passed, 1 failed", 1],
  ["no tests at all", { testResults: [] }, 0, 0, "0 passed, 1 failed", 1],
  ["no report", undefined, 1, 1, "0 passed, 2 failed", 1],
])("%s", (_, report, testsStatus, elsewhere, line, status) => {
  expect(count(report, testsStatus, elsewhere)).toEqual({ stdout: `${line}\n`, status });
});
