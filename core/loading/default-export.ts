import { readFileSync } from "node:fs";
import type { Diagnostic, DiagnosticCode } from "../diagnostics.ts";
import { diagnostic } from "../diagnostics.ts";
import { namesOf } from "./namespaces.ts";
import { positionAt } from "./positions.ts";

/** What a directory of content expects of the default export of its modules. */
export interface DefaultRule<Class> {
  /** The base class in messages: `Tool`, `Extension`. */
  readonly base: string;
  readonly notAClass: DiagnosticCode;
  isClass(value: unknown): value is Class & (abstract new (...args: never[]) => unknown);
  /** A whole default export, on one line, that would do. */
  readonly example: string;
}

/**
 * The class that a module exports as its default, or why it is none: no default (the exports found are listed),
 * something else than a class, a class of something else, no `execute`.
 */
export function defaultClass<Class>(
  exports: Readonly<Record<string, unknown>>,
  target: { readonly file: string; readonly shown: string; readonly rule: DefaultRule<Class> },
): { readonly cls: Class } | { readonly diagnostic: Diagnostic } {
  const { file, shown, rule } = target;
  const fault = (code: DiagnosticCode, message: string, hint: string) => ({
    diagnostic: diagnostic(code, { file: shown, ...placeOf(file, /\bexport\s+default\b/), message, hint }),
  });

  if (!("default" in exports)) {
    const names = namesOf(exports);
    const found = names.length === 0 ? "no exports at all" : `only the named exports ${names.join(", ")}`;
    const named = names.find((name) => rule.isClass(exports[name]));
    return fault(
      "LOAD_NO_DEFAULT",
      `expected a default export, found ${found}`,
      named ? `Write: export default class ${named} extends ${rule.base} { … }` : `Add: ${rule.example}`,
    );
  }
  const value = exports.default;
  if (!rule.isClass(value)) {
    return fault(
      rule.notAClass,
      `expected a default export that is a class that extends ${rule.base}, found ${describe(value, rule)}`,
      mendingHint(value, rule),
    );
  }
  if (!hasExecute(value)) {
    return fault(
      "LOAD_NO_EXECUTE",
      `expected the class ${value.name || "of the default export"} to have a method execute, found none`,
      "Add: async execute(…) { … }",
    );
  }
  return { cls: value };
}

/** On the prototype, its own or inherited; where it is a field, only an instance shows it. */
function hasExecute(cls: abstract new (...args: never[]) => unknown): boolean {
  if (typeof (cls.prototype as { execute?: unknown }).execute === "function") return true;
  try {
    const instance = Reflect.construct(cls, []) as { execute?: unknown };
    return typeof instance.execute === "function";
  } catch {
    // A constructor that throws has no execute to show either: the diagnostic says what is missing.
    return false;
  }
}

function describe<Class>(value: unknown, rule: DefaultRule<Class>): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "function") {
    if (isClass(value)) return `the class ${value.name || "without a name"}, which does not extend ${rule.base}`;
    return `the function ${value.name || "without a name"}`;
  }
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  if (rule.isClass(value.constructor)) return `an instance of ${value.constructor.name || "the class"}`;
  if (typeof (value as { then?: unknown }).then === "function") return "a promise";
  return `an object with the keys ${Object.keys(value).join(", ") || "(none)"}`;
}

function mendingHint<Class>(value: unknown, rule: DefaultRule<Class>): string {
  if (typeof value === "function" && isClass(value)) {
    return `Write: export default class ${value.name || "Name"} extends ${rule.base} { … }, with ${rule.base} imported from "toolroom".`;
  }
  if (typeof value === "object" && value !== null && rule.isClass(value.constructor)) {
    return `Export the class itself: the host makes an instance for each call.`;
  }
  return `Write: ${rule.example}`;
}

function isClass(value: object): value is new () => unknown {
  return /^class\b/.test(Function.prototype.toString.call(value));
}

/** Where `pattern` first stands in a file. */
export function placeOf(file: string, pattern: RegExp): { line?: number; column?: number } {
  try {
    const text = readFileSync(file, "utf8");
    const found = pattern.exec(text);
    return found ? positionAt(text, found.index) : {};
  } catch {
    // Gone since it was loaded: the diagnostic names the file without a line.
    return {};
  }
}
