import { posix } from "node:path";
import { compareText, type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { Candidate } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import { parametersOf } from "../loading/parameter-texts.ts";
import type { JsonObject } from "../sdk/result.ts";
import { PromptFault } from "./fault.ts";
import { generatedFragment, type PromptTool, sameTool, sameTools } from "./generated.ts";
import type { DocumentedTools } from "./helpers.ts";
import { type Piece, renderText, type Scope } from "./includes.ts";
import { shortFragment } from "./short-fragment.ts";
import type { Source } from "./sources.ts";
import { HIDDEN } from "./syntax.ts";

/** Where a fragment stands whose front matter gives no `order`. */
const DEFAULT_ORDER = 0;

/** What the model is told about its tools: one piece for each fragment, in the order of the prompt. */
interface FragmentList {
  readonly pieces: readonly Piece[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Collects fragments; keeps each one's rendered text until its file or the variables change. */
export interface Fragments {
  collect(input: FragmentInput): FragmentList;
}

interface FragmentInput {
  readonly scope: Omit<Scope, "slots" | "note">;
  readonly tools: readonly PromptTool[];
  /** The variables in one string. */
  readonly key: string;
}

type Outcome =
  | { readonly text: string; readonly diagnostics: readonly Diagnostic[] }
  | { readonly text?: undefined; readonly diagnostics: readonly Diagnostic[] };

interface Rendered {
  readonly key: string;
  /** The documented tools that could be called. */
  readonly tools: readonly PromptTool[];
  /** Another view may have another text of a file that is included. */
  readonly view: View;
  readonly outcome: Outcome;
}

/**
 * The fragments of a view for the tools that can be called:
 *
 * - a fragment documents the tools that its front matter lists under `tools`, else the one of its own name; when none of
 *   them can be called it is left out (FRAGMENT_WITHOUT_TOOL where there is no such tool);
 * - a tool that no fragment documents gets a generated one (TOOL_WITHOUT_FRAGMENT); so does the tool of a fragment that
 *   is empty, or fails: a failing fragment costs itself only, its own diagnostic says why. Where the tool is replaced by a
 *   layer above the fragment, that this one does not fit is told of the tool;
 * - order: `order` of the front matter (absent: 0; lowest first), then the name, by code units.
 */
export function createFragments(): Fragments {
  const rendered = new WeakMap<Source, Rendered>();
  const generated = new Map<string, { readonly tool: PromptTool; readonly text: string }>();

  const outcomeOf = (candidate: Candidate, source: Source, input: FragmentInput): Outcome => {
    const known = rendered.get(source);
    if (known && isCurrent(known, source, input)) return known.outcome;
    const { key, scope, tools } = input;
    const outcome = renderFragment(candidate, { ...scope, variables: { ...scope.variables, ...toolVariables(tools) } });
    rendered.set(source, { key, tools, view: scope.view, outcome });
    return outcome;
  };

  const generatedText = (tool: PromptTool): string => {
    const known = generated.get(tool.id);
    if (known && sameTool(known.tool, tool)) return known.text;
    const text = generatedFragment(tool);
    generated.set(tool.id, { tool, text });
    return text;
  };

  return {
    collect(input) {
      const { view, sources } = input.scope;
      const callable = new Map(input.tools.map((tool) => [tool.id, tool]));
      const documented = new Set<string>();
      const failed = new Set<string>();
      const misfits = new Map<string, Diagnostic>();
      const diagnostics: Diagnostic[] = [];
      const placed: Placed[] = [];

      for (const { winner } of view.catalog.list("fragment")) {
        if (!winner) continue;
        const source = sources.get(view, winner);
        const names = source.meta.tools ?? [winner.id];
        const uncallable = names.filter((name) => !callable.has(name));
        // A tool that is there and switched off is a decision, which `explain` tells; a name that no file has is a slip.
        const missing = uncallable.filter((name) => !view.catalog.get("tool", name)?.winner);
        if (missing.length > 0) diagnostics.push(withoutTool(winner, missing));
        if (uncallable.length === names.length) continue;
        const tools = names.flatMap((name) => callable.get(name) ?? []);
        const outcome = outcomeOf(winner, source, { ...input, tools });
        const misfit = outcome.text === undefined ? outcome.diagnostics.at(-1) : undefined;
        if (misfit && isReplaced(names, winner, view)) {
          for (const name of names) misfits.set(name, misfit);
          continue;
        }
        diagnostics.push(...outcome.diagnostics);
        if (outcome.text === undefined) for (const name of names) failed.add(name);
        else if (outcome.text !== "") {
          for (const name of names) documented.add(name);
          const order = source.meta.order ?? DEFAULT_ORDER;
          const { budget } = source.meta;
          const described = names.flatMap((name) => callable.get(name) ?? []);
          const fragment = { budget, short: shortFragment(winner.id, source.meta, described) };
          placed.push({ order, name: winner.id, piece: { origin: winner, text: outcome.text, fragment } });
        }
      }
      for (const tool of input.tools) {
        if (documented.has(tool.id)) continue;
        if (!failed.has(tool.id)) diagnostics.push(withoutFragment(tool, misfits.get(tool.id)));
        const origin = { id: tool.id, path: tool.file };
        placed.push({ order: DEFAULT_ORDER, name: tool.id, piece: { origin, text: generatedText(tool) } });
      }
      placed.sort((a, b) => a.order - b.order || compareText(a.name, b.name));
      return { pieces: placed.map((item) => item.piece), diagnostics };
    },
  };
}

interface Placed {
  readonly order: number;
  readonly name: string;
  readonly piece: Piece;
}

function isCurrent(known: Rendered, source: Source, { key, scope, tools }: FragmentInput): boolean {
  const { template } = source;
  if (!("segments" in template) || template.constant) return true;
  if (known.key !== key || (template.includes && known.view !== scope.view)) return false;
  return !(template.describes || template.includes) || sameTools(known.tools, tools);
}

/**
 * What a fragment may name besides: `descriptions` by tool, and `description` where it documents one tool. What parameters
 * mean is asked for by `{{param}}`.
 */
function toolVariables(tools: readonly PromptTool[]): JsonObject {
  const [only, second] = tools;
  const parameters = tools.map(({ id, parameters: schema }) => {
    const texts = parametersOf(schema).map(({ path, description }) => [path.join("."), description] as const);
    return [id, new Map(texts)] as const;
  });
  return {
    ...(only && !second ? { description: only.description } : {}),
    descriptions: Object.fromEntries(tools.map(({ id, description }) => [id, description])),
    // For the helper alone: no author can name it, and nothing writes it.
    [HIDDEN.tools]: new Map(parameters) satisfies DocumentedTools as never,
  };
}

function renderFragment(candidate: Candidate, scope: FragmentInput["scope"]): Outcome {
  const diagnostics: Diagnostic[] = [];
  try {
    // No `tolerate`: half a fragment would tell the model half the truth about a tool.
    const { view, sources, variables } = scope;
    const text = renderText(candidate, { view, sources, variables, slots: {}, note: (item) => diagnostics.push(item) });
    return { text, diagnostics };
  } catch (thrown) {
    if (!(thrown instanceof PromptFault)) throw thrown;
    return { diagnostics: [...diagnostics, thrown.diagnostic] };
  }
}

function withoutTool(candidate: Candidate, names: readonly string[]): Diagnostic {
  return diagnostic("FRAGMENT_WITHOUT_TOOL", {
    file: candidate.path,
    message: `describes ${names.join(", ")}, which this profile cannot call`,
    hint: "Name the fragment after its tool, or list the tools under `tools:` in its front matter.",
  });
}

/** Whether a layer above the fragment's replaces one of its tools: that it does not fit the new one is no fault of its own. */
function isReplaced(names: readonly string[], { order }: Candidate, { catalog }: View): boolean {
  return names.some((name) => {
    const tool = catalog.get("tool", name);
    return tool?.winner !== undefined && tool.winner.order < order && tool.standings.length > 1;
  });
}

/** @param misfit what keeps the fragment of a lower layer from describing it */
function withoutFragment(tool: PromptTool, misfit: Diagnostic | undefined): Diagnostic {
  const beside = posix.join(posix.dirname(posix.dirname(tool.file)), "prompts", `agent.system.tool.${tool.id}.md`);
  return diagnostic("TOOL_WITHOUT_FRAGMENT", {
    file: tool.file,
    message: misfit
      ? `the fragment ${misfit.file} is of another ${tool.id} (${misfit.message}); the model is shown a generated one`
      : `no fragment with any text describes ${tool.id}; the model is shown a generated one`,
    hint: `Write ${beside}.`,
    fix: { file: beside, description: "create it: when to use the tool, its arguments, what it returns, a call" },
  });
}
