#!/usr/bin/env node
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { formatDiagnostic } from "../core/diagnostics.ts";
import { checkDox, type DoxReport } from "../core/dox/dox.ts";
import { findRoot } from "../core/locations.ts";

const USAGE = `usage: verify-dox [--root DIR] [--json]

Checks that every tool module in <root>/tools/ has its document <file>.dox.md with all sections.
Exit codes: 0 all is well, 1 something was found, 2 wrong usage.
`;

process.exitCode = main(process.argv.slice(2));

function main(argv: readonly string[]): number {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: { root: { type: "string" }, json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
    });
    if (values.help) {
      process.stdout.write(USAGE);
      return 0;
    }
    return verify(findRoot(values.root, process.cwd()), values.json ?? false);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return 2;
  }
}

function verify(root: string, json: boolean): number {
  const report = checkDox({
    toolsDir: join(root, "tools"),
    display: (file) => relative(root, file).replaceAll("\\", "/"),
  });
  const errors = report.diagnostics.filter(({ severity }) => severity === "error").length;
  const summary = { errors, warnings: report.diagnostics.length - errors, checked: report.checked };
  process.stdout.write(
    json ? `${JSON.stringify({ diagnostics: report.diagnostics, summary })}\n` : inWords(report, errors),
  );
  return errors > 0 ? 1 : 0;
}

function inWords({ diagnostics, checked }: DoxReport, errors: number): string {
  const modules = `${checked} tool module${checked === 1 ? "" : "s"}`;
  const end =
    errors === 0 ? `${modules}, every one documented` : `${modules}, ${errors} error${errors === 1 ? "" : "s"}`;
  return `${[...diagnostics.map(formatDiagnostic), end].join("\n")}\n`;
}
