import { describe, expect, it } from "vitest";
import { providerTrouble } from "../../core/model/trouble.ts";

const answered = (statusCode: number, more: object = {}) => ({ statusCode, ...more });
const NOW = Date.parse("2026-01-01T00:00:00Z");

describe("what is worth another try", () => {
  it.each([408, 409, 425, 429, 500, 502, 503, 504, 529])("status %i", (status) => {
    expect(providerTrouble(answered(status))).toEqual({ status, transient: true });
  });

  it.each([400, 401, 403, 404, 413, 422, 501])("not status %i", (status) => {
    expect(providerTrouble(answered(status))).toEqual({ status, transient: false });
  });

  it("not a quota that is used up, which comes as 429 too", () => {
    const responseBody = JSON.stringify({ error: { code: "insufficient_quota", message: "check your plan" } });
    expect(providerTrouble(answered(429, { responseBody })).transient).toBe(false);
  });

  it.each(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "EAI_AGAIN"])("a network that says %s", (code) => {
    expect(providerTrouble({ message: "terminated", cause: { code } })).toEqual({ transient: true });
    expect(providerTrouble(answered(200, { cause: { errors: [{ code }] } })).transient).toBe(true);
  });

  it("not a place where nothing listens, nor anything else", () => {
    for (const error of [{ cause: { code: "ECONNREFUSED" } }, new Error("odd"), "odd", null, undefined]) {
      expect(providerTrouble(error).transient).toBe(false);
    }
  });
});

describe("Retry-After", () => {
  const waitOf = (responseHeaders: Record<string, string>, status = 429) =>
    providerTrouble(answered(status, { responseHeaders }), NOW).retryAfterMs;

  it("is seconds, a date, or milliseconds in a header of their own", () => {
    expect(waitOf({ "retry-after": "3" })).toBe(3_000);
    expect(waitOf({ "retry-after": "0.5" })).toBe(500);
    expect(waitOf({ "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" })).toBe(7_000);
    expect(waitOf({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })).toBe(0);
    expect(waitOf({ "retry-after-ms": "20", "retry-after": "9" })).toBe(20);
  });

  it("counts only where it can be read, and where another try makes sense", () => {
    expect(waitOf({ "retry-after": "soon" })).toBeUndefined();
    expect(waitOf({})).toBeUndefined();
    expect(waitOf({ "retry-after": "3" }, 401)).toBeUndefined();
  });
});
