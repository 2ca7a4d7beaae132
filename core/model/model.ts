import { HostError } from "../sdk/errors.ts";
import type { Usage } from "../sdk/events.ts";
import type { Json } from "../sdk/json.ts";
import type { ModelMessage } from "../sdk/messages.ts";
import type { JsonObject } from "../sdk/result.ts";
import type { JsonSchema } from "../sdk/schema.ts";
import type { ToolRole } from "../sdk/tool.ts";

export type { ModelMessage, ModelToolCall } from "../sdk/messages.ts";

/** What a model is told about one tool. */
export interface ToolDefinition {
  /** The tool's id. */
  readonly name: string;
  /** The name that a provider is given, where the id is none that providers take. */
  readonly published?: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object at its root; for the model of a provider, as that takes it. */
  readonly parameters: JsonSchema;
  /** What a person may say, in any language, and the arguments that answer it; the offline model matches by these. */
  readonly examples?: readonly ToolExample[];
  readonly role?: ToolRole;
}

/** One example of a fragment. `call` is the arguments, or `{tool_name, tool_args}` where the fragment documents several tools. */
export interface ToolExample {
  readonly say: string;
  readonly call: JsonObject;
}

/**
 * How calls travel. `native`: as the provider's own tool calls. `json`: as one JSON object in the reply's text
 * (`thoughts`, `headline`, `tool_name`, `tool_args`), for models without tool calls.
 */
export type ModelProtocol = "native" | "json";

/** One question to a model. */
export interface ModelRequest {
  /** The system prompt; a function, because not every model reads it. */
  system(): Promise<string>;
  readonly messages: readonly ModelMessage[];
  /** The tools that the model may ask for. Sent as definitions in the native protocol only. */
  readonly tools: readonly ToolDefinition[];
  readonly protocol: ModelProtocol;
  readonly signal: AbortSignal;
}

/** One piece of a reply, as it is streamed. The last one is `finish`. */
export type ModelPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      /** Undefined when `invalid` is set. */
      readonly args: unknown;
      /** The raw text, where the arguments were not JSON. Such a call must not run. */
      readonly invalid?: string;
    }
  | { readonly type: "finish"; readonly reason: string; readonly usage: Usage };

/**
 * The ids of tools that a model is given under another name, by that name; undefined where there are none.
 * @param calls only of the tools that these name; default: of all
 */
export function publishedOf(
  tools: readonly ToolDefinition[],
  calls?: readonly { readonly name: string }[],
): Readonly<Record<string, string>> | undefined {
  const renamed = tools.flatMap(({ name, published }) => (published === undefined ? [] : [[published, name] as const]));
  const meant = calls ? renamed.filter(([, id]) => calls.some(({ name }) => name === id)) : renamed;
  return meant.length === 0 ? undefined : Object.fromEntries(meant);
}

/** A language model. */
export interface Model {
  /** As it was asked for: `provider/model`, or `offline`. */
  readonly id: string;
  readonly protocol: ModelProtocol;
  /** Asking it costs nothing, whatever `models.prices` says: it needs no provider. */
  readonly free?: boolean;
  /**
   * One reply. Leaving the iteration early ends the request.
   * @throws HostError MODEL_UNREACHABLE, MODEL_REFUSED: one sentence, API keys masked
   * @throws the reason of `request.signal` when that fires
   */
  stream(request: ModelRequest): AsyncIterable<ModelPart>;
}

/** What a model needs of the settings: a value by its dotted key. */
export interface ModelSettings {
  get(key: string): Json | undefined;
}

/** A model id in its two parts. */
export interface ModelId {
  readonly provider: string;
  /** May hold slashes: `openai-compatible/meta/llama-3`. */
  readonly model: string;
}

/** The id of the model that needs nothing: no network, no key. */
export const OFFLINE = "offline";

/**
 * Splits `provider/model` at its first slash; `offline` stands alone.
 * @throws HostError MODEL_UNKNOWN (usage) for anything else
 */
export function parseModelId(id: string): ModelId {
  const text = id.trim();
  if (text === OFFLINE) return { provider: OFFLINE, model: OFFLINE };
  const slash = text.indexOf("/");
  const provider = text.slice(0, slash);
  const model = text.slice(slash + 1);
  if (slash < 1 || model === "" || /\s/.test(text)) {
    throw new HostError(
      "MODEL_UNKNOWN",
      `expected a model as provider/model (for example openai/<model>, anthropic/<model>, ollama/llama3.2) or ${OFFLINE}, found ${JSON.stringify(id)}`,
      { kind: "usage" },
    );
  }
  return { provider, model };
}
