import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { HookCandidate, Hooks } from "../hooks.ts";
import type { Registry } from "../loading/registry.ts";
import type { ModelProtocol } from "../model/model.ts";
import type { AssembledPrompt, PromptSection, Prompts, PromptTool } from "../prompt/assemble.ts";
import { withinBudgets } from "../prompt/budget.ts";
import type { PointMap, PromptPart } from "../sdk/points.ts";
import type { ToolAgent } from "../sdk/tool.ts";
import { fitParts, joined, overLimit } from "./prompt-limit.ts";
import { type CallableTools, promptVariables } from "./prompting.ts";
import { promptLimits } from "./setting-values.ts";

/** Whose system prompt it is. */
export interface SystemPromptOwner {
  readonly registry: Registry;
  readonly prompts: Pick<Prompts, "assemble" | "countTokens">;
  readonly protocol: ModelProtocol;
  readonly hooks: Pick<Hooks, "run">;
  readonly agent: ToolAgent;
  /** Ends extensions that run. */
  readonly signal: AbortSignal;
  readonly tools: () => Promise<CallableTools>;
}

/** The system prompt of one question. */
export interface SystemPrompt {
  readonly text: string;
  /**
   * Where the text comes from, in its order: prompt files and fragments, and extensions where the words are their own.
   * The blank lines between two sections belong to none.
   */
  sources(): readonly PromptSection[];
  /** What extensions gave files besides the variables of every file: names by file. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A section, and the extension that gave it these words. */
interface Authored extends PromptPart {
  readonly by: HookCandidate;
}

/**
 * Makes the system prompt of somebody: each section is what an extension at `system_prompt` gives. One that fails costs
 * itself only and has a diagnostic.
 *
 * @returns makes it anew for each question: extensions may say something else each time, what files make is kept
 */
export function systemPromptOf(owner: SystemPromptOwner): () => Promise<SystemPrompt> {
  const { registry, prompts, protocol, hooks, agent, signal, tools: callable } = owner;
  const { view } = registry;
  const variables = promptVariables(registry, protocol);
  const limits = promptLimits(view.settings);
  let known: PromptTools | undefined;

  return async () => {
    known ??= promptTools(registry, await callable());
    const { tools, diagnostics } = known;
    const found: Diagnostic[] = [...diagnostics];
    const rendered = new Map<string, AssembledPrompt>();
    const given = new Map<string, readonly string[]>();
    let authored: readonly Authored[] = [];

    const render: PointMap["system_prompt"]["render"] = async (file, more) => {
      const whole = await prompts.assemble({ file, view, tools, variables, ...(more ? { more } : {}) });
      const made = await withinBudgets(whole, limits, prompts.countTokens);
      given.set(file, [...(given.get(file) ?? []), ...Object.keys(more ?? {})]);
      found.push(...made.diagnostics);
      rendered.set(made.text, made);
      return made.text;
    };
    await hooks.run(
      "system_prompt",
      { sections: [], render },
      {
        agent,
        signal,
        check: notParts,
        left({ sections }, by) {
          const before = authored;
          authored = sections.map(
            ({ id, text }) => before.find((part) => part.id === id && part.text === text) ?? { id, text, by },
          );
        },
        failed: (item) => found.push(item),
      },
    );
    const said = authored
      .map((part) => ({ ...part, text: withoutBlankEnds(part.text) }))
      .filter(({ text }) => text !== "");
    if (said.length === 0 && !signal.aborted) found.push(nothingSaid());
    const { maxTokens } = limits;
    const fitted = await fitParts({
      parts: said,
      rendered: [...rendered.values()],
      maxTokens,
      count: prompts.countTokens,
    });
    if (fitted.over) found.push(overLimit(view.profile.id, fitted.over));
    return {
      text: joined(fitted.parts),
      sources: () =>
        fitted.parts.flatMap((part) => sourcesOf(part, new Map(fitted.rendered.map((one) => [one.text, one])))),
      given,
      diagnostics: uniqueDiagnostics(found),
    };
  };
}

interface PromptTools {
  readonly tools: readonly PromptTool[];
  readonly diagnostics: readonly Diagnostic[];
}

function promptTools(registry: Registry, { tools, diagnostics }: CallableTools): PromptTools {
  return {
    diagnostics,
    tools: tools.map(({ entry, contract }) => ({
      id: entry.id,
      description: registry.words(entry).description,
      parameters: registry.parameters(entry, contract),
      file: entry.candidate.path,
    })),
  };
}

/** As prompt files are rendered, so that what they gave is found again. */
function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

/** What files gave, also where an extension has put words of its own around it; and these. */
function sourcesOf(
  { id, text, by }: Authored,
  rendered: ReadonlyMap<string, AssembledPrompt>,
): readonly PromptSection[] {
  const whole = rendered.get(text);
  if (whole) return whole.sections;
  let own = text;
  const inside: PromptSection[] = [];
  for (const { text: given, sections } of rendered.values()) {
    if (given === "" || !own.includes(given)) continue;
    own = own.replace(given, () => "");
    inside.push(...sections);
  }
  const words = { id, file: by.path, layer: by.layer, text: own };
  return own.trim() === "" ? inside : [words, ...inside];
}

function notParts({ sections }: { readonly sections: unknown }): string | undefined {
  if (!Array.isArray(sections)) return "sections must be a list";
  const wrong = sections.findIndex((part) => !isPart(part));
  return wrong < 0 ? undefined : `sections[${wrong}] must be {id, text}, both text, and nothing else`;
}

function isPart(value: unknown): value is PromptPart {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 2) return false;
  const { id, text } = value as Partial<Record<keyof PromptPart, unknown>>;
  return typeof id === "string" && typeof text === "string";
}

function nothingSaid(): Diagnostic {
  return diagnostic("PROMPT_EMPTY", {
    message: "no extension at system_prompt gives a section, so the model is told nothing, not even its tools",
    hint: "`toolroom list --kind extension` shows those that there are; the bundled plugin _base has the usual ones.",
  });
}
