/** A position in the text that was parsed: `line` from 1, `column` from 0. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The part of a Handlebars syntax tree that a prompt may use. */
export interface SyntaxNode {
  type: string;
  loc: { readonly start: Position; readonly end: Position };
  /** Text of a ContentStatement, value of a literal. */
  value?: unknown;
  original?: unknown;
  /** Of a PathExpression. */
  parts?: readonly string[];
  data?: boolean;
  depth?: number;
  /** Of mustaches, blocks and sub-expressions. */
  path?: SyntaxNode;
  params?: SyntaxNode[];
  hash?: { pairs: { key: string; value: SyntaxNode }[] };
  program?: SyntaxProgram;
  inverse?: SyntaxProgram;
}

/** A sequence of statements. */
export interface SyntaxProgram {
  type: string;
  body: SyntaxNode[];
}

/** Why a template is refused, and where in the text. */
export interface SyntaxFault {
  readonly message: string;
  readonly hint: string;
  readonly at: Position;
}

/** Helpers and variables of the host that no author can name: a path never begins with `@` followed by a space. */
export const HIDDEN = { show: "@ show", path: "@ path", original: "@ original", tools: "@ tools" } as const;

/** How to write braces that are meant literally. */
export const LITERAL_HINT = "Write braces that are meant literally as {{{{raw}}}} … {{{{/raw}}}}.";

interface HelperRow {
  readonly form: "block" | "inline";
  readonly arguments: readonly [min: number, max: number];
  readonly options: readonly string[];
}

/** Every helper that a prompt may use. */
const HELPERS: Readonly<Record<string, HelperRow>> = {
  if: { form: "block", arguments: [1, 1], options: ["includeZero"] },
  unless: { form: "block", arguments: [1, 1], options: ["includeZero"] },
  each: { form: "block", arguments: [1, 1], options: [] },
  with: { form: "block", arguments: [1, 1], options: [] },
  lookup: { form: "inline", arguments: [2, 2], options: [] },
  json: { form: "inline", arguments: [1, 1], options: ["indent"] },
  fence: { form: "inline", arguments: [1, 2], options: [] },
  raw: { form: "inline", arguments: [1, 1], options: [] },
  include: { form: "inline", arguments: [1, 1], options: [] },
  param: { form: "inline", arguments: [1, 1], options: ["tool"] },
};

const NAMES = Object.keys(HELPERS).join(", ");

/**
 * Checks a parsed template and rewrites it in place, so that what Handlebars decides while rendering is decided
 * here or by our helpers:
 *
 * - a shown value goes through one helper, which fails on a missing one and writes anything but a string as JSON;
 * - `a.b.c` becomes a lookup of own properties that gives undefined where `a` is missing or null. (In its strict
 *   form Handlebars makes a TypeError without a position of it, even below `#if`.)
 *
 * @returns the first fault, or undefined
 */
export function prepare(program: SyntaxProgram, text: string): SyntaxFault | undefined {
  try {
    statements(program, text.split("\n"));
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.fault;
    throw thrown;
  }
}

/** The name of the variable when `node` shows exactly one plain variable, else undefined. Asked before `prepare`. */
export function shownVariable(node: SyntaxNode): string | undefined {
  if (node.type !== "MustacheStatement" || hasArguments(node)) return undefined;
  return simpleName(node.path);
}

/** What an include asks for when that is written down and not computed. Asked before `prepare`. */
export function writtenInclude(node: SyntaxNode): { readonly name: string } | "original" | undefined {
  if (node.type !== "MustacheStatement" || simpleName(node.path) !== "include") return undefined;
  const [first, second] = node.params ?? [];
  if (!first || second || (node.hash?.pairs.length ?? 0) > 0) return undefined;
  if (first.type === "StringLiteral") return { name: String(first.value) };
  return isOriginal(first) ? "original" : undefined;
}

class Refusal extends Error {
  readonly fault: SyntaxFault;

  constructor(fault: SyntaxFault) {
    super(fault.message);
    this.fault = fault;
  }
}

function refuse(node: SyntaxNode, message: string, hint = LITERAL_HINT): never {
  throw new Refusal({ message, hint, at: node.loc.start });
}

function statements(program: SyntaxProgram, lines: readonly string[]): void {
  for (const node of program.body) {
    if (node.type === "MustacheStatement") mustache(node, lines);
    else if (node.type === "BlockStatement") block(node, lines);
    else if (node.type !== "ContentStatement" && node.type !== "CommentStatement") {
      refuse(
        node,
        `partials and decorators are not part of prompts: ${tagAt(node, lines)}`,
        'Write {{include "file.md"}}.',
      );
    }
  }
}

function mustache(node: SyntaxNode, lines: readonly string[]): void {
  const { line, column } = node.loc.start;
  const tag = tagAt(node, lines);
  if (lines[line - 1]?.[column - 1] === "$") refuse(node, `$${tag} would be read as a template`);
  if (node.path?.type === "SubExpression") refuse(node, `${tag} calls the result of a call`);
  if (node.path?.type !== "PathExpression") refuse(node, `${tag} is neither a variable nor a helper`);
  if (hasArguments(node)) {
    const name = call(node, "inline", lines);
    if (name === "lookup") asShown(node, { ...node, type: "SubExpression" });
    else if (name === "include" && isOriginal(node.params?.[0])) asOriginal(node);
  } else asShown(node, safePath(node.path));
}

function block(node: SyntaxNode, lines: readonly string[]): void {
  const opening = lines[node.loc.start.line - 1]?.slice(node.loc.start.column) ?? "";
  // The content of a raw block is one piece of text: there is nothing below it to check.
  if (simpleName(node.path) === "raw" && opening.startsWith("{{{{")) return;
  call(node, "block", lines);
  if (node.program) statements(node.program, lines);
  if (node.inverse) statements(node.inverse, lines);
}

/** Checks one use of a helper against its row, and its arguments. */
function call(node: SyntaxNode, form: HelperRow["form"], lines: readonly string[]): string {
  const name = simpleName(node.path);
  const row = name === undefined || !Object.hasOwn(HELPERS, name) ? undefined : HELPERS[name];
  const tag = tagAt(node, lines);
  if (name === undefined || !row) refuse(node, `${tag} uses an unknown helper; there are ${NAMES}`);
  if (row.form !== form) refuse(node, `${tag}: ${name} is ${row.form === "block" ? "a block" : "not a block"}`);
  const [min, max] = row.arguments;
  const given = node.params?.length ?? 0;
  if (given < min || given > max) {
    refuse(node, `${tag}: ${name} takes ${min === max ? min : `${min} to ${max}`} argument(s), ${given} found`);
  }
  for (const pair of node.hash?.pairs ?? []) {
    if (!row.options.includes(pair.key)) refuse(node, `${tag}: ${name} has no option ${pair.key}`);
    pair.value = value(pair.value, lines);
  }
  node.params =
    node.params?.map((param, index) =>
      name === "include" && index === 0 && isOriginal(param) ? param : value(param, lines),
    ) ?? [];
  return name;
}

function value(node: SyntaxNode, lines: readonly string[]): SyntaxNode {
  if (node.type === "SubExpression") {
    const name = call(node, "inline", lines);
    if (name === "include" && isOriginal(node.params?.[0])) asOriginal(node);
    return node;
  }
  return node.type === "PathExpression" ? safePath(node) : node;
}

/** `a.b.c` as a call of the hidden lookup; a path of one step as it is. */
function safePath(path: SyntaxNode): SyntaxNode {
  const [head, ...rest] = path.parts ?? [];
  if (head === undefined || rest.length === 0) return path;
  const literal = (text: string): SyntaxNode => ({
    type: "StringLiteral",
    value: text,
    original: text,
    loc: path.loc,
  });
  return {
    type: "SubExpression",
    path: hiddenPath(HIDDEN.path, path),
    params: [{ ...path, parts: [head], original: head }, ...rest.map(literal)],
    loc: path.loc,
  };
}

function asShown(node: SyntaxNode, shown: SyntaxNode): void {
  node.params = [shown];
  node.path = hiddenPath(HIDDEN.show, node);
  delete node.hash;
}

function asOriginal(node: SyntaxNode): void {
  node.path = hiddenPath(HIDDEN.original, node);
  node.params = [{ type: "StringLiteral", value: "original", original: "original", loc: node.loc }];
}

function hiddenPath(name: string, { loc }: SyntaxNode): SyntaxNode {
  return { type: "PathExpression", data: false, depth: 0, parts: [name], original: name, loc };
}

function isOriginal(node: SyntaxNode | undefined): boolean {
  return simpleName(node) === "original";
}

function simpleName(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "PathExpression" || node.data || node.depth || node.parts?.length !== 1) return undefined;
  // `./x` and `this.x` have one part as well, but mean the variable and never a helper.
  return node.original === node.parts[0] ? node.parts[0] : undefined;
}

function hasArguments(node: SyntaxNode): boolean {
  return (node.params?.length ?? 0) > 0 || (node.hash?.pairs.length ?? 0) > 0;
}

/** The tag as its author wrote it, at most one line of it. */
export function tagAt({ loc }: { readonly loc: { readonly start: Position } }, lines: readonly string[]): string {
  const rest = lines[loc.start.line - 1]?.slice(loc.start.column) ?? "";
  const end = rest.indexOf("}}");
  const tag = end < 0 ? rest : rest.slice(0, end + (rest[end + 2] === "}" ? 3 : 2));
  return tag.length > 80 ? `${tag.slice(0, 79)}…` : tag;
}
