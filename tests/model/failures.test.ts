import { describe, expect, test } from "vitest";
import type { Endpoint } from "../../core/model/endpoints.ts";
import { maskKeys, providerFailure } from "../../core/model/failures.ts";

const KEY = "key-1234/abc";
const endpoint: Endpoint = {
  provider: "lab",
  model: "m",
  format: "openai-compatible",
  baseURL: "http://user:pw@lab:8000/v1",
  apiKey: KEY,
  keyVariable: "LAB_KEY",
  protocol: "native",
};

const refused = (statusCode: number, body: unknown) => ({
  message: "Bad Request",
  statusCode,
  responseBody: typeof body === "string" ? body : JSON.stringify(body),
});

describe("providerFailure", () => {
  test.each([
    [{ error: { message: "no such model" } }],
    [{ error: "no such model" }],
    [{ message: "no such model" }],
    [{ detail: "no such model" }],
    [[{ error: { message: "no such model" } }]],
    ["no such model"],
  ])("the provider's own words are found in %j", (body) => {
    const error = providerFailure(refused(400, body), endpoint);
    expect(error).toMatchObject({ code: "MODEL_REFUSED", kind: "failure" });
    expect(error.message).toBe(
      "The model lab/m at http://lab:8000/v1 refused the request with status 400: no such model.",
    );
  });

  test.each([["<html><body>oops</body></html>"], [""], ["{}"], ["null"]])(
    "a body without words (%j) leaves the error's",
    (body) => {
      expect(providerFailure(refused(500, body), endpoint).message).toContain("status 500: Bad Request.");
    },
  );

  test("the key is masked, also cut in half by the length limit, also in other spellings", () => {
    const words = `${"x".repeat(395)}${KEY} ${encodeURIComponent(KEY)}`;
    const { message } = providerFailure(refused(401, { error: words }), endpoint);
    expect(message).not.toContain("key-1");
    expect(message).toContain("check the key in LAB_KEY");
    expect(maskKeys(`a ${KEY} b ${encodeURIComponent(KEY)}`, endpoint)).toBe("a *** b ***");
    expect(maskKeys(`sk-${"a1B2c3D4e5F6"}${"g7H8i9J0k1L2"} and Bearer abc.def`, {})).toBe("*** and Bearer ***");
    expect(maskKeys("an x marks the spot", { apiKey: "x" })).toBe("an x marks the spot");
  });

  test("it is one sentence on one line, without a stack", () => {
    const { message } = providerFailure(refused(429, "slow\ndown.\u0007\n"), endpoint);
    expect(message).toBe(
      "The model lab/m at http://lab:8000/v1 refused the request with status 429: slow down; wait a while or choose another with --model.",
    );
  });

  test("the network's errors are found among causes and members", () => {
    const nested = {
      message: "Cannot connect to API: ",
      cause: new AggregateError([Object.assign(new Error("x"), { code: "ECONNREFUSED" })], ""),
    };
    expect(providerFailure(nested, endpoint)).toMatchObject({
      code: "MODEL_UNREACHABLE",
      message:
        "The model lab/m could not be reached at http://lab:8000/v1: nothing listens there (ECONNREFUSED); start it or choose another with --model.",
    });
    const lost = { message: "terminated", statusCode: 200, cause: { code: "UND_ERR_SOCKET" } };
    expect(providerFailure(lost, endpoint)).toMatchObject({ code: "MODEL_UNREACHABLE" });
    const unnamed = new TypeError("fetch failed", { cause: new Error("certificate has expired") });
    expect(providerFailure(unnamed, endpoint).message).toContain(": certificate has expired; start it");
  });

  test("anything else thrown is told as it is", () => {
    expect(providerFailure("odd", endpoint).message).toContain("broke off with an error: odd.");
    expect(providerFailure(undefined, endpoint).message).toContain("undefined");
    const wrong = {
      name: "AI_TypeValidationError",
      message: "pages of schema",
      value: { error: { message: "overloaded" } },
    };
    expect(providerFailure(wrong, endpoint).message).toContain("error: overloaded.");
    expect(providerFailure({ ...wrong, value: 1 }, endpoint).message).not.toContain("pages");
  });
});
