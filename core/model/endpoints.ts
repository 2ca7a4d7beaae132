import type { DiagnosticCode } from "../diagnostics.ts";
import { HostError } from "../sdk/errors.ts";
import type { Json } from "../sdk/json.ts";
import { type ModelId, type ModelProtocol, type ModelSettings, OFFLINE, parseModelId } from "./model.ts";

/** The wire formats that are spoken. `openai-responses` is OpenAI's newer one, `openai-chat` the one that its imitators share. */
type WireFormat = "openai-responses" | "openai-chat" | "openai-compatible" | "anthropic" | "google";

/** Where a model is and how it is spoken to. */
export interface Endpoint {
  /** The provider's id as the person wrote it. */
  readonly provider: string;
  readonly model: string;
  readonly format: WireFormat;
  /** Without a slash at its end. */
  readonly baseURL: string;
  /** Absent for a server that asks for none. */
  readonly apiKey?: string;
  /** The environment variable that holds the key, or would. */
  readonly keyVariable?: string;
  readonly protocol: ModelProtocol;
}

/** Environment variables, or a part of them. */
export type Environment = Readonly<Record<string, string | undefined>>;

interface ProviderRow {
  readonly format: WireFormat;
  readonly baseURL: string;
  readonly baseVariable?: string;
  readonly keyVariables: readonly string[];
  readonly keyNeeded: boolean;
}

/** The providers that need no settings. */
const PROVIDERS: Readonly<Record<string, ProviderRow>> = {
  openai: {
    format: "openai-responses",
    baseURL: "https://api.openai.com/v1",
    baseVariable: "OPENAI_BASE_URL",
    keyVariables: ["OPENAI_API_KEY"],
    keyNeeded: true,
  },
  anthropic: {
    format: "anthropic",
    baseURL: "https://api.anthropic.com/v1",
    baseVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["ANTHROPIC_API_KEY"],
    keyNeeded: true,
  },
  google: {
    format: "google",
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    keyVariables: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"],
    keyNeeded: true,
  },
  "openai-compatible": {
    format: "openai-compatible",
    baseURL: "http://127.0.0.1:11434/v1",
    baseVariable: "TOOLROOM_BASE_URL",
    keyVariables: ["OPENAI_COMPATIBLE_API_KEY"],
    keyNeeded: false,
  },
  ollama: {
    format: "openai-compatible",
    baseURL: "http://127.0.0.1:11434/v1",
    keyVariables: [],
    keyNeeded: false,
  },
};

/**
 * The endpoint of a model. For the base URL the environment variable goes before the setting
 * `models.providers.<id>.baseURL`, and that before the default; `models.providers.<id>.apiKeyEnv` names another
 * variable for the key; a provider that only the settings know is openai-compatible.
 *
 * @throws HostError MODEL_UNKNOWN (usage), MODEL_KEY_MISSING, MODEL_MISCONFIGURED
 */
export function resolveEndpoint(id: ModelId, options: { env: Environment; settings: ModelSettings }): Endpoint {
  const { provider, model } = id;
  const own = providerSettings(options.settings, provider);
  const row = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : customRow(provider, own);
  if (!row) throw unknownProvider(provider);

  const fromEnvironment = row.baseVariable ? options.env[row.baseVariable]?.trim() : undefined;
  const custom = fromEnvironment || textSetting(own, "baseURL", provider);
  const keyVariable = textSetting(own, "apiKeyEnv", provider);
  const keyVariables = keyVariable === undefined ? row.keyVariables : [keyVariable];
  const apiKey = findKey(keyVariables, options.env);
  if (apiKey === undefined && (row.keyNeeded || keyVariable !== undefined)) throw keyMissing(provider, keyVariables);
  const [named] = keyVariables;
  return {
    provider,
    model,
    format: wireFormat(row.format, custom !== undefined, own, provider),
    baseURL: baseUrl(custom ?? row.baseURL, row.format, provider),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(named === undefined ? {} : { keyVariable: named }),
    protocol: protocolOf(own.protocol ?? options.settings.get("protocol")),
  };
}

/**
 * Checks that a provider can be named in a model id.
 * @throws HostError MODEL_UNKNOWN (usage), MODEL_MISCONFIGURED
 */
export function requireProvider(provider: string, settings: ModelSettings): void {
  if (provider === OFFLINE || Object.hasOwn(PROVIDERS, provider)) return;
  if (!customRow(provider, providerSettings(settings, provider))) throw unknownProvider(provider);
}

/**
 * How calls travel to and from a model, for what is shown without asking it; no key is needed.
 * @param id undefined for the offline model
 * @throws HostError MODEL_UNKNOWN (usage) for an id that is none, MODEL_MISCONFIGURED
 */
export function protocolFor(id: string | undefined, settings: ModelSettings): ModelProtocol {
  const { provider } = parseModelId(id ?? OFFLINE);
  if (provider === OFFLINE) return "json";
  return protocolOf(providerSettings(settings, provider).protocol ?? settings.get("protocol"));
}

/** Other servers that speak OpenAI's format know its chat completions, hardly ever its responses. */
function wireFormat(format: WireFormat, custom: boolean, own: ProviderSettings, provider: string): WireFormat {
  if (format !== "openai-responses") return format;
  const api = textSetting(own, "api", provider) ?? (custom ? "chat" : "responses");
  if (api !== "chat" && api !== "responses") {
    throw misconfigured(`expected models.providers.${provider}.api to be chat or responses, found ${api}`);
  }
  return `openai-${api}`;
}

type ProviderSettings = Readonly<Record<string, Json | undefined>>;

function providerSettings(settings: ModelSettings, provider: string): ProviderSettings {
  const all = settings.get("models.providers");
  if (!isObject(all) || !Object.hasOwn(all, provider)) return {};
  const own = all[provider];
  if (!isObject(own)) throw misconfigured(`expected models.providers.${provider} of the settings to be a mapping`);
  return own;
}

function customRow(provider: string, own: ProviderSettings): ProviderRow | undefined {
  if (own.baseURL === undefined || provider === OFFLINE) return undefined;
  return { format: "openai-compatible", baseURL: "", keyVariables: [], keyNeeded: false };
}

function textSetting(own: ProviderSettings, key: string, provider: string): string | undefined {
  const value = own[key];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value === "string") return value.trim();
  throw misconfigured(`expected models.providers.${provider}.${key} of the settings to be text`);
}

function findKey(variables: readonly string[], env: Environment): string | undefined {
  for (const variable of variables) {
    const key = env[variable]?.trim();
    if (!key) continue;
    // Anything else cannot be a header, and would fail later in words that do not name the variable.
    if (/^[\x21-\x7e]+$/.test(key)) return key;
    throw misconfigured(`expected ${variable} to hold a key of plain ASCII without spaces, found other characters`);
  }
  return undefined;
}

function baseUrl(text: string, format: WireFormat, provider: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw misconfigured(`expected the base URL of ${provider} to be like http://host:port/v1, found ${shownUrl(text)}`);
  }
  const trimmed = text.replace(/\/+$/, "");
  // Anthropic's own tools take the address without its version.
  return format === "anthropic" && url.pathname === "/" ? `${trimmed}/v1` : trimmed;
}

/** A URL as messages may show it: without user, password and query. */
export function shownUrl(text: string): string {
  if (!URL.canParse(text)) return JSON.stringify(text.slice(0, 200));
  const url = new URL(text);
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, "");
}

/** @throws HostError MODEL_MISCONFIGURED unless the value is `auto`, `native` or `json` */
function protocolOf(value: Json | undefined): ModelProtocol {
  if (value === undefined || value === null || value === "auto" || value === "native") return "native";
  if (value === "json") return "json";
  throw misconfigured(`expected protocol to be auto, native or json, found ${JSON.stringify(value)}`);
}

function unknownProvider(provider: string): HostError {
  const known = [...Object.keys(PROVIDERS), OFFLINE].join(", ");
  return new HostError(
    "MODEL_UNKNOWN" satisfies DiagnosticCode,
    `expected a provider that is known (${known}) or has models.providers.${provider}.baseURL in usr/settings.yaml, found ${JSON.stringify(provider)}`,
    { kind: "usage" },
  );
}

function keyMissing(provider: string, variables: readonly string[]): HostError {
  const names = variables.join(" or ");
  return new HostError(
    "MODEL_KEY_MISSING" satisfies DiagnosticCode,
    `${provider} needs an API key: set the environment variable ${names}, or choose another model with --model`,
  );
}

function misconfigured(message: string): HostError {
  return new HostError("MODEL_MISCONFIGURED" satisfies DiagnosticCode, message);
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
