import { type Diagnostic, uniqueDiagnostics } from "../diagnostics.ts";
import type { LayerRef } from "../discovery/catalog.ts";
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
  }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The prompt with the tokens of each part. */
export async function showPrompt(owner: SystemPromptOwner): Promise<ShownPrompt> {
  const { countTokens } = await import("../prompt/tokens.ts");
  const { registry } = owner;
  const { text, sources, diagnostics } = await systemPromptOf(owner)();
  return {
    profile: registry.view.profile.id,
    text,
    tokens: await countTokens(text),
    sections: await Promise.all(
      sources().map(async ({ id, file, layer, text: part }) => ({
        id,
        file,
        layer: layer ?? null,
        tokens: await countTokens(part),
      })),
    ),
    diagnostics: uniqueDiagnostics([...registry.view.diagnostics, ...registry.diagnostics(), ...diagnostics]),
  };
}
