import type { Position, SyntaxNode, SyntaxProgram } from "./syntax.ts";

/** A variable that a template names. */
export interface ShownName {
  readonly name: string;
  readonly at: Position;
  /** The template asks first whether there is one, in `#if` or `#unless`. */
  readonly asked: boolean;
}

/** What a template names, and the files that it includes by their written names. */
export interface TemplateNames {
  readonly variables: readonly ShownName[];
  readonly includes: readonly { readonly name: string; readonly at: Position }[];
}

/**
 * The variables that a parsed template takes from those that it is rendered with, also where a branch is not taken. What
 * stands inside `each` and `with` is a part of a value, but for `../name` and `@root.name`. Asked before `prepare`.
 */
export function namesIn(program: SyntaxProgram): TemplateNames {
  const found: { name: string; at: Position }[] = [];
  const asked = new Set<string>();
  const includes: { name: string; at: Position }[] = [];

  const path = (node: SyntaxNode, depth: number): string | undefined => {
    const [first, second] = node.parts ?? [];
    if (node.data) return first === "root" ? second : undefined;
    return (node.depth ?? 0) >= depth ? first : undefined;
  };
  const value = (node: SyntaxNode, depth: number): void => {
    if (node.type === "SubExpression") call(node, depth);
    const name = node.type === "PathExpression" ? path(node, depth) : undefined;
    if (name !== undefined) found.push({ name, at: node.loc.start });
  };
  const call = (node: SyntaxNode, depth: number): void => {
    const isInclude = node.path?.original === "include";
    for (const [at, param] of (node.params ?? []).entries()) {
      if (isInclude && at === 0 && param.type === "StringLiteral") {
        includes.push({ name: String(param.value), at: node.loc.start });
      } else if (!(isInclude && param.original === "original")) value(param, depth);
    }
    for (const pair of node.hash?.pairs ?? []) value(pair.value, depth);
  };
  const visit = ({ body }: SyntaxProgram, depth: number): void => {
    for (const node of body) {
      if (node.type === "MustacheStatement") {
        if ((node.params?.length ?? 0) > 0 || (node.hash?.pairs.length ?? 0) > 0) call(node, depth);
        else if (node.path) value(node.path, depth);
      } else if (node.type === "BlockStatement") {
        call(node, depth);
        const helper = String(node.path?.original);
        if (helper === "if" || helper === "unless") {
          for (const param of node.params ?? []) {
            const name = param.type === "PathExpression" ? path(param, depth) : undefined;
            if (name !== undefined) asked.add(name);
          }
        }
        if (node.program) visit(node.program, helper === "each" || helper === "with" ? depth + 1 : depth);
        if (node.inverse) visit(node.inverse, depth);
      }
    }
  };
  visit(program, 0);
  return { variables: found.map((one) => ({ ...one, asked: asked.has(one.name) })), includes };
}
