import { compareText, type Diagnostic } from "../diagnostics.ts";
import type { Registry, ToolEntry } from "../loading/registry.ts";
import type { ToolContract } from "../loading/tool-module.ts";
import type { ToolDefinition } from "../model/model.ts";
import type { Prompts } from "../prompt/assemble.ts";
import type { PROMPT_VARIABLES } from "../prompt/variables.ts";
import type { Json } from "../sdk/json.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { Authority } from "./authority.ts";

/** A tool that can be called and may be shown to the model, with its contract. */
interface CallableTool {
  readonly entry: ToolEntry;
  readonly contract: ToolContract;
}

/** See {@link callableTools}. */
export interface CallableTools {
  readonly tools: readonly CallableTool[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The tools that a model may be shown, without those that it may not call; one whose module does not load is left out and reported. */
export async function callableTools(
  registry: Registry,
  { refusal }: Pick<Authority, "refusal">,
): Promise<CallableTools> {
  const diagnostics: Diagnostic[] = [];
  const tools: CallableTool[] = [];
  const known = await Promise.all(
    registry
      .entries()
      .filter(({ id, candidate }) => !candidate.off && !refusal(id))
      .map(async (entry) => ({ entry, contract: await registry.contract(entry) })),
  );
  for (const { entry, contract } of known) {
    if ("severity" in contract) diagnostics.push(contract);
    else if (contract.role !== "fallback") tools.push({ entry, contract });
  }
  return { tools, diagnostics };
}

/** What every prompt file may name. Nothing here changes between two turns, so the prompt is byte-stable. */
export function promptVariables({ view }: Registry, protocol: "native" | "json"): JsonObject {
  const { profile, project, profiles } = view;
  // The names of the secrets are added where they are known.
  const variables: Record<Exclude<(typeof PROMPT_VARIABLES)[number], "secrets">, Json> = {
    profile: profile.id,
    profile_title: profile.title,
    profile_context: profile.context,
    project: project ?? "",
    profiles: profiles.map(({ id, title, description }) => ({ id, title, description })),
    json_protocol: protocol === "json",
  };
  return variables;
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

/** One object, so that what it becomes for a provider is known the next time. */
const ANY_ARGUMENTS: JsonSchema = Object.freeze({ type: "object" });

/** The schema of a tool's arguments, also where it says nothing of them. */
export function parametersOf({ parameters }: ToolContract): JsonSchema {
  return parameters ?? ANY_ARGUMENTS;
}

/** The function definitions of tools as the host holds them, sorted by name. */
export function toolDefinitions(registry: Registry, { tools }: CallableTools): readonly ToolDefinition[] {
  return tools
    .map(({ entry, contract }): ToolDefinition => {
      const { description, examples } = registry.words(entry);
      return {
        name: entry.id,
        description,
        parameters: registry.parameters(entry, contract) ?? ANY_ARGUMENTS,
        ...(examples.length > 0 ? { examples: [...examples] } : {}),
        ...(contract.role === undefined ? {} : { role: contract.role }),
      };
    })
    .sort((a, b) => compareText(a.name, b.name));
}
