import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type Display, noExport, unresolved } from "./load-faults.ts";
import { doneWaiting, type ModuleRecord, waitsFor } from "./module-map.ts";
import { type Exports, namesOf, namespaceOf, reexportAll } from "./namespaces.ts";
import { isRelative, type Resolver, realFile, type Target } from "./resolve.ts";
import { typeReexports } from "./type-reexports.ts";

/** What a module's prelude binds to the names that its transformed text uses. */
export interface Runtime {
  /** A static import. */
  i(specifier: string, names?: { readonly importedNames?: readonly string[] }): Exports | Promise<Exports>;
  /** A dynamic import. */
  d(specifier: unknown): Promise<Exports>;
  /** The module's namespace. */
  e: Exports;
  /** `export * from`. */
  a(source: Exports): void;
  /** `import.meta`. */
  m: object;
  r: NodeJS.Require;
  /** `import.meta.resolve`. */
  s(specifier: unknown): string;
}

/** What the functions of a runtime need from the evaluator. */
export interface RuntimeContext {
  readonly resolver: Resolver;
  readonly sdk: Exports;
  readonly display: Display;
  /** The running, finished or new evaluation of a content file. */
  join(file: string, importer: ModuleRecord): ModuleRecord;
  /** The same for `require`: what it gives, at once. */
  require(file: string, importer: ModuleRecord): unknown;
  /** Whose namespace this is, if it is content. */
  ownerOf(namespace: Exports): ModuleRecord | undefined;
}

/** Binds the import functions to one evaluation. */
export function createRuntime(record: ModuleRecord, context: RuntimeContext): Runtime {
  const { display } = context;
  const resolve = (specifier: string): Target => {
    return (
      context.resolver.resolve(specifier, record.file) ??
      missed(record, context, { specifier, code: "ERR_MODULE_NOT_FOUND" })
    );
  };

  const importContent = async (file: string, specifier: string, names: readonly string[]): Promise<Exports> => {
    record.imports.add(file);
    const target = context.join(file, record);
    const { code } = record;
    const check = (): void => checkContentNames(record, { target, specifier, names, code, display });
    if (target.state === "pending" && waitsFor(target, record)) {
      // A circle: both would wait for ever. Its bindings are live, and its names are checked when it has finished.
      target.lent.push({ to: record, check });
      return target.exports;
    }
    if (record.state === "pending") record.waitsFor.push(target);
    try {
      await target.settled;
    } finally {
      doneWaiting(record.waitsFor, target);
    }
    if (target.failure) throw target.failure.error;
    check();
    return target.exports;
  };

  const importNative = async (url: string, specifier: string, names: readonly string[]): Promise<Exports> => {
    record.waitsForNative.push(specifier);
    try {
      const namespace = (await import(url)) as Exports;
      return checkNativeNames(namespace, names, (name) =>
        noExport(record.file, { specifier, name, found: namesOf(namespace), display }),
      );
    } finally {
      doneWaiting(record.waitsForNative, specifier);
    }
  };

  const importAny: Runtime["i"] = (specifier, { importedNames = [] } = {}) => {
    const target = resolve(specifier);
    if (target.kind === "content") return importContent(target.file, specifier, importedNames);
    if (target.kind === "native") return importNative(target.url, specifier, importedNames);
    const { sdk } = context;
    const missing = importedNames.find((name) => !(name in sdk) && isValue(record, record.code, specifier, name));
    if (missing === undefined) return sdk;
    throw noExport(record.file, { specifier, name: missing, found: namesOf(sdk), display });
  };

  return {
    i: importAny,
    d: async (specifier) => importAny(String(specifier)),
    e: record.exports,
    a: (source) => reexportAll(record.exports, source, { skip: context.ownerOf(source)?.hollow ?? [] }),
    get m() {
      return importMeta(record.file, (specifier) => urlOf(resolve(specifier)));
    },
    get r() {
      return createContentRequire(record, context);
    },
    s: (specifier) => urlOf(resolve(String(specifier))),
  };
}

function missed(
  record: ModuleRecord,
  { resolver, display }: RuntimeContext,
  { specifier, code }: { specifier: string; code: string },
): never {
  record.lookedIn = [...(record.lookedIn ?? []), ...resolver.places(specifier, record.file)];
  throw unresolved(record.file, { specifier, code, display });
}

function checkContentNames(
  record: ModuleRecord,
  options: {
    target: ModuleRecord;
    specifier: string;
    names: readonly string[];
    code: string | undefined;
    display: Display;
  },
): void {
  const { target, specifier, names, code, display } = options;
  for (const name of names) {
    if (name in target.exports && !target.hollow?.has(name)) continue;
    if (!isValue(record, code, specifier, name)) continue;
    throw noExport(record.file, { specifier, name, found: namesOf(target.exports), display });
  }
}

/** Whether a missing name is missed; one that is only passed on is noted as hollow instead. */
function isValue(record: ModuleRecord, code: string | undefined, specifier: string, name: string): boolean {
  const passedOn = typeReexports(code ?? "", specifier, name);
  if (passedOn.length > 0) record.hollow = new Set([...(record.hollow ?? []), ...passedOn]);
  return passedOn.length === 0;
}

/** Node recognises few names of CommonJS packages: what their `module.exports` holds is there all the same. */
function checkNativeNames(namespace: Exports, names: readonly string[], missing: (name: string) => Error): Exports {
  const unknown = names.filter((name) => !(name in namespace));
  if (unknown.length === 0) return namespace;
  const { default: main } = namespace;
  const has = (name: string): boolean =>
    ((typeof main === "object" && main !== null) || typeof main === "function") && name in main;
  for (const name of unknown) if (!has(name)) throw missing(name);
  return namespaceOf(namespace, unknown);
}

/** `require` of a content file: content comes from the module map, everything else from Node. */
function createContentRequire(record: ModuleRecord, context: RuntimeContext): NodeJS.Require {
  let native: NodeJS.Require | undefined;
  const node = (): NodeJS.Require => {
    native ??= createRequire(record.file);
    return native;
  };
  const resolve = (specifier: string): Target => {
    const found = isRelative(specifier) ? undefined : byNode(node(), specifier);
    const target = context.resolver.resolve(found ?? specifier, record.file);
    return target ?? missed(record, context, { specifier, code: "MODULE_NOT_FOUND" });
  };
  const require = (specifier: string): unknown => {
    const target = resolve(specifier);
    if (target.kind === "sdk") return context.sdk;
    if (target.kind === "native")
      return node()(target.url.startsWith("file:") ? fileURLToPath(target.url) : target.url);
    record.imports.add(target.file);
    return context.require(target.file, record);
  };
  return Object.defineProperties(require, {
    resolve: { value: (specifier: string) => pathOf(resolve(specifier)) },
    cache: { get: () => node().cache },
    main: { get: () => node().main },
    extensions: { get: () => node().extensions },
  }) as NodeJS.Require;
}

/** Node's own answer for packages: its conditions for `require` differ from those for `import`. */
function byNode(require: NodeJS.Require, specifier: string): string | undefined {
  if (specifier === "toolroom" || specifier.startsWith("toolroom/")) return undefined;
  try {
    const found = require.resolve(specifier);
    return path.isAbsolute(found) ? realFile(found) : found;
  } catch {
    // Not found by Node: the loader's own rules (missing extensions of TypeScript) decide, and report.
    return undefined;
  }
}

function importMeta(file: string, resolve: (specifier: string) => string): object {
  return {
    __proto__: null,
    filename: file,
    dirname: path.dirname(file),
    get url() {
      return pathToFileURL(file).href;
    },
    resolve,
  };
}

function urlOf(target: Target): string {
  if (target.kind === "sdk") return "toolroom";
  return target.kind === "content" ? pathToFileURL(target.file).href : target.url;
}

function pathOf(target: Target): string {
  const url = urlOf(target);
  return url.startsWith("file:") ? fileURLToPath(url) : url;
}
