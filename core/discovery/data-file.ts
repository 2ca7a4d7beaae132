import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostics.ts";
import { frozenJson } from "../sdk/json.ts";
import { parseYaml, type YamlDocument } from "./yaml.ts";

/**
 * Parses a `.yaml` or a `.json` file of settings. JSON is read strictly, and without loading the YAML parser
 * unless a position in it is asked for.
 */
export function parseDataFile(
  text: string,
  { file, invalid }: { readonly file: string; readonly invalid: DiagnosticCode },
): YamlDocument | Diagnostic {
  const parsed = file.endsWith(".json") ? parseJson(text) : parseYaml(text);
  if (!("error" in parsed)) return parsed;
  const { message, line, column } = parsed.error;
  const what = file.endsWith(".json") ? "JSON" : "YAML";
  return diagnostic(invalid, { file, line, column, message: `expected ${what}: ${message}` });
}

/** Whether {@link parseDataFile} gave a document. */
export function isDocument(outcome: YamlDocument | Diagnostic): outcome is YamlDocument {
  return "position" in outcome;
}

function parseJson(text: string): ReturnType<typeof parseYaml> {
  let value: unknown;
  try {
    value = text.trim() === "" ? null : JSON.parse(text);
  } catch (error) {
    // The YAML parser reads JSON too and knows lines; where it is content, only JSON.parse's own words are left.
    const second = parseYaml(text);
    if ("error" in second) return second;
    return { error: { message: (error as Error).message, line: 1, column: 1 } };
  }
  const json = frozenJson(value);
  if ("fault" in json)
    return { error: { message: `found ${json.fault.found} at ${json.fault.path}`, line: 1, column: 1 } };
  const positioned = () => {
    const document = parseYaml(text);
    return "error" in document ? undefined : document;
  };
  return {
    value: json.value,
    position: (path) => positioned()?.position(path) ?? { line: 1, column: 1 },
    source: (path) => positioned()?.source(path),
  };
}
