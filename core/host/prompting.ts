import { compareText, type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { LayerRef } from "../discovery/catalog.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { ToolContract } from "../loading/tool-module.ts";
import { requireProvider } from "../model/endpoints.ts";
import { OFFLINE, type ToolDefinition } from "../model/model.ts";
import { wireSchema } from "../model/wire-schema.ts";
import type { AssembledPrompt, Prompts, PromptTool } from "../prompt/assemble.ts";
import type { JsonObject } from "../sdk/result.ts";

/** The answer of `prompt`. `tokens` are counted with the o200k vocabulary. */
export interface ShownPrompt {
  readonly profile: string;
  readonly text: string;
  readonly tokens: number;
  readonly sections: readonly {
    readonly id: string;
    readonly file: string;
    readonly layer: LayerRef | null;
    readonly tokens: number;
  }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A tool that can be called and may be shown to the model, with its contract. */
interface CallableTool {
  readonly entry: ToolEntry;
  readonly contract: ToolContract;
}

/** The tools that a model may be shown; one whose module does not load is left out and reported. */
async function callableTools(
  registry: Registry,
  allowed?: readonly string[],
): Promise<{ tools: readonly CallableTool[]; diagnostics: readonly Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const tools: CallableTool[] = [];
  const known = await Promise.all(
    registry
      .entries()
      .filter(({ id }) => !allowed || allowed.includes(id))
      .map(async (entry) => ({ entry, contract: await registry.contract(entry) })),
  );
  for (const { entry, contract } of known) {
    if ("severity" in contract) diagnostics.push(contract);
    else if (contract.role !== "fallback") tools.push({ entry, contract });
  }
  return { tools, diagnostics };
}

/** For whom a prompt is put together. */
interface PromptReader {
  readonly protocol: "native" | "json";
  /** Ids of the tools that it may call; absent = all. */
  readonly allowed?: readonly string[] | undefined;
}

/** Assembles the system prompt of a registry's profile. */
export async function assemblePrompt(
  registry: Registry,
  prompts: Prompts,
  { protocol, allowed }: PromptReader,
): Promise<AssembledPrompt> {
  const { view } = registry;
  const { tools, diagnostics } = await callableTools(registry, allowed);
  const assembled = await prompts.assemble({
    view,
    tools: tools.map(
      ({ entry, contract }): PromptTool => ({
        id: entry.id,
        description: registry.words(entry).description,
        parameters: contract.parameters,
        file: entry.candidate.path,
      }),
    ),
    variables: promptVariables(registry, protocol),
  });
  return { ...assembled, diagnostics: uniqueDiagnostics([...diagnostics, ...assembled.diagnostics]) };
}

/** What every prompt file may name. Nothing here changes between two turns, so the prompt is byte-stable. */
function promptVariables({ view }: Registry, protocol: "native" | "json"): JsonObject {
  const { profile, project, profiles } = view;
  return {
    profile: profile.id,
    profile_title: profile.title,
    profile_context: profile.context,
    project: project ?? "",
    profiles: profiles.map(({ id, title, description }) => ({ id, title, description })),
    json_protocol: protocol === "json",
  };
}

/** The words of a `fw.*.md` message. */
export type MessageWords = (file: string, variables: Readonly<Record<string, string | number>>) => Promise<string>;

/** The words of the messages that the host puts into a conversation. */
export function messageWords(prompts: Prompts, registry: Registry, protocol: "native" | "json"): MessageWords {
  return async (file, variables) => {
    const all = { ...promptVariables(registry, protocol), ...variables };
    return (await prompts.render({ view: registry.view, file, variables: all })).text;
  };
}

/** The prompt with the tokens of each part. */
export async function showPrompt(
  registry: Registry,
  prompts: Prompts,
  protocol: "native" | "json",
): Promise<ShownPrompt> {
  const { countTokens } = await import("../prompt/tokens.ts");
  const { text, sections, diagnostics } = await assemblePrompt(registry, prompts, { protocol });
  return {
    profile: registry.view.profile.id,
    text,
    tokens: await countTokens(text),
    sections: await Promise.all(
      sections.map(async ({ id, file, layer, text: part }) => ({
        id,
        file,
        layer: layer ?? null,
        tokens: await countTokens(part),
      })),
    ),
    diagnostics: uniqueDiagnostics([...registry.view.diagnostics, ...registry.diagnostics(), ...diagnostics]),
  };
}

/** The function definitions that a model is given, sorted by name. @param allowed ids; default: all */
export async function toolDefinitions(
  registry: Registry,
  allowed?: readonly string[],
): Promise<readonly ToolDefinition[]> {
  const { tools } = await callableTools(registry, allowed);
  return tools
    .map(({ entry, contract }): ToolDefinition => {
      const { description, examples } = registry.words(entry);
      return {
        name: entry.id,
        description,
        parameters: contract.parameters ?? { type: "object" },
        ...(examples.length > 0 ? { examples: [...examples] } : {}),
        ...(contract.role === undefined ? {} : { role: contract.role }),
      };
    })
    .sort((a, b) => compareText(a.name, b.name));
}

/**
 * The function definitions as a provider is sent them; without a provider as the host holds them, examples included.
 * @throws HostError MODEL_UNKNOWN (usage)
 */
export async function definitionsFor(
  registry: Registry,
  provider: string | undefined,
): Promise<readonly ToolDefinition[]> {
  if (provider !== undefined) requireProvider(provider, registry.view.settings);
  const definitions = await toolDefinitions(registry);
  if (provider === undefined || provider === OFFLINE) return definitions;
  return definitions.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters: wireSchema(parameters),
  }));
}
