import type { LanguageModel, ModelMessage as LibraryMessage, ToolSet } from "ai";
import { HostError } from "../sdk/errors.ts";
import type { Endpoint } from "./endpoints.ts";
import { providerFailure } from "./failures.ts";
import type { Model, ModelPart, ModelRequest, ToolDefinition } from "./model.ts";
import { publishedNames } from "./published-names.ts";
import { jsonMessages, nativeMessages, type WireMessage } from "./wire-messages.ts";

type Library = typeof import("ai");
type ConcreteModel = Exclude<LanguageModel, string>;
type Fetch = typeof globalThis.fetch;
type ProviderMetadata = NonNullable<Parameters<Library["streamText"]>[0]["providerOptions"]>;

/** Of so many calls the provider's own remarks are kept; older ones are forgotten. */
const MAX_REMARKS = 500;
const MAX_CAUSES = 6;

/**
 * A model behind a provider's HTTP interface. The libraries are imported at the first question, only those that
 * the endpoint needs. One question is one request: tools are described, never executed here, and nothing is retried.
 *
 * @param fetch what requests go through; default: the network
 */
export function createProviderModel(id: string, endpoint: Endpoint, fetch?: Fetch): Model {
  const remarks = createRemarks();
  return {
    id,
    protocol: endpoint.protocol,
    async *stream(request) {
      // The library goes on with its request when only its output is left alone.
      const left = new AbortController();
      const signal = AbortSignal.any([request.signal, left.signal]);
      try {
        request.signal.throwIfAborted();
        yield* streamParts({ endpoint, fetch, remarks }, { ...request, signal });
      } catch (error) {
        if (request.signal.aborted) throw request.signal.reason;
        throw ownError(error) ?? providerFailure(error, endpoint);
      } finally {
        left.abort();
      }
    },
  };
}

/** An error of the host's, which the library may have wrapped into its own. */
function ownError(error: unknown, depth = 0): HostError | undefined {
  if (error instanceof HostError) return error;
  if (!(error instanceof Error) || depth > MAX_CAUSES) return undefined;
  return ownError(error.cause, depth + 1);
}

interface StreamParts {
  readonly endpoint: Endpoint;
  readonly fetch: Fetch | undefined;
  readonly remarks: Remarks;
}

async function* streamParts(
  { endpoint, fetch, remarks }: StreamParts,
  request: ModelRequest,
): AsyncGenerator<ModelPart> {
  const model = createModel(endpoint, fetch);
  const [system, library, provider] = await Promise.all([request.system(), import("ai"), model]);
  const native = request.protocol === "native";
  const names = wireNames(request.tools);
  const wire = native ? nativeMessages(request.messages, names.published) : jsonMessages(request.messages);
  const tools = native ? toolSet(library, request.tools, endpoint) : undefined;
  const result = library.streamText({
    model: withoutWarnings(library, provider),
    ...(system === "" ? {} : { system }),
    messages: native ? remarks.put(wire) : (wire as LibraryMessage[]),
    ...(tools && request.tools.length > 0 ? { tools } : {}),
    maxRetries: 0,
    abortSignal: request.signal,
    // Without a listener the library prints the error.
    onError: () => {},
  });
  let empty = true;
  for await (const part of result.fullStream) {
    if (part.type === "text-delta") {
      empty = false;
      if (part.text !== "") yield { type: "text", text: part.text };
    } else if (part.type === "reasoning-delta") {
      if (part.text !== "") yield { type: "reasoning", text: part.text };
    } else if (part.type === "tool-call") {
      empty = false;
      remarks.keep(part.toolCallId, part.providerMetadata);
      yield callPart({ ...part, toolName: names.original(part.toolName) });
    } else if (part.type === "error") {
      throw part.error;
    } else if (part.type === "abort") {
      request.signal.throwIfAborted();
    } else if (part.type === "finish") {
      // A page or an object instead of a stream has no parts and no reason to end; some formats call that a reply.
      if (empty && part.finishReason === "other") throw new Error("it sent nothing that could be read as a reply");
      const { inputTokens, outputTokens } = part.totalUsage;
      const usage = {
        ...(inputTokens === undefined ? {} : { inputTokens }),
        ...(outputTokens === undefined ? {} : { outputTokens }),
      };
      yield { type: "finish", reason: part.finishReason, usage };
      return;
    }
  }
  throw new Error("the stream ended before the reply did");
}

/** A call whose arguments do not parse keeps their raw text: guessing `{}` would run something nobody asked for. */
function callPart(part: {
  toolCallId: string;
  toolName: string;
  input: unknown;
  invalid?: boolean | undefined;
}): ModelPart {
  const call = { type: "tool-call", id: part.toolCallId, name: part.toolName } as const;
  if (part.invalid && typeof part.input === "string") return { ...call, args: undefined, invalid: part.input };
  return { ...call, args: part.input };
}

/** Functions are described as they are: a schema is made to fit before, by `schema-fit.ts`. */
function toolSet({ jsonSchema }: Library, tools: readonly ToolDefinition[], { format }: Endpoint): ToolSet {
  const set: ToolSet = {};
  // OpenAI's responses change a schema so that every argument is required, unless they are told not to.
  const strict = format === "openai-responses" ? { strict: false } : {};
  for (const { name, published = name, description, parameters } of tools) {
    set[published] = { description, inputSchema: jsonSchema(parameters), ...strict };
  }
  return set;
}

/** The names of a request's tools, both ways. A name that no tool has was made up by the model; it is only made fit. */
function wireNames(tools: readonly ToolDefinition[]) {
  const published = new Map(tools.map((tool) => [tool.name, tool.published ?? tool.name]));
  const original = new Map([...published].map(([id, name]) => [name, id]));
  return {
    published: (id: string): string => published.get(id) ?? publishedNames([id]).published.get(id) ?? id,
    original: (name: string): string => original.get(name) ?? name,
  };
}

/** The library prints the warnings of a reply to the console, switched off by a global only; so it never gets to see them. */
function withoutWarnings({ wrapLanguageModel }: Library, model: ConcreteModel): ConcreteModel {
  return wrapLanguageModel({
    model: model as Parameters<typeof wrapLanguageModel>[0]["model"],
    middleware: {
      specificationVersion: "v3",
      async wrapStream({ doStream }) {
        const { stream, ...rest } = await doStream();
        type Part = typeof stream extends ReadableStream<infer T> ? T : never;
        const silent = new TransformStream<Part, Part>({
          transform(part, controller) {
            controller.enqueue(part.type === "stream-start" ? { ...part, warnings: [] } : part);
          },
        });
        return { ...rest, stream: stream.pipeThrough(silent) };
      },
    },
  });
}

/** The library's model of an endpoint. The key and the base URL are always given, so it reads no environment. */
async function createModel(endpoint: Endpoint, fetch: Fetch | undefined): Promise<ConcreteModel> {
  const { format, model, provider: name, baseURL, apiKey = "" } = endpoint;
  const common = { baseURL, apiKey, ...(fetch ? { fetch } : {}) };
  if (format === "anthropic") {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic(common)(model);
  }
  if (format === "google") {
    const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
    return createGoogleGenerativeAI(common)(model);
  }
  if (format === "openai-compatible") {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ ...common, name, includeUsage: true })(model);
  }
  const { createOpenAI } = await import("@ai-sdk/openai");
  const provider = createOpenAI(common);
  return format === "openai-chat" ? provider.chat(model) : provider.responses(model);
}

/**
 * What a provider attached to its calls and wants to see again in the history, such as the thought signatures of
 * Gemini. OpenAI's are left out: they point at reasoning items that our history does not carry.
 */
interface Remarks {
  keep(callId: string, metadata: ProviderMetadata | undefined): void;
  /** The messages with the remarks on their calls. */
  put(messages: readonly WireMessage[]): LibraryMessage[];
}

function createRemarks(): Remarks {
  const kept = new Map<string, ProviderMetadata>();
  return {
    keep(callId, metadata) {
      if (metadata === undefined || Object.hasOwn(metadata, "openai")) return;
      kept.delete(callId);
      kept.set(callId, metadata);
      const [oldest] = kept.keys();
      if (kept.size > MAX_REMARKS && oldest !== undefined) kept.delete(oldest);
    },
    put: (messages) =>
      messages.map((message) => {
        if (message.role !== "assistant") return message;
        const content = message.content.map((part) => {
          const remark = part.type === "tool-call" ? kept.get(part.toolCallId) : undefined;
          return remark === undefined ? part : { ...part, providerOptions: remark };
        });
        return { ...message, content };
      }),
  };
}
