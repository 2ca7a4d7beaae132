import { describe, expect, it } from "vitest";
import { pass, retryDelay } from "../../core/agent/retry.ts";
import { createCancellation } from "../../core/governance/cancellation.ts";
import { HostError, type ProviderTrouble, ToolError } from "../../core/sdk/errors.ts";

const error = (provider: ProviderTrouble) => new HostError("MODEL_REFUSED", "busy", { provider });
const fresh = { tries: 0, streamed: false };

describe("a question is asked again", () => {
  it("twice, each time after a longer wait, or after what the provider asked for", () => {
    const busy = error({ transient: true, status: 503 });
    expect([0, 1, 2].map((tries) => retryDelay(busy, { tries, streamed: false }))).toEqual([500, 2_000, undefined]);
    expect(retryDelay(error({ transient: true, retryAfterMs: 1_234 }), fresh)).toBe(1_234);
  });

  it("not when a part of the reply was there already, when it would not help, or when the wait is too long", () => {
    expect(retryDelay(error({ transient: true }), { tries: 0, streamed: true })).toBeUndefined();
    expect(retryDelay(error({ transient: false }), fresh)).toBeUndefined();
    expect(retryDelay(error({ transient: true, retryAfterMs: 600_000 }), fresh)).toBeUndefined();
    expect(retryDelay(new HostError("MODEL_REFUSED", "no"), fresh)).toBeUndefined();
    expect(retryDelay(new Error("no"), fresh)).toBeUndefined();
  });
});

it("waiting ends at once when it is stopped", async () => {
  const work = createCancellation();
  const waiting = pass(60_000, work);
  work.abort(new ToolError("STOPPED", "enough"));
  await expect(waiting).rejects.toMatchObject({ code: "STOPPED" });
  await pass(1, createCancellation());
});
