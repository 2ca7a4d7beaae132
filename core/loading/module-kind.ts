import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * How a content file is evaluated: `module` (TypeScript and ES modules; `require`, `module` and `exports` are
 * there too), `commonjs` (as it stands), `json`, or `native` (anything else: Node decides).
 */
export type ModuleKind = "module" | "commonjs" | "json" | "native";

/** The kind of `file`. `.js` goes by the nearest `package.json`, and where that says nothing by what it is written in. */
export function moduleKind(file: string, source: () => string): ModuleKind {
  switch (path.extname(file)) {
    case ".ts":
    case ".mts":
    case ".cts":
    case ".tsx":
    case ".mjs":
      return "module";
    case ".cjs":
      return "commonjs";
    case ".json":
      return "json";
    case ".js":
    case ".jsx":
      return packageType(path.dirname(file)) === "module" || looksLikeModule(source()) ? "module" : "commonjs";
    default:
      return "native";
  }
}

/** `type` of the nearest `package.json`. Read each time: it is content and may have changed. */
function packageType(directory: string): unknown {
  for (let at = directory; ; at = path.dirname(at)) {
    try {
      return (JSON.parse(readFileSync(path.join(at, "package.json"), "utf8")) as { type?: unknown } | null)?.type;
    } catch (error) {
      // One that does not parse decides as one without `type`; a missing one leaves it to the parent.
      if (error instanceof SyntaxError) return undefined;
    }
    if (path.dirname(at) === at) return undefined;
  }
}

function looksLikeModule(source: string): boolean {
  return /^\s*(?:import(?:\s+[\w$]|\s*[*{"'])|export\s*(?:[*{]|(?:default|const|let|var|class|function|async)\b))|\bimport\.meta\b/m.test(
    source,
  );
}
