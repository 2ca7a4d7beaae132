import { compareText } from "../diagnostics.ts";

/** The namespace of a module; an ES module's has a getter per export, so that bindings are live. */
export type Exports = Record<string, unknown>;

/** What every namespace inherits, and nothing else: `__esModule` tells CommonJS code that `default` is a name like any other. */
const NAMESPACE: object = Object.freeze(
  Object.create(null, { __esModule: { value: true }, [Symbol.toStringTag]: { value: "Module" } }),
);

/** An empty namespace. */
export function createNamespace(): Exports {
  return Object.create(NAMESPACE) as Exports;
}

/**
 * What `import` of a CommonJS module gives: `default` is `module.exports`, its own properties are names too.
 * Compiled ES modules (`__esModule`), and modules that only fill `exports` and fill `default` too, are taken as
 * the ES modules that they mean to be.
 */
export function commonJsNamespace(value: unknown, reassigned: boolean): Exports {
  const isObject = (typeof value === "object" || typeof value === "function") && value !== null;
  if (isObject && (value as Exports).__esModule === true) return value as Exports;
  const names = isObject ? Object.keys(value).filter((name) => name !== "default") : [];
  const namespace = createNamespace();
  const hasDefault = isObject && !reassigned && Object.hasOwn(value, "default");
  defineGetter(namespace, "default", () => (hasDefault ? (value as Exports).default : value));
  for (const name of names) defineGetter(namespace, name, () => (value as Exports)[name]);
  return namespace;
}

/** The host's SDK, or a native namespace, with the names that a CommonJS default holds added. */
export function namespaceOf(source: Readonly<Record<string, unknown>>, extra: readonly string[] = []): Exports {
  const namespace = createNamespace();
  reexportAll(namespace, source, { skip: [] });
  if ("default" in source) defineGetter(namespace, "default", () => source.default);
  for (const name of extra) defineGetter(namespace, name, () => (source.default as Exports)[name]);
  return namespace;
}

/** `export * from`: every name but `default`, unless the module has its own. */
export function reexportAll(
  target: Exports,
  source: Readonly<Record<string, unknown>>,
  { skip }: { skip: Iterable<string> },
): void {
  const hidden = new Set(["default", "__esModule", ...skip]);
  for (const name of Object.keys(source)) {
    if (!hidden.has(name) && !(name in target)) defineGetter(target, name, () => source[name]);
  }
}

/** The names of a namespace, sorted, for messages. */
export function namesOf(namespace: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(namespace)
    .filter((name) => name !== "__esModule" && name !== "module.exports")
    .sort(compareText);
}

function defineGetter(target: Exports, name: string, get: () => unknown): void {
  Object.defineProperty(target, name, { enumerable: true, configurable: true, get });
}
