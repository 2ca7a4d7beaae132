import { type Diagnostic, diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { HookCandidate, Hooks } from "../hooks.ts";
import type { Registry } from "../loading/registry.ts";
import type { ModelProtocol } from "../model/model.ts";
import type { AssembledPrompt, PromptSection, Prompts, PromptTool } from "../prompt/assemble.ts";
import type { PointMap, PromptPart } from "../sdk/points.ts";
import type { ToolAgent } from "../sdk/tool.ts";
import { type CallableTools, callableTools, promptVariables } from "./prompting.ts";

/** Whose system prompt it is. */
export interface SystemPromptOwner {
  readonly registry: Registry;
  readonly prompts: Pick<Prompts, "assemble">;
  readonly protocol: ModelProtocol;
  readonly hooks: Pick<Hooks, "run">;
  readonly agent: ToolAgent;
  /** Ends extensions that run. */
  readonly signal: AbortSignal;
  /** Where somebody has them already. */
  readonly tools?: () => Promise<CallableTools>;
}

/** The system prompt of one question. */
export interface SystemPrompt {
  readonly text: string;
  /**
   * Where the text comes from, in its order: prompt files and fragments, and extensions where the words are their own.
   * The blank lines between two sections belong to none.
   */
  sources(): readonly PromptSection[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A section, and the extension that gave it these words. */
interface Authored extends PromptPart {
  readonly by: HookCandidate;
}

const BETWEEN = "\n\n";

/**
 * Makes the system prompt of somebody: each section is what an extension at `system_prompt` gives. One that fails costs
 * itself only and has a diagnostic.
 *
 * @returns makes it anew for each question: extensions may say something else each time, what files make is kept
 */
export function systemPromptOf(owner: SystemPromptOwner): () => Promise<SystemPrompt> {
  const { registry, prompts, protocol, hooks, agent, signal, tools: callable = () => callableTools(registry) } = owner;
  const { view } = registry;
  const variables = promptVariables(registry, protocol);
  let known: PromptTools | undefined;

  return async () => {
    known ??= promptTools(registry, await callable());
    const { tools, diagnostics } = known;
    const found: Diagnostic[] = [...diagnostics];
    const rendered = new Map<string, AssembledPrompt>();
    let authored: readonly Authored[] = [];

    const render: PointMap["system_prompt"]["render"] = async (file, more) => {
      const made = await prompts.assemble({ file, view, tools, variables, ...(more ? { more } : {}) });
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
    const parts = authored
      .map((part) => ({ ...part, text: withoutBlankEnds(part.text) }))
      .filter(({ text }) => text !== "");
    if (parts.length === 0 && !signal.aborted) found.push(nothingSaid());
    return {
      text: parts.map(({ text }) => text).join(BETWEEN),
      sources: () => parts.flatMap((part) => sourcesOf(part, rendered)),
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
      parameters: contract.parameters,
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
