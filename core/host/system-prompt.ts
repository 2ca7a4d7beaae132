import type { Hooks } from "../hooks.ts";
import type { PromptPart } from "../sdk/points.ts";
import type { ToolAgent } from "../sdk/tool.ts";

/** Who is asked for parts of the system prompt. */
export interface PromptAskers {
  readonly hooks: Pick<Hooks, "has" | "run">;
  readonly agent: ToolAgent | undefined;
  readonly signal: AbortSignal;
}

/** Where the prompt that the files make stands among the parts. */
const MAIN: Omit<PromptPart, "text"> = { id: "main", order: 50 };
const BETWEEN = "\n\n";

/** The system prompt: what files make, and what extensions at `system_prompt` add, change or take out. */
export async function withPromptParts(text: string, { hooks, agent, signal }: PromptAskers): Promise<string> {
  if (!hooks.has("system_prompt")) return text;
  const payload = { sections: [{ ...MAIN, text }] };
  const outcome = await hooks.run("system_prompt", payload, { agent, signal, check: notParts });
  return joinParts(outcome.payload.sections);
}

/** In their order; parts of one order as they came. An empty one leaves no gap. */
function joinParts(parts: readonly PromptPart[]): string {
  return parts
    .toSorted((a, b) => a.order - b.order)
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join(BETWEEN);
}

function notParts({ sections }: { readonly sections: unknown }): string | undefined {
  if (!Array.isArray(sections)) return "sections must be a list";
  const wrong = sections.findIndex((part) => !isPart(part));
  return wrong < 0 ? undefined : `sections[${wrong}] must have id and text, both text, and order, a number`;
}

function isPart(value: unknown): value is PromptPart {
  const { id, text, order } = (value ?? {}) as Partial<Record<keyof PromptPart, unknown>>;
  return typeof id === "string" && typeof text === "string" && Number.isFinite(order);
}
