import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Off } from "./catalog.ts";
import { CONVENTIONS } from "./conventions.ts";
import type { DirNode, Tree } from "./dir-node.ts";
import { look } from "./look.ts";
import { joinDisplay } from "./paths.ts";
import { childShape, isNamedChild, namedChildren, type Shape } from "./shapes.ts";

/** Files that define a directory of this shape, or override something in it. */
const DEFINITIONS: Partial<Readonly<Record<Shape, readonly string[]>>> = {
  usr: ["settings.yaml"],
  project: ["settings.yaml"],
  profile: ["agent.yaml", "agent.json"],
  plugin: ["plugin.yaml", "config.yaml", "config.json", "default_config.yaml", ".toggle-0", ".toggle-1"],
};
const ROWS = Object.values(CONVENTIONS);
const OVERRIDES = ["config.yaml", "config.json", ".toggle-0", ".toggle-1"];

/** Where {@link treeProblems} looks. */
export interface ProblemSources {
  readonly tree: Tree;
  readonly root: string;
  readonly home: string;
  readonly homePath: string;
  /** Set where nothing that lies in the root may be used. */
  readonly untrusted?: Off | undefined;
}

/** What is wrong with the tree itself: directories that cannot be read, files in their place, links that are not followed. */
export function treeProblems({ tree, root, home, homePath, untrusted }: ProblemSources): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  if (!untrusted) visit({ node: tree.root, shape: "root", directory: root, path: ".", content: "" }, found);
  if (home !== root) visit({ node: tree.home, shape: "home", directory: home, path: homePath, content: "" }, found);
  return found;
}

interface Visit {
  readonly node: DirNode;
  readonly shape: Shape;
  readonly directory: string;
  readonly path: string;
  /** Of a leaf: the directory of the layer that it belongs to (`tools`, `extensions`, …). */
  readonly content: string;
}

function visit(at: Visit, found: Diagnostic[]): void {
  const { node, shape, directory, path, content } = at;
  if (node.fault !== undefined) found.push(faultProblem(path, node.fault));
  if (shape !== "leaf") misplacedFiles(at, found);
  if (node.links.length > 0) linkProblems(at, found);
  for (const name of node.others) if (matters(at, name)) found.push(notAFile(path, name, "a special file"));
  for (let index = 0; index < node.dirs.length; index++) {
    const name = node.dirs[index] as string;
    const child = node.nodes[index];
    const inside = child && childShape(shape, name);
    if (!inside) {
      if (matters(at, name)) found.push(notAFile(path, name, "a directory"));
    } else if (!isPlain(child, inside)) {
      // Below a group or an override the content is told by the directory above.
      const below = shape === "groups" || shape === "overrides" ? content : name;
      const place = { directory: `${directory}/${name}`, path: joinDisplay(path, name), content: below };
      visit({ node: child, shape: inside, ...place }, found);
    }
  }
}

/** A quick look that spares most directories the closer one: nothing but files, and directories that are entered. */
function isPlain(node: DirNode, shape: Shape): boolean {
  const { files, dirs, nodes } = node;
  if (node.links.length > 0 || node.others.length > 0 || node.fault !== undefined) return false;
  if (shape === "leaf") return dirs.length === 0;
  for (let at = 0; at < files.length; at++) if (isNamedChild(shape, files[at] as string)) return false;
  for (let at = 0; at < dirs.length; at++) {
    const child = nodes[at];
    const inside = child && childShape(shape, dirs[at] as string);
    if (!inside || !isPlain(child, inside)) return false;
  }
  return true;
}

function misplacedFiles({ node, shape, path }: Visit, found: Diagnostic[]): void {
  for (const name of namedChildren(shape)) {
    if (!node.files.includes(name) && !node.others.includes(name)) continue;
    const message = `expected a directory, found a file; what would lie in ${joinDisplay(path, name)}/ is missing`;
    found.push(
      diagnostic("NOT_A_DIRECTORY", { file: joinDisplay(path, name), message, hint: "Remove or rename the file." }),
    );
  }
}

function linkProblems(at: Visit, found: Diagnostic[]): void {
  const { node, shape, directory, path } = at;
  for (const [index, name] of node.links.entries()) {
    const target = node.linked[index];
    const file = joinDisplay(path, name);
    if (target && "refused" in target) {
      const message = `the link is not followed: ${target.refused}`;
      const hint = "Add the directory that it leads to, or one above it, to linkRoots in usr/settings.yaml.";
      found.push(diagnostic("LINK_REFUSED", { file, message, hint }));
    } else if (target) {
      const child = childShape(shape, name);
      if (child)
        visit({ node: target, shape: child, directory: `${directory}/${name}`, path: file, content: name }, found);
    } else if (
      matters(at, name) ||
      (childShape(shape, name) !== undefined && leadsToDirectory(`${directory}/${name}`))
    ) {
      const message = "links inside content are not followed";
      const hint = "Put the file itself here, or link the whole plugin directory in usr/plugins/.";
      found.push(diagnostic("LINK_SKIPPED", { file, message, hint }));
    }
  }
}

/** Whether something of this name in a directory would be content if it were an ordinary file. */
function matters({ shape, content, path }: Visit, name: string): boolean {
  if (shape !== "leaf") return DEFINITIONS[shape]?.includes(name) ?? false;
  if (content === "plugins") return OVERRIDES.includes(name);
  const group = path.slice(path.lastIndexOf("/") + 1);
  return ROWS.some(({ directory, id }) => directory === content && id(name, group) !== undefined);
}

function leadsToDirectory(path: string): boolean {
  return look(path)?.isDirectory() ?? true;
}

function notAFile(path: string, name: string, what: string): Diagnostic {
  const message = `expected a file, found ${what}`;
  return diagnostic("NOT_A_FILE", { file: joinDisplay(path, name), message, hint: "Remove or rename it." });
}

function faultProblem(path: string, code: string): Diagnostic {
  if (code === "ENOTDIR")
    return diagnostic("NOT_A_DIRECTORY", { file: path, message: "expected a directory, found a file" });
  const why = code === "EACCES" || code === "EPERM" ? "permission is denied" : code === "ENOENT" ? "it is gone" : code;
  return diagnostic("DIRECTORY_UNREADABLE", { file: path, message: `the directory could not be read: ${why}` });
}
