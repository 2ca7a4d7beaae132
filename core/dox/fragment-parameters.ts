import { type Diagnostic, diagnostic, type Severity } from "../diagnostics.ts";
import { nearest } from "../sdk/nearest.ts";
import type { TextLine } from "./fragment-text.ts";
import { codeSpans } from "./markdown.ts";
import { namesOf, type SchemaNames } from "./schema-names.ts";
import type { CheckedFragment, CheckedTool } from "./subject.ts";

/**
 * The arguments that a fragment names are those of its tools.
 *
 * - A claim is a code span at the start of an item (`` - `path`: … ``, `` - `a`, `b` (numbers): … ``) of a list outside of
 *   code that does not stand in the part on what comes back, or in the first column of a table whose first heading says
 *   argument, parameter, name, 参数 or 名称. In a list that names one argument, all items are claims; where no list does,
 *   those of the first list. What is a value of an enumeration, a tool, or the name of a key at any depth is right.
 * - Each argument that is needed, and each other one, is named somewhere outside of code: in a code span or in quotes, at
 *   the start of an item, or by a helper of the template (`{{param "path"}}`). One that the schema calls `deprecated` need not be.
 */
export function checkParameters(
  fragment: CheckedFragment,
  { claims, ...naming }: NamedArguments & { readonly claims: readonly TextLine[] },
): readonly Diagnostic[] {
  const schemas = fragment.tools.flatMap((tool) => {
    const parameters = tool.contract?.parameters;
    return parameters ? [{ tool, names: namesOf(parameters) }] : [];
  });
  // A tool that takes anything, or whose schema nobody knows, cannot be contradicted.
  if (schemas.length === 0 || schemas.length < fragment.tools.length) return [];
  return [...unknownClaims(fragment, claims, schemas), ...unnamed(fragment, schemas, naming)];
}

/** Where arguments are named. */
interface NamedArguments {
  /** The fragment's own lines, and those of what it includes. */
  readonly all: readonly TextLine[];
  /** Of one that is needed and not named. */
  readonly severity: Severity;
}

interface ToolNames {
  readonly tool: CheckedTool;
  readonly names: SchemaNames;
}

interface Claim {
  readonly line: number;
  readonly name: string;
}

function unknownClaims(
  { file, tools, meta }: CheckedFragment,
  lines: readonly TextLine[],
  schemas: readonly ToolNames[],
): readonly Diagnostic[] {
  if (schemas.some(({ names }) => names.open)) return [];
  const known = new Set(schemas.flatMap(({ names }) => [...names.all]));
  const besides = new Set([
    ...schemas.flatMap(({ names }) => [...names.values]),
    ...tools.flatMap(({ id }) => [id, ...(meta.aliases?.[id] ?? [])]),
  ]);
  const isKnown = ({ name }: Claim) => name.split(/\.|\[\d*\]\.?/u).every((part) => part === "" || known.has(part));
  const groups = claimsOf(lines);
  const argumentLists = groups.filter((group) => group.some(isKnown));
  const claims = (argumentLists.length > 0 ? argumentLists : groups.slice(0, 1)).flat();
  const own = schemas.flatMap(({ names }) => [...names.own.keys()]);
  return claims
    .filter((claim) => !isKnown(claim) && !besides.has(claim.name))
    .map(({ line, name }) => {
      const meant = nearest(name, own) ?? (own.length === 1 ? own[0] : undefined);
      const where = schemas.map(({ tool }) => tool.file).join(", ");
      return diagnostic("FRAGMENT_PARAMETER_UNKNOWN", {
        ...{ file, line },
        message: `names the argument ${name}, which ${schemas.map(({ tool }) => tool.id).join(", ")} does not have; the schema has ${own.join(", ") || "none"}`,
        hint: meant ? `Did you mean ${meant}? The parameters are in ${where}.` : `The parameters are in ${where}.`,
      });
    });
}

/** The names at the starts of list items and in the first columns of tables, list by list. */
function claimsOf(lines: readonly TextLine[]): readonly (readonly Claim[])[] {
  const groups: Claim[][] = [];
  let group: Claim[] | undefined;
  let table: "claims" | "other" | undefined;
  for (const { line, text, kind, returns } of lines) {
    if (kind !== "row") {
      if (table !== undefined) group = undefined;
      table = undefined;
    }
    if (kind === "heading" || kind === "code" || (kind === "prose" && !/^\s/u.test(text))) group = undefined;
    if (returns) continue;
    if (kind === "row") {
      if (table === undefined) {
        group = undefined;
        table = ARGUMENT_COLUMN.test(text) ? "claims" : "other";
      }
      const [name] = codeSpans(text.split("|")[1] ?? "");
      if (table !== "claims" || name === undefined || !isName(name)) continue;
      group ??= newGroup(groups);
      group.push({ line, name });
    } else if (kind === "item" && /^ {0,1}\S/u.test(text)) {
      const names = namesAtStart(text).filter(isName);
      if (names.length === 0) continue;
      group ??= newGroup(groups);
      for (const name of names) group.push({ line, name });
    }
  }
  return groups;
}

function newGroup(groups: Claim[][]): Claim[] {
  const group: Claim[] = [];
  groups.push(group);
  return group;
}

const ARGUMENT_COLUMN = /^\s*\|\s*(?:[*_`]*)(?:arg|param|name|option|field|参数|名称|字段|选项)/iu;

/** `` - `a`, `b` (numbers): …  ``: a, b. Nothing where words follow that make a sentence of it. */
function namesAtStart(text: string): readonly string[] {
  const start =
    /^\s*(?:[-*+]|\d+[.)])\s+((?:[*_]{0,2}`[^`]+`[*_]{0,2}(?:\s*(?:,|\/|、|\band\b|\bor\b|和|或)\s*)?)+)\s*(.*)$/u.exec(
      text,
    );
  if (!start) return [];
  const [, spans = "", rest = ""] = start;
  return /^(?:$|[:：(（[–—=-])/u.test(rest) ? codeSpans(spans) : [];
}

/** A key, or a path of keys; not a value, a flag or a file. Names in capitals are codes. */
function isName(text: string): boolean {
  return (
    /^[A-Za-z_$][\w$-]*(?:(?:\.|\[\d*\]\.?)[A-Za-z_$][\w$-]*)*(?:\[\])?$/u.test(text) &&
    !/^[A-Z][A-Z0-9_]*$/u.test(text)
  );
}

function unnamed(
  { file, line }: CheckedFragment,
  schemas: readonly ToolNames[],
  { all, severity }: NamedArguments,
): readonly Diagnostic[] {
  const named = namedIn(all);
  return schemas.flatMap(({ tool, names }) =>
    [...names.own]
      .filter(([name, { deprecated }]) => !deprecated && !named.has(name))
      .map(([name, { required }]) =>
        diagnostic("FRAGMENT_PARAMETER_MISSING", {
          ...{ severity: required ? severity : "info", file, line },
          message: `expected the ${required ? "needed" : "optional"} argument ${name} of ${tool.id}, found it nowhere in the text`,
          hint: `Say what it is for, as in - \`${name}\`: …; the parameters are in ${tool.file}.`,
        }),
      ),
  );
}

/** The words in code spans outside of code, in quotes, and at the starts of items. */
function namedIn(lines: readonly TextLine[]): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { text, kind } of lines) {
    if (kind === "code") continue;
    for (const span of codeSpans(text)) for (const word of span.split(/[^\w$-]+/u)) named.add(word);
    // In quotes, which is also how helpers of the template are given it: `{{param "path"}}`.
    for (const [, name = ""] of text.matchAll(/["“]([A-Za-z_$][\w$-]*)["”]/gu)) named.add(name);
    const plain =
      /^\s*(?:[-*+]|\d+[.)])\s+[*_]{0,2}([A-Za-z_$][\w$-]*)[*_]{0,2}\s*[:：(（]|^\s*\|\s*([A-Za-z_$][\w$-]*)\s*\|/u.exec(
        text,
      );
    const name = plain?.[1] ?? plain?.[2];
    if (name !== undefined) named.add(name);
  }
  return named;
}
