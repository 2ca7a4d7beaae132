import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { LayerRef } from "../discovery/catalog.ts";
import { promptLimits } from "./setting-values.ts";
import { type SystemPromptOwner, systemPromptOf } from "./system-prompt.ts";

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
    /** Most tokens of a fragment; null where nothing limits it. */
    readonly budget: number | null;
    /** Whether the summary stands in place of the text. */
    readonly shortened: boolean;
  }[];
  /** Most tokens of the whole; null where nothing limits it. */
  readonly maxTokens: number | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** The prompt with the tokens of each part. */
export async function showPrompt(owner: SystemPromptOwner): Promise<ShownPrompt> {
  const { countTokens } = await import("../prompt/tokens.ts");
  const { registry } = owner;
  const limits = promptLimits(registry.view.settings);
  const { text, sources, diagnostics } = await systemPromptOf(owner)();
  return {
    profile: registry.view.profile.id,
    text,
    tokens: await countTokens(text),
    sections: await Promise.all(
      sources().map(async ({ id, file, layer, text: part, budget, shortened = false }) => ({
        id,
        file,
        layer: layer ?? null,
        tokens: await countTokens(part),
        budget: budget ?? (isFragment(id, file) ? (limits.fragmentTokens ?? null) : null),
        shortened,
      })),
    ),
    maxTokens: limits.maxTokens ?? null,
    diagnostics: uniqueDiagnostics([...registry.view.diagnostics, ...registry.diagnostics(), ...diagnostics]),
  };
}

function isFragment(id: string, file: string): boolean {
  return file.endsWith(`/agent.system.tool.${id}.md`) || file === `agent.system.tool.${id}.md`;
}
