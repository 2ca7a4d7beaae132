import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { Candidate, LayerRef } from "../discovery/catalog.ts";
import type { View } from "../discovery/discovery.ts";
import type { JsonObject } from "../sdk/result.ts";
import { PromptFault } from "./fault.ts";
import { createFragments } from "./fragments.ts";
import { type PromptTool, sameTools } from "./generated.ts";
import { BETWEEN, type Piece, renderPieces, type Scope, textOf } from "./includes.ts";
import { createSources, type Sources } from "./sources.ts";
import { loadTemplateEngine } from "./template.ts";
import { createTokenCounter, type TokenCounter } from "./tokens.ts";

export type { PromptTool } from "./generated.ts";

/** The prompt that shows the fragments, as `{{tools}}`. */
const TOOLS_PROMPT = "agent.system.tools.md";

/** `{{tools}}` when no tool can be called. */
const NO_TOOLS = "There are no tools at this time. Answer from what you know, and say so where that is not enough.";

/** One file's share of a text. */
export interface PromptSection {
  /** File name of a prompt, name of a fragment, or id of the tool whose fragment was generated. */
  readonly id: string;
  /** Display path; of a generated fragment the tool's module. */
  readonly file: string;
  /** Undefined for a generated fragment. */
  readonly layer: LayerRef | undefined;
  /** The file's own text, without that of the files it includes. */
  readonly text: string;
  /** Most tokens, where the front matter of a fragment says so. */
  readonly budget?: number;
  /** The fragment's summary stands here in place of its text. */
  readonly shortened?: true;
}

/** A prompt file with everything that it includes. */
export interface AssembledPrompt {
  readonly text: string;
  /** Every character of `text` belongs to one of them; in the order in which each begins. */
  readonly sections: readonly PromptSection[];
  /** What the text is joined of. */
  readonly pieces: readonly Piece[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What {@link Prompts.assemble} is made from. */
export interface AssembleInput {
  /** A prompt's file name, such as `agent.system.main.md`. */
  readonly file: string;
  readonly view: View;
  /** The tools that can be called and are not hidden. The same array while nothing changed makes the memo cheap. */
  readonly tools: readonly PromptTool[];
  /** What the file and the fragments may name. */
  readonly variables: JsonObject;
  /** What the file may name besides, above `variables`; the fragments may not. */
  readonly more?: JsonObject;
}

/** The prompts of one host. */
export interface Prompts {
  /**
   * One file of the system prompt, with what it includes. Where it shows `{{tools}}` stand the fragments of the callable
   * tools. Byte for byte the same for the same input, whatever the order of `tools`.
   *
   * A part that fails is left out and has a diagnostic; it never rejects on content's account. Where
   * `agent.system.tools.md` fails the bare fragments stand for it: a model with tools and no manners.
   *
   * The same view with the same list of tools and equal variables gives the same object back: a view is a snapshot.
   * For a new view only what changed is read and rendered.
   */
  assemble(input: AssembleInput): Promise<AssembledPrompt>;
  /**
   * One message template, such as `fw.msg_repeat.md`, by its file name.
   * `text` is empty when it is missing or fails; `diagnostics` then holds an error.
   */
  render(input: {
    readonly view: View;
    readonly file: string;
    readonly variables: JsonObject;
  }): Promise<{ readonly text: string; readonly diagnostics: readonly Diagnostic[] }>;
  /** What keeps the body of a prompt file or fragment from being used, if anything. */
  fault(view: View, candidate: Candidate): Promise<Diagnostic | undefined>;
  /** Tokens of a text; each distinct text, such as a section that did not change, is counted once. */
  readonly countTokens: TokenCounter;
}

interface Memo {
  readonly tools: readonly PromptTool[];
  readonly key: string;
  readonly result: AssembledPrompt;
}

const NOTHING: JsonObject = Object.freeze({});

/** The prompts of one host, with nothing read yet. */
export function createPrompts(): Prompts {
  const fragments = createFragments();
  const memos = new WeakMap<View, Map<string, Memo>>();
  let sources: Sources | undefined;

  const open = async (): Promise<Sources> => {
    // Handlebars costs 50 ms, and many commands show no prompt.
    const engine = await loadTemplateEngine();
    sources ??= createSources(engine);
    return sources;
  };

  return {
    async assemble({ file, view, tools, variables, more = NOTHING }) {
      const ownKey = JSON.stringify(variables);
      const key = more === NOTHING ? ownKey : ownKey + JSON.stringify(more);
      const memo = memos.get(view)?.get(file);
      if (memo && memo.key === key && sameTools(memo.tools, tools)) return memo.result;
      const files = sources ?? (await open());
      const diagnostics: Diagnostic[] = [];
      const report = (item: Diagnostic): void => void diagnostics.push(item);
      // Only a file that shows them needs them.
      const pieces = once((): readonly Piece[] => {
        const list = fragments.collect({ scope: { view, sources: files, variables }, tools, key: ownKey });
        diagnostics.push(...list.diagnostics);
        return list.pieces;
      });
      const rendered = renderPrompt(file, {
        view,
        sources: files,
        variables: {
          ...variables,
          ...more,
          // Read only by a template that does more with it than show it: with many tools it is long.
          get tools() {
            return pieces()
              .map((piece) => piece.text)
              .join(BETWEEN);
          },
        },
        slots: {
          get tools() {
            return { pieces: pieces(), empty: NO_TOOLS };
          },
        },
        tolerate: report,
        note: report,
      });
      const all = rendered ?? (file === TOOLS_PROMPT ? bare(pieces()) : []);
      const result = promptOf(all, uniqueDiagnostics(diagnostics));
      const ofView = memos.get(view) ?? new Map<string, Memo>();
      memos.set(view, ofView.set(file, { tools, key, result }));
      return result;
    },
    async render({ view, file, variables }) {
      const files = sources ?? (await open());
      const diagnostics: Diagnostic[] = [];
      const note = (item: Diagnostic): void => void diagnostics.push(item);
      const pieces = renderPrompt(file, { view, sources: files, variables, slots: {}, note });
      return { text: pieces ? textOf(pieces) : "", diagnostics: uniqueDiagnostics(diagnostics) };
    },
    async fault(view, candidate) {
      const { template } = (sources ?? (await open())).get(view, candidate);
      return "segments" in template ? undefined : template;
    },
    countTokens: createTokenCounter(),
  };
}

/** The fragments without the words around them. */
function bare(fragments: readonly Piece[]): readonly Piece[] {
  const origin = { id: TOOLS_PROMPT, path: `prompts/${TOOLS_PROMPT}` };
  const between = { origin, text: BETWEEN };
  if (fragments.length === 0) return [{ origin, text: NO_TOOLS }];
  return fragments.flatMap((piece, index) => (index === 0 ? [piece] : [between, piece]));
}

function renderPrompt(file: string, scope: Scope): readonly Piece[] | undefined {
  const winner = scope.view.catalog.get("prompt", file)?.winner;
  if (!winner) {
    const hint = `Write prompts/${file}; \`toolroom explain ${file} --kind prompt\` shows where it is looked for.`;
    scope.note(diagnostic("PROMPT_MISSING", { file: `prompts/${file}`, message: `no layer holds ${file}`, hint }));
    return undefined;
  }
  try {
    return renderPieces(winner, scope);
  } catch (thrown) {
    if (!(thrown instanceof PromptFault)) throw thrown;
    scope.note(thrown.diagnostic);
    return undefined;
  }
}

/** A prompt made of these pieces. */
function promptOf(pieces: readonly Piece[], diagnostics: readonly Diagnostic[]): AssembledPrompt {
  return Object.freeze({ text: textOf(pieces), sections: toSections(pieces), pieces, diagnostics });
}

/** The prompt with the summaries of some fragments in place of their texts. */
export function withSummaries(prompt: AssembledPrompt, chosen: ReadonlySet<Piece>): AssembledPrompt {
  const pieces = prompt.pieces.map((piece) => {
    const text = chosen.has(piece) ? piece.fragment?.short : undefined;
    return text === undefined ? piece : { ...piece, text, shortened: true as const };
  });
  return promptOf(pieces, prompt.diagnostics);
}

function toSections(pieces: readonly Piece[]): readonly PromptSection[] {
  const parts = new Map<Piece["origin"], Piece[]>();
  for (const piece of pieces) {
    const known = parts.get(piece.origin);
    if (known) known.push(piece);
    else parts.set(piece.origin, [piece]);
  }
  return [...parts].map(([origin, own]) => {
    const budget = own[0]?.fragment?.budget;
    return {
      id: origin.id,
      file: origin.path,
      layer: origin.layer,
      text: textOf(own),
      ...(budget === undefined ? {} : { budget }),
      ...(own[0]?.shortened ? { shortened: true as const } : {}),
    };
  });
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
