import type { Model, ModelPart, ModelRequest } from "../../core/model/model.ts";
import type { Json } from "../../core/sdk/json.ts";

/** The key of every face. */
export const KEY = "sk-test-0123456789";

/** A way in which a wire format is reached. */
export interface Face {
  readonly id: string;
  readonly env: (server: { url: string; baseURL: string }) => Record<string, string>;
  readonly providers?: (server: { baseURL: string }) => Json;
}

/** Every way a wire format is reached. */
export const FACES: Readonly<Record<string, Face>> = {
  "openai chat": {
    id: "openai/gpt-test",
    env: ({ baseURL }) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: baseURL }),
  },
  "openai responses": {
    id: "openai/gpt-test",
    env: ({ baseURL }) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: baseURL }),
    providers: () => ({ openai: { api: "responses" } }),
  },
  "openai-compatible": {
    id: "openai-compatible/meta/llama",
    env: ({ baseURL }) => ({ OPENAI_COMPATIBLE_API_KEY: KEY, TOOLROOM_BASE_URL: baseURL }),
  },
  "a named endpoint": {
    id: "lab/llama",
    env: () => ({ LAB_KEY: KEY }),
    providers: ({ baseURL }) => ({ lab: { baseURL, apiKeyEnv: "LAB_KEY" } }),
  },
  anthropic: {
    id: "anthropic/claude-test",
    env: ({ url }) => ({ ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: url }),
  },
  google: {
    id: "google/gemini-test",
    env: () => ({ GEMINI_API_KEY: KEY }),
    providers: ({ baseURL }) => ({ google: { baseURL } }),
  },
};
/** Their names. */
export const faces = Object.keys(FACES);

/** The settings of a face, with values of a test's own. */
export function settingsOf(face: Face, server: { baseURL: string }, values: Readonly<Record<string, Json>> = {}) {
  const all: Record<string, Json> = {
    ...(face.providers ? { "models.providers": face.providers(server) } : {}),
    ...values,
  };
  return { get: (key: string) => all[key] };
}

/** A tool of one argument. */
export const WORD_COUNT = {
  name: "word_count",
  description: "Counts words.",
  parameters: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  },
};

/** A small question. */
export function request(model: Model, parts: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: async () => "Be brief.",
    messages: [{ role: "user", content: "How many lines?" }],
    tools: [WORD_COUNT],
    protocol: model.protocol,
    signal: new AbortController().signal,
    ...parts,
  };
}

/** All parts of a reply. */
export async function ask(model: Model, parts: Partial<ModelRequest> = {}): Promise<ModelPart[]> {
  const all: ModelPart[] = [];
  for await (const part of model.stream(request(model, parts))) all.push(part);
  return all;
}

/** The text of a reply. */
export const textOf = (parts: readonly ModelPart[]) =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");
/** The calls of a reply. */
export const callsOf = (parts: readonly ModelPart[]) => parts.filter((part) => part.type === "tool-call");
