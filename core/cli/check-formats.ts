import { DIAGNOSTIC_CODES, type Diagnostic, formatDiagnostic, type Severity } from "../diagnostics.ts";
import type { CheckReport } from "../host/checking.ts";

/** In which forms `check` can tell what it found, besides `--json`. */
export const CHECK_FORMATS = ["text", "github", "sarif"] as const;

/** A name of {@link CHECK_FORMATS}. */
export type CheckFormat = (typeof CHECK_FORMATS)[number];

/**
 * A report as text.
 *
 * - `text`: a line for each finding, `file:line:column severity CODE message. hint`, and a line with the sums
 * - `github`: workflow commands, which GitHub shows as annotations at the lines of a change
 * - `sarif`: one SARIF 2.1.0 log as JSON, which code scanning services take
 *
 * @param options.areas the areas that were looked at, named in the line with the sums
 */
export function formatReport(
  report: CheckReport,
  { format, areas }: { readonly format: CheckFormat; readonly areas: readonly string[] },
): string {
  if (format === "sarif") return JSON.stringify(sarifLog(report.diagnostics), null, 2);
  const show = format === "github" ? githubCommand : formatDiagnostic;
  const { errors, warnings } = report.summary;
  const sums = `${areas.join(", ")}: ${amount(errors, "error")}, ${amount(warnings, "warning")}.`;
  return [...report.diagnostics.map(show), sums].join("\n");
}

const GITHUB_LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

/** `::error file=…,line=…,col=…,title=CODE::text`, with what the form itself uses escaped. */
function githubCommand({ severity, code, file, line, column, message, hint }: Diagnostic): string {
  const fields = { file, line: file && line, col: file && line && column, title: code };
  const shown = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`],
  );
  const text = hint === undefined ? message : `${message}\n${hint}`;
  return `::${GITHUB_LEVELS[severity]} ${shown.join(",")}::${escapeData(text)}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

const SARIF_LEVELS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "note" };

function sarifLog(diagnostics: readonly Diagnostic[]): unknown {
  const codes = [...new Set(diagnostics.map(({ code }) => code))].sort();
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "toolroom",
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: DIAGNOSTIC_CODES[code].meaning },
              defaultConfiguration: { level: SARIF_LEVELS[DIAGNOSTIC_CODES[code].severity] },
            })),
          },
        },
        results: diagnostics.map(({ severity, code, file, line, column, message, hint }) => ({
          ruleId: code,
          ruleIndex: codes.indexOf(code),
          level: SARIF_LEVELS[severity],
          message: { text: hint === undefined ? message : `${message}. ${hint}` },
          locations: file === undefined ? [] : [{ physicalLocation: physicalLocation(file, { line, column }) }],
        })),
      },
    ],
  };
}

function physicalLocation(
  file: string,
  { line, column }: { readonly line: number | undefined; readonly column: number | undefined },
): unknown {
  const uri = file.split("/").map(encodeURIComponent).join("/");
  const artifactLocation = file.startsWith("/") ? { uri: `file://${uri}` } : { uri, uriBaseId: "%SRCROOT%" };
  if (line === undefined) return { artifactLocation };
  return { artifactLocation, region: { startLine: line, ...(column === undefined ? {} : { startColumn: column }) } };
}

function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
