import { compareText } from "../diagnostics.ts";
import {
  childOf,
  childrenOf,
  type DirNode,
  entriesOf,
  find,
  hasFile,
  type LinkNode,
  NOTHING,
  nodeAt,
  type Tree,
} from "./dir-node.ts";
import { type FileSlot, slotAt } from "./slots.ts";

/** Where the parts of a tree lie. Absolute; `homePath` is the display path of the home. */
export interface TreePlaces {
  readonly root: string;
  readonly home: string;
  readonly homePath: string;
}

/** Directories whose Markdown files are content; elsewhere they are documents. */
const MARKDOWN_PLACES = /(?:^|\/)(?:prompts|skills\/[^/]+)$/u;
const NO_CONTENT = /^(?:AGENTS|CLAUDE|README)\.md$|\.(?:test|d)\.[cm]?[jt]s$/u;

/** What editors and programs leave beside a file has other ends. */
const CONTENT_NAMES = /\.(?:md|ya?ml|json|ftl|[cm]?[jt]sx?)$|^\.toggle-[01]$/u;

/** A change of it is told like any other, but its text is nobody's to keep or to show. */
const SECRETS = "secrets.env";

/** Whether something could be made of a file of this name, wherever it lies. */
function mayBeContent(name: string): boolean {
  return CONTENT_NAMES.test(name) && !NO_CONTENT.test(name);
}

/** Whether a file (absolute) is content of a tree. */
export function isContentOf(tree: Tree, places: TreePlaces, file: string): boolean {
  return basesOf(tree, places).some(({ node, path, file: base }) => {
    if (!file.startsWith(`${base}/`)) return false;
    const names = file.slice(base.length + 1).split("/");
    const name = names.pop() as string;
    const directory = names.reduce(below, path);
    return hasFile(nodeAt(node, names), name) && isContentName(name, MARKDOWN_PLACES.test(directory));
  });
}

/** The content files (and links that are refused, or not any more) that are in one of two trees only: absolute, sorted. */
export function movedBetween(before: Tree, after: Tree, places: TreePlaces): readonly string[] {
  const found = new Set<string>();
  const [old, now] = [basesOf(before, places), basesOf(after, places)];
  for (const [at, { node, path, file }] of now.entries())
    compareNodes(old[at]?.node, node, { place: { path, file }, found });
  return [...found].sort(compareText);
}

interface Comparing {
  readonly place: Place;
  readonly found: Set<string>;
}

function compareNodes(old: LinkNode | undefined, now: LinkNode | undefined, { place, found }: Comparing): void {
  if (old === now) return;
  const { path, file } = place;
  const refusals = [old, now].map((node) => (node && "refused" in node ? node.refused : undefined));
  if (refusals[0] !== refusals[1]) found.add(file);
  const [a, b] = [old, now].map((node) => (node && !("refused" in node) ? node : undefined));
  const takesMarkdown = MARKDOWN_PLACES.test(path);
  const [had, has] = [a, b].map((node) => new Set(node?.files));
  for (const name of [...(a?.files ?? []), ...(b?.files ?? [])]) {
    if (had?.has(name) !== has?.has(name) && isContentName(name, takesMarkdown)) found.add(`${file}/${name}`);
  }
  const [before, after] = [a && entriesOf(a), b && entriesOf(b)];
  for (const name of new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])) {
    const inner = { path: below(path, name), file: `${file}/${name}` };
    compareNodes(before?.get(name), after?.get(name), { place: inner, found });
  }
}

/** The content files of a tree in a directory itself (absolute): absolute. */
export function contentIn(tree: Tree, places: TreePlaces, directory: string): readonly string[] {
  for (const { node, path, file } of basesOf(tree, places)) {
    if (directory !== file && !directory.startsWith(`${file}/`)) continue;
    const names = directory
      .slice(file.length + 1)
      .split("/")
      .filter(Boolean);
    const at = nodeAt(node, names);
    const takesMarkdown = MARKDOWN_PLACES.test(names.reduce(below, path));
    if (at) return at.files.filter((name) => isContentName(name, takesMarkdown)).map((name) => `${directory}/${name}`);
  }
  return NOTHING;
}

/** The directory of a plugin (absolute) that a file lies in. */
export function pluginOf({ root, home }: TreePlaces, file: string): string | undefined {
  for (const base of [root, home]) {
    for (const names of PLUGIN_PLACES) {
      const directory = `${base}/${names.join("/")}/`;
      if (!file.startsWith(directory)) continue;
      const [id] = file.slice(directory.length).split("/");
      return `${directory}${id}`;
    }
  }
  return undefined;
}

/** What is kept of a file (absolute). */
export function slotOf(tree: Tree, places: TreePlaces, file: string): FileSlot | undefined {
  for (const { node: base, file: top } of basesOf(tree, places)) {
    if (!file.startsWith(`${top}/`)) continue;
    const names = file.slice(top.length + 1).split("/");
    const name = names.pop() as string;
    const node = nodeAt(base, names);
    const at = node ? find(node.files, name) : -1;
    if (node && at >= 0) return slotAt(node.slots, at);
  }
  return undefined;
}

/** The directories that hold plugins, as names below a root or a home. */
const PLUGIN_PLACES = [["usr", "plugins"], ["plugins"]] as const;

/**
 * The directories of a tree: absolute.
 * @param isWanted of a plugin's directory (absolute): whether those in it are among them
 */
export function directoriesOf(
  tree: Tree,
  places: TreePlaces,
  isWanted: (plugin: string) => boolean,
): readonly string[] {
  const found: string[] = [];
  const visit = (node: DirNode, file: string): void => {
    found.push(file);
    for (const [name, child] of childrenOf(node)) {
      const path = `${file}/${name}`;
      if (!unwanted.has(path)) visit(child, path);
    }
  };
  const unwanted = new Set<string>();
  for (const { node, file } of basesOf(tree, places)) {
    for (const names of PLUGIN_PLACES) {
      const plugins = names.reduce<DirNode | undefined>((at, name) => childOf(at, name), node);
      const directory = `${file}/${names.join("/")}`;
      for (const [name] of childrenOf(plugins)) {
        if (!isWanted(`${directory}/${name}`)) unwanted.add(`${directory}/${name}`);
      }
    }
    visit(node, file);
  }
  return found;
}

interface Place {
  /** Display path. */
  readonly path: string;
  /** Absolute. */
  readonly file: string;
}

/** The content files of a tree. @param limit more files than this need not be found */
export function contentOf(tree: Tree, places: TreePlaces, limit = Number.POSITIVE_INFINITY): Place[] {
  const found: Place[] = [];
  for (const { node, path, file } of basesOf(tree, places)) collect(node, { path, file }, { found, limit });
  return found;
}

function basesOf(tree: Tree, { root, home, homePath }: TreePlaces): readonly (Place & { readonly node: DirNode })[] {
  const own = { node: tree.root, path: "", file: root };
  return tree.home === tree.root ? [own] : [own, { node: tree.home, path: homePath, file: home }];
}

function isContentName(name: string, takesMarkdown: boolean): boolean {
  return mayBeContent(name) && (takesMarkdown || !name.endsWith(".md"));
}

function collect(
  node: DirNode,
  { path, file }: Place,
  into: { readonly found: Place[]; readonly limit: number },
): void {
  if (into.found.length > into.limit) return;
  const takesMarkdown = MARKDOWN_PLACES.test(path);
  for (const name of node.files) {
    if (!isContentName(name, takesMarkdown) && name !== SECRETS) continue;
    into.found.push({ path: below(path, name), file: `${file}/${name}` });
  }
  for (const [name, child] of childrenOf(node)) {
    collect(child, { path: below(path, name), file: `${file}/${name}` }, into);
  }
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}
