import { readFileSync } from "node:fs";
import { diagnostic } from "../diagnostics.ts";
import { LoadError } from "./load-error.ts";
import { positionOfImport } from "./positions.ts";
import type { SyntaxFault } from "./transform.ts";

/** How a file is shown in messages. */
export type Display = (file: string) => string;

/** A file that should hold a module could not be read. `cause` is what the file system said. */
export function unreadable(file: string, cause: unknown, display: Display): LoadError {
  const code = (cause as { code?: unknown } | undefined)?.code;
  const found =
    cause === undefined
      ? "no regular file"
      : code === "ENOENT"
        ? "nothing"
        : cause instanceof Error
          ? cause.message
          : String(cause);
  return new LoadError(
    diagnostic("LOAD_UNREADABLE", {
      file: display(file),
      message: `expected a readable file, found ${found}`,
      hint: code === "EACCES" ? "Give the host permission to read it." : "Put the file there, or remove what names it.",
    }),
  );
}

/** The author's source does not parse. */
export function syntaxError(file: string, fault: SyntaxFault, display: Display): LoadError {
  const hint = /await is only valid/.test(fault.message)
    ? "A module with a top-level await cannot be required: import it."
    : /decorators/.test(fault.message) && !/\.[cm]?tsx?$/.test(file)
      ? "Decorators work in .ts files."
      : "Mend the line; the file is loaded again at the next call.";
  return new LoadError(
    diagnostic("LOAD_SYNTAX", {
      file: display(file),
      ...(fault.line === undefined ? {} : { line: fault.line }),
      ...(fault.column === undefined ? {} : { column: fault.column }),
      message: `does not parse: ${fault.message}`,
      hint,
    }),
  );
}

/** An import leads nowhere. `code` is what Node would give it. */
export function unresolved(
  importer: string,
  { specifier, code, display }: { specifier: string; code: string; display: Display },
): LoadError {
  return new LoadError(
    diagnostic("LOAD_UNRESOLVED", {
      file: display(importer),
      ...placeOfImport(importer, specifier),
      message: `imports ${JSON.stringify(specifier)}, which was not found`,
      hint: unresolvedHint(specifier),
    }),
    code,
  );
}

function unresolvedHint(specifier: string): string {
  if (/^[@~]\//.test(specifier)) {
    return `Paths of tsconfig.json are not supported: use a relative path, or "imports" in the plugin's package.json ({"imports": {"#*": "./*"}} and import "#${specifier.slice(2)}").`;
  }
  if (specifier.startsWith("toolroom/")) {
    return 'The SDK has one entry: import { Tool, z } from "toolroom".';
  }
  if (specifier.startsWith("#")) {
    return `The nearest package.json has no "imports" entry that leads ${JSON.stringify(specifier)} to a file.`;
  }
  if (/^https?:/.test(specifier)) return "Modules are not loaded over the network: put the file into the plugin.";
  if (/^\.\.?(?:\/|$)|^\/|^file:/.test(specifier)) return "Mend the path, or put the file there.";
  return `Install it beside the plugin: npm install ${packageName(specifier)} in the plugin's directory.`;
}

function packageName(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** A name is imported that the other module does not export. `found` are the names that it has. */
export function noExport(
  importer: string,
  options: { specifier: string; name: string; found: readonly string[]; display: Display },
): LoadError {
  const { specifier, name, found, display } = options;
  const shown = found.slice(0, 12).join(", ") + (found.length > 12 ? ", …" : "");
  const near = found.find((other) => other.toLowerCase() === name.toLowerCase());
  return new LoadError(
    diagnostic("LOAD_NO_EXPORT", {
      file: display(importer),
      ...placeOfImport(importer, specifier, name),
      message: `imports ${name === "default" ? "a default" : JSON.stringify(name)} from ${JSON.stringify(specifier)}, which exports ${shown === "" ? "nothing" : shown}`,
      hint: near ? `Did you mean ${near}?` : noExportHint(specifier, name),
    }),
    "ERR_MODULE_NO_EXPORT",
  );
}

function noExportHint(specifier: string, name: string): string {
  if (specifier === "toolroom") return `Mend the name; a type is imported with "import type".`;
  if (name === "default") return "Add an export default there, or import a name in braces.";
  return `Export it there, or mend the name; a type is imported with "import type".`;
}

/** The top level of `file` did not settle. `native` is what Node was importing for it, if anything. */
export function timedOut(
  file: string,
  options: { deadlineMs: number; native: string | undefined; display: Display },
): LoadError {
  const { deadlineMs, native, display } = options;
  const during = native === undefined ? "" : ` while importing ${native}`;
  return new LoadError(
    diagnostic("LOAD_TIMEOUT", {
      file: display(file),
      message: `the top level did not settle within ${deadlineMs} ms${during}`,
      hint: "A top-level await never ends: move the work into execute (the setting tools.loadTimeoutMs is the deadline).",
    }),
  );
}

function placeOfImport(file: string, specifier: string, name?: string): { line?: number; column?: number } {
  try {
    return positionOfImport(readFileSync(file, "utf8"), specifier, name) ?? {};
  } catch {
    // Gone since it was evaluated: the message names the file and the specifier without a line.
    return {};
  }
}
