import { describe, expect, test } from "vitest";
import { resolveEndpoint, shownUrl } from "../../core/model/endpoints.ts";
import { parseModelId } from "../../core/model/model.ts";
import { openModel } from "../../core/model/open.ts";
import type { Json } from "../../core/sdk/json.ts";

const settings = (values: Record<string, Json> = {}) => ({ get: (key: string) => values[key] });
const providers = (value: Json) => settings({ "models.providers": value });

function resolve(id: string, env: Record<string, string> = {}, values = settings()) {
  return resolveEndpoint(parseModelId(id), { env, settings: values });
}

describe("parseModelId", () => {
  test("splits at the first slash", () => {
    expect(parseModelId("openai-compatible/meta/llama-3")).toEqual({
      provider: "openai-compatible",
      model: "meta/llama-3",
    });
    expect(parseModelId(" offline ")).toEqual({ provider: "offline", model: "offline" });
  });

  test.each(["", "gpt", "/gpt", "openai/", "open ai/gpt"])("%j is wrong usage", (id) => {
    expect(() => parseModelId(id)).toThrow(expect.objectContaining({ code: "MODEL_UNKNOWN", kind: "usage" }));
  });
});

describe("resolveEndpoint", () => {
  test("the known providers and their defaults", () => {
    expect(resolve("openai/gpt", { OPENAI_API_KEY: "k1" })).toEqual({
      provider: "openai",
      model: "gpt",
      format: "openai-responses",
      baseURL: "https://api.openai.com/v1",
      apiKey: "k1",
      keyVariable: "OPENAI_API_KEY",
      protocol: "native",
    });
    expect(resolve("anthropic/c", { ANTHROPIC_API_KEY: "k" })).toMatchObject({
      format: "anthropic",
      baseURL: "https://api.anthropic.com/v1",
    });
    expect(resolve("google/g", { GEMINI_API_KEY: "k" })).toMatchObject({ format: "google", apiKey: "k" });
    expect(resolve("google/g", { GEMINI_API_KEY: "b", GOOGLE_GENERATIVE_AI_API_KEY: "a" }).apiKey).toBe("a");
    expect(resolve("openai-compatible/m")).toMatchObject({ baseURL: "http://127.0.0.1:11434/v1" });
    expect(resolve("openai-compatible/m")).not.toHaveProperty("apiKey");
    expect(resolve("ollama/llama3.2")).toMatchObject({ format: "openai-compatible" });
  });

  test("another base URL of openai is spoken to in chat completions", () => {
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:1/v1/" };
    expect(resolve("openai/m", env)).toMatchObject({ format: "openai-chat", baseURL: "http://127.0.0.1:1/v1" });
    expect(resolve("openai/m", env, providers({ openai: { api: "responses" } })).format).toBe("openai-responses");
  });

  test("a base URL of anthropic may lack its version", () => {
    const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:1" };
    expect(resolve("anthropic/m", env).baseURL).toBe("http://127.0.0.1:1/v1");
  });

  test("the environment goes before the settings, the settings before the default", () => {
    const values = providers({ "openai-compatible": { baseURL: "http://s/v1" } });
    expect(resolve("openai-compatible/m", {}, values).baseURL).toBe("http://s/v1");
    expect(resolve("openai-compatible/m", { TOOLROOM_BASE_URL: "http://e/v1" }, values).baseURL).toBe("http://e/v1");
    expect(resolve("openai-compatible/m", { TOOLROOM_BASE_URL: " " }, values).baseURL).toBe("http://s/v1");
  });

  test("settings name further endpoints and their key", () => {
    const values = providers({ lab: { baseURL: "http://lab:8000/v1", apiKeyEnv: "LAB_KEY", protocol: "json" } });
    expect(resolve("lab/a/b", { LAB_KEY: " secret " }, values)).toEqual({
      provider: "lab",
      model: "a/b",
      format: "openai-compatible",
      baseURL: "http://lab:8000/v1",
      apiKey: "secret",
      keyVariable: "LAB_KEY",
      protocol: "json",
    });
    expect(() => resolve("lab/a", {}, values)).toThrow(
      expect.objectContaining({ code: "MODEL_KEY_MISSING", message: expect.stringContaining("LAB_KEY") }),
    );
  });

  test("the protocol: the provider's setting before the global one, auto is native", () => {
    expect(resolve("ollama/m", {}, settings({ protocol: "json" })).protocol).toBe("json");
    expect(resolve("ollama/m", {}, settings({ protocol: "auto" })).protocol).toBe("native");
    const both = settings({ protocol: "json", "models.providers": { ollama: { protocol: "native" } } });
    expect(resolve("ollama/m", {}, both).protocol).toBe("native");
    expect(() => resolve("ollama/m", {}, settings({ protocol: "xml" }))).toThrow(
      expect.objectContaining({ code: "MODEL_MISCONFIGURED" }),
    );
  });

  test("a missing key is told with its variable", () => {
    expect(() => resolve("openai/gpt")).toThrow(
      expect.objectContaining({ code: "MODEL_KEY_MISSING", message: expect.stringContaining("OPENAI_API_KEY") }),
    );
    expect(() => resolve("google/g", { GEMINI_API_KEY: " " })).toThrow(
      /GOOGLE_GENERATIVE_AI_API_KEY or GEMINI_API_KEY/,
    );
  });

  test("a key that cannot be a header is told without showing it", () => {
    const error = catchError(() => resolve("openai/gpt", { OPENAI_API_KEY: "ключ-abc" }));
    expect(error).toMatchObject({ code: "MODEL_MISCONFIGURED", message: expect.stringContaining("OPENAI_API_KEY") });
    expect(error.message).not.toContain("ключ");
  });

  test.each(["127.0.0.1:1", "ftp://x/v1", "http://x/v1?key=secret", ""])("base URL %j", (baseURL) => {
    const values = providers({ lab: { baseURL } });
    const error = catchError(() => resolve("lab/m", {}, values));
    expect(error).toMatchObject({ code: "MODEL_MISCONFIGURED" });
    expect(error.message).not.toContain("secret");
  });

  test.each(["nobody/m", "__proto__/m", "constructor/m", "offline/m"])("%s is an unknown provider", (id) => {
    expect(() => resolve(id)).toThrow(expect.objectContaining({ code: "MODEL_UNKNOWN", kind: "usage" }));
  });

  test.each([[{ lab: 1 }], [{ lab: { baseURL: 1 } }], [{ openai: { api: "soap" } }]])("settings %j", (value) => {
    const id = "lab" in value ? "lab/m" : "openai/m";
    expect(() => resolve(id, { OPENAI_API_KEY: "k" }, providers(value as unknown as Json))).toThrow(
      expect.objectContaining({ code: "MODEL_MISCONFIGURED" }),
    );
  });
});

test("a shown URL has no user, password or query", () => {
  expect(shownUrl("http://me:secret@h:1/v1?key=x")).toBe("http://h:1/v1");
});

describe("openModel", () => {
  test("without an id it is the offline model", async () => {
    const model = await openModel(undefined, { env: {}, settings: settings() });
    expect(model).toMatchObject({ id: "offline", protocol: "json" });
    expect(await openModel("offline", { env: {}, settings: settings() })).toMatchObject({ id: "offline" });
  });

  test("a model keeps the id that it was asked for", async () => {
    const model = await openModel("ollama/a/b", { env: {}, settings: settings() });
    expect(model).toMatchObject({ id: "ollama/a/b", protocol: "native" });
  });

  test("what is wrong with the id or the settings is told before anything is asked", async () => {
    await expect(openModel("gpt", { env: {}, settings: settings() })).rejects.toThrow(/provider\/model/);
    await expect(openModel("openai/gpt", { env: {}, settings: settings() })).rejects.toThrow(/OPENAI_API_KEY/);
  });
});

function catchError(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error("expected an error");
}
