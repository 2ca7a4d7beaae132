import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { JsonObject } from "../sdk/result.ts";
import { PromptFault } from "./fault.ts";
import { createHelpers, HelperFault, type IncludeTarget } from "./helpers.ts";
import { namesIn, type TemplateNames } from "./names.ts";
import { plainPart, renderPlain } from "./plain-run.ts";
import {
  LITERAL_HINT,
  type Position,
  prepare,
  type SyntaxNode,
  type SyntaxProgram,
  shownVariable,
  tagAt,
  writtenInclude,
} from "./syntax.ts";

/** One body of a prompt file, before parsing. */
interface TemplateSource {
  readonly text: string;
  /** Display path, for messages. */
  readonly file: string;
  /** The file's line that holds the first line of `text` (front matter lies above it). */
  readonly line: number;
}

/** A place in the author's file, both from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** Renders another file into the place of an include. `at` is the place of the include. */
type Include = (target: IncludeTarget, at: FilePosition) => string;

/** Variables whose text is made of other parts, each with a source of its own. */
const SLOTS: readonly string[] = ["tools"];

/**
 * A parsed body, cut at the places where another part's text begins, so that each part of a prompt knows its own text:
 * `text` is constant, `code` is rendered, `slot` shows one of {@link SLOTS}, `include` stands for another file.
 */
export type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly render: Render }
  | { readonly kind: "slot"; readonly name: string; readonly render: Render }
  | { readonly kind: "include"; readonly target: IncludeTarget; readonly at: FilePosition };

/** @throws PromptFault with TEMPLATE_FAILED, or whatever `include` throws */
type Render = (variables: JsonObject, include: Include) => string;

/** What {@link TemplateEngine.parse} makes of a body. */
export interface Template {
  readonly segments: readonly Segment[];
  /** Whether the text depends on nothing but the file. */
  readonly constant: boolean;
  /** Whether it may include other files. */
  readonly includes: boolean;
  /** Whether it may tell what the documented tools say of themselves. */
  readonly describes: boolean;
}

/** One Handlebars instance with the helpers of prompts. */
export interface TemplateEngine {
  parse(source: TemplateSource): { readonly template: Template } | { readonly diagnostic: Diagnostic };
  /** What a body names. Of one that does not parse, nothing: {@link TemplateEngine.parse} says why. */
  names(text: string): TemplateNames;
}

/** Own properties only, and without the note that Handlebars would print about a refused one. */
const RUNTIME = { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false };

/**
 * Loads Handlebars and gives the template language of prompts:
 *
 * - `{{name}}`, `{{a.b}}`: a variable. A string is put in as it is, never escaped and never rendered again; anything
 *   else as JSON. A missing one fails the file (TEMPLATE_FAILED). Only own properties are seen.
 * - `{{#if x}}…{{else}}…{{/if}}`, `{{#unless x}}`: a missing x is false. `{{#each list}}`, `{{#with x}}`,
 *   `{{lookup map key}}`: as in Handlebars, but a missing value fails.
 * - `{{json x}}` (`indent=2`), `{{fence x "language"}}`, `{{raw x}}`: x as JSON, in a code fence that it cannot close,
 *   as it is.
 * - `{{param "path"}}`, of a list's items `{{param "calls.name"}}`: what the parameter of the documented tool means, in
 *   the language of the host; of one of several tools `{{param "path" tool="word_count"}}`. In fragments only.
 * - `{{include "file.md"}}`: that file of the prompts directories, with the same variables. `{{include original}}`: the
 *   same file of the next lower layer, empty where there is none.
 * - `{{{{raw}}}} … {{{{/raw}}}}`: the text between is literal, whatever braces it holds.
 * - `\{{name}}` is the literal text `{{name}}`: Handlebars takes the backslash away. For a backslash before a value
 *   write two: `C:\\{{name}}`. In JSON, put a space between `{{json x}}` and a closing brace.
 *
 * Refused when the file is loaded (TEMPLATE_INVALID, with a hint to the raw block): text that does not parse, such as
 * `{{ "a": 1 }}`; `${{ … }}` of workflow files; unknown helpers; partials and decorators.
 */
export async function loadTemplateEngine(): Promise<TemplateEngine> {
  const { default: handlebars } = await import("handlebars");
  const instance = handlebars.create();
  // `include` differs for each file while the helpers are shared: rendering is synchronous, so one slot is enough.
  let current: { readonly include: Include; readonly source: TemplateSource } | undefined;
  const helpers = createHelpers(
    (target, at) => {
      if (!current) throw new Error("an include outside of a rendering");
      return current.include(target, inFile(at, current.source));
    },
    instance.helpers as Parameters<typeof createHelpers>[1],
  );
  for (const [name, helper] of Object.entries(helpers)) instance.registerHelper(name, helper as never);
  // It would print.
  instance.unregisterHelper("log");
  const knownHelpers = Object.fromEntries(Object.keys(instance.helpers).map((name) => [name, true]));

  const compile = (body: SyntaxNode[], source: TemplateSource): Render => {
    const program: SyntaxProgram = { type: "Program", body };
    const template = instance.compile(program, { noEscape: true, strict: true, knownHelpers } as never);
    return (variables, include) => {
      const outer = current;
      current = { include, source };
      try {
        return template(variables, RUNTIME);
      } catch (thrown) {
        throw thrown instanceof PromptFault ? thrown : renderFault(thrown, source);
      } finally {
        current = outer;
      }
    };
  };

  return {
    names(text) {
      try {
        return namesIn(instance.parse(text) as unknown as SyntaxProgram);
      } catch {
        return { variables: [], includes: [] };
      }
    },
    parse(source) {
      if (!source.text.includes("{{")) {
        return {
          template: {
            segments: [{ kind: "text", text: source.text }],
            constant: true,
            includes: false,
            describes: false,
          },
        };
      }
      let program: SyntaxProgram;
      try {
        program = instance.parse(source.text) as unknown as SyntaxProgram;
      } catch (thrown) {
        return { diagnostic: parseFault(thrown, source) };
      }
      const plan = program.body.map(planNode);
      const fault = prepare(program, source.text);
      if (fault) {
        const place = { file: source.file, ...inFile(fault.at, source) };
        return { diagnostic: diagnostic("TEMPLATE_INVALID", { ...place, message: fault.message, hint: fault.hint }) };
      }
      const segments = toSegments(
        plan,
        source,
        (run) =>
          plainCode(run, source) ??
          compile(
            run.map(({ node }) => node),
            source,
          ),
      );
      return {
        template: {
          segments,
          constant: segments.every((segment) => segment.kind === "text"),
          includes: source.text.includes("include"),
          describes: /description|param/u.test(source.text),
        },
      };
    },
  };
}

/** A top-level statement with what it stands for; read before the tree is rewritten. */
interface Planned {
  readonly node: SyntaxNode;
  readonly include: IncludeTarget | undefined;
  readonly slot: string | undefined;
  /** The variable that it shows, where it does nothing else. */
  readonly variable: string | undefined;
}

function planNode(node: SyntaxNode): Planned {
  const variable = shownVariable(node);
  const slot = variable !== undefined && SLOTS.includes(variable) ? variable : undefined;
  return { node, include: writtenInclude(node), slot, variable };
}

/** Undefined where a template has to be compiled. */
function plainCode(run: readonly Planned[], source: TemplateSource): Render | undefined {
  const parts = run.map(({ node, variable }) => plainPart(node, variable));
  if (!parts.every((part) => part !== undefined)) return undefined;
  const missing = (start: Position) =>
    renderFault(new HelperFault("has no value", { hash: {}, loc: { start } }), source);
  return (variables) => renderPlain(parts, variables, missing);
}

function toSegments(
  plan: readonly Planned[],
  source: TemplateSource,
  compile: (run: readonly Planned[]) => Render,
): readonly Segment[] {
  const segments: Segment[] = [];
  let run: Planned[] = [];
  const flush = (): void => {
    if (run.every(({ node }) => node.type === "ContentStatement")) {
      const text = run.map(({ node }) => String(node.value)).join("");
      if (text !== "") segments.push({ kind: "text", text });
    } else segments.push({ kind: "code", render: compile(run) });
    run = [];
  };
  for (const planned of plan) {
    const { node, include, slot } = planned;
    if (include !== undefined) {
      flush();
      segments.push({ kind: "include", target: include, at: inFile(node.loc.start, source) });
    } else if (slot !== undefined) {
      flush();
      segments.push({ kind: "slot", name: slot, render: compile([planned]) });
    } else if (node.type !== "CommentStatement") run.push(planned);
  }
  flush();
  return segments;
}

function inFile(at: Position, source: TemplateSource): FilePosition {
  return { line: source.line + at.line - 1, column: at.column + 1 };
}

/** Handlebars puts the line into the text of the error and, but for mismatched blocks, nowhere else. */
function parseFault(thrown: unknown, source: TemplateSource): Diagnostic {
  const error = thrown as { message?: string; lineNumber?: number; column?: number };
  const text = error.message ?? String(thrown);
  const line = error.lineNumber ?? Number(/ on line (\d+)/.exec(text)?.[1] ?? 1);
  const found = (source.text.split("\n")[line - 1] ?? "").trim().slice(0, 120);
  const reason = / doesn't match /.test(text) ? text.replace(/ - \d+:\d+$/, "") : `found ${JSON.stringify(found)}`;
  const advice = found.includes("}}}")
    ? "Put a space between }} and a } of the text"
    : "Close every {{ and every block";
  return diagnostic("TEMPLATE_INVALID", {
    file: source.file,
    line: source.line + line - 1,
    ...(error.column === undefined ? {} : { column: error.column + 1 }),
    message: `the template does not parse: ${reason}`,
    hint: `${advice}. ${LITERAL_HINT}`,
  });
}

function renderFault(thrown: unknown, source: TemplateSource): PromptFault {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const { at, hint } = thrown instanceof HelperFault ? thrown : {};
  if (!at) return new PromptFault(diagnostic("TEMPLATE_FAILED", { file: source.file, message: reason }));
  const tag = tagAt({ loc: { start: at } }, source.text.split("\n"));
  return new PromptFault(
    diagnostic("TEMPLATE_FAILED", {
      file: source.file,
      ...inFile(at, source),
      message: `${tag} ${reason}`,
      ...(hint === undefined ? {} : { hint }),
    }),
  );
}
