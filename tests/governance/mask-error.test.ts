import { describe, expect, it } from "vitest";
import { createMasker } from "../../core/governance/mask.ts";
import { maskError } from "../../core/governance/mask-error.ts";
import { HostError } from "../../core/sdk/errors.ts";

const masker = createMasker([{ name: "KEY", value: "sk-0123456789" }]);

describe("an error that leaves the host", () => {
  it("stays what it is, without secrets in any of its texts", () => {
    const error = new HostError("MODEL_REFUSED", "the key sk-0123456789 is wrong", {
      cause: new AggregateError([new TypeError("sk-0123456789")], "https://x/?key=sk-0123456789"),
    });
    expect(maskError(error, masker)).toBe(error);
    expect(error).toBeInstanceOf(HostError);
    expect(error.code).toBe("MODEL_REFUSED");
    expect(error.message).toBe("the key §§secret(KEY) is wrong");
    const cause = error.cause as AggregateError;
    for (const text of [error.stack, cause.message, cause.stack, cause.errors[0].message, cause.errors[0].stack]) {
      expect(text).toContain("§§secret(KEY)");
      expect(text).not.toContain("sk-0123456789");
    }
    expect(Object.keys(error)).not.toContain("message");
  });

  it("may be anything", () => {
    expect(maskError("sk-0123456789", masker)).toBe("§§secret(KEY)");
    for (const thrown of [undefined, null, 3, { message: "x" }]) expect(maskError(thrown, masker)).toBe(thrown);
    const circle = new Error("sk-0123456789");
    circle.cause = circle;
    maskError(circle, masker);
    expect(circle.message).toBe("§§secret(KEY)");
    const frozen = Object.freeze(new Error("sk-0123456789"));
    expect(maskError(frozen, masker)).toBe(frozen);
  });
});
