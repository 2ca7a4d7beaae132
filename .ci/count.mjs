// node count.mjs <vitest's JSON report> <exit code of the tests> <failures elsewhere>
// Prints `N passed, N failed`; exit code 1 when anything failed.
import { readFileSync } from "node:fs";

const [reportFile, testsStatus, elsewhere] = process.argv.slice(2);

const { passed, failed } = countTests(readReport(reportFile));
// A crash of the runner, or an error outside of any test, fails the run and no test.
const unexplained = Number(testsStatus) !== 0 && failed === 0 ? 1 : 0;
const failures = failed + unexplained + Number(elsewhere);
console.log(`${passed} passed, ${failures} failed`);
process.exitCode = failures === 0 ? 0 : 1;

function countTests(report) {
  const files = report?.testResults ?? [];
  const tests = files.flatMap((file) => file.assertionResults);
  const of = (status) => tests.filter((test) => test.status === status).length;
  // A file that could not be loaded has no tests that could fail.
  const broken = files.filter((file) => file.status === "failed" && !file.assertionResults.some(isFailed)).length;
  // No tests at all is no success.
  return { passed: of("passed"), failed: of("failed") + broken + (tests.length === 0 ? 1 : 0) };
}

function isFailed(test) {
  return test.status === "failed";
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    console.error(`no report of the tests: ${error.message}`);
    return undefined;
  }
}
