import { isBuiltin } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { look, realPath } from "../discovery/look.ts";
import type { Engine } from "./jiti.ts";

/**
 * What a specifier means. `sdk`: the host's own instance; `content`: a file of the module map;
 * `native`: a URL that Node imports itself, once per process (packages, builtins, data URLs).
 */
export type Target =
  | { readonly kind: "sdk" }
  | { readonly kind: "content"; readonly file: string }
  | { readonly kind: "native"; readonly url: string };

/** Resolves for importers, absolute real paths. */
export interface Resolver {
  /** undefined: nothing was found. */
  resolve(specifier: string, importer: string): Target | undefined;
  /** The directories of content, not all of them there, in which what was not found may appear. */
  places(specifier: string, importer: string): readonly string[];
}

/**
 * @param contentRoots absolute directories whose modules are content, except what lies below a node_modules in them
 * @param isKept whether the text of a file that is gone is still served
 */
export function createResolver(
  engine: Engine,
  contentRoots: readonly string[],
  isKept: (file: string) => boolean = () => false,
): Resolver {
  // Many modules import nothing but the SDK and builtins.
  let known: readonly string[] | undefined;
  const roots = (): readonly string[] => {
    known ??= contentRoots.map((root) => realPath(root) ?? path.resolve(root));
    return known;
  };
  const inRoots = (file: string): boolean => roots().some((root) => isOwnFile(root, file));
  // Content outside every root (a linked plugin that was loaded by its path) keeps what it reaches relatively.
  const isContent = (file: string, importer: string, relative: boolean): boolean =>
    inRoots(file) || (relative && !inRoots(importer) && !hasPackages(path.relative(path.dirname(importer), file)));

  const resolve = (specifier: string, importer: string): Target | undefined => {
    if (isBuiltin(specifier)) {
      return { kind: "native", url: specifier.startsWith("node:") ? specifier : `node:${specifier}` };
    }
    if (specifier === "toolroom") return { kind: "sdk" };
    if (specifier.startsWith("data:")) return { kind: "native", url: specifier };
    const relative = isRelative(specifier);
    const file = relative
      ? resolveRelative({ engine, isKept }, specifier, importer)
      : existing(engine.resolve(withoutScheme(specifier) ?? "", importer));
    if (file === undefined) return undefined;
    return isContent(file, importer, relative)
      ? { kind: "content", file }
      : { kind: "native", url: pathToFileURL(file).href };
  };

  const places = (specifier: string, importer: string): readonly string[] => {
    const directory = path.dirname(importer);
    if (isRelative(specifier)) return [path.dirname(path.resolve(directory, specifier))];
    // The directories of content themselves change for many reasons, and then only a package.json would matter.
    const isOwnImport = specifier.startsWith("#");
    const found: string[] = [];
    for (let at = directory; ; at = path.dirname(at)) {
      found.push(isOwnImport ? at : path.join(at, "node_modules"));
      if (!inRoots(path.join(at, "x")) || roots().includes(at)) break;
    }
    return found;
  };

  return { resolve, places };
}

/** Whether a specifier names a file by its way from the importer. */
export function isRelative(specifier: string): boolean {
  return /^\.\.?(?:\/|$)/.test(specifier);
}

/** The real path of a regular file, or undefined. */
export function realFile(file: string): string | undefined {
  return look(file)?.isFile() ? realPath(file) : undefined;
}

/**
 * Relative specifiers are made absolute before jiti sees them: what it does not find beside the importer it
 * would look for beside its own base. Most name a file that is there as it stands, which spares the search.
 */
function resolveRelative(
  { engine, isKept }: { readonly engine: Engine; isKept(file: string): boolean },
  specifier: string,
  importer: string,
): string | undefined {
  const directory = path.dirname(importer);
  const literal = path.resolve(directory, specifier);
  if (!specifier.endsWith("/")) {
    const file = realFile(literal);
    if (file !== undefined) return file;
  }
  const found = existing(engine.resolve(literal, importer));
  if (found === undefined && isKept(literal)) return literal;
  if (found !== undefined || !/[%?#]/.test(specifier)) return found;
  const decoded = fileURLToPath(new URL(specifier.replace(/[?#].*$/, ""), pathToFileURL(importer)));
  return realFile(decoded) ?? existing(engine.resolve(decoded, importer));
}

function existing(url: string | undefined): string | undefined {
  return url?.startsWith("file://") ? realFile(fileURLToPath(url)) : undefined;
}

/** Specifiers that are URLs: only files can be content. */
function withoutScheme(specifier: string): string | undefined {
  return /^[a-z][a-z0-9+.-]+:/i.test(specifier) && !specifier.startsWith("file:") ? undefined : specifier;
}

function isOwnFile(root: string, file: string): boolean {
  const inside = path.relative(root, file);
  return inside !== "" && !inside.startsWith("..") && !path.isAbsolute(inside) && !hasPackages(inside);
}

function hasPackages(relative: string): boolean {
  return relative.split(path.sep).includes("node_modules");
}
