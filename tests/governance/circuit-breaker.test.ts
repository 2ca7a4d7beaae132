import { describe, expect, it } from "vitest";
import { createCircuitBreakers } from "../../core/governance/circuit-breaker.ts";
import { CALL_CODES, type CallErrorCode } from "../../core/sdk/errors.ts";

const SETTINGS = { failures: 3, restMs: 300_000 };

/** A breaker whose clock is set by hand, and calls of one tool that end as they are told to. */
function breaker(settings = SETTINGS) {
  const clock = { at: 1_000 };
  const breakers = createCircuitBreakers(() => clock.at);
  const begin = (version: object = breaker) => breakers.admit(version, settings);
  const call = (code?: CallErrorCode, version: object = breaker) => {
    const admitted = begin(version);
    if (typeof admitted !== "function") return admitted;
    admitted({ ran: true, code });
    return "ran";
  };
  return { clock, begin, call };
}

describe("a circuit breaker", () => {
  it("opens after three timeouts, and tells the next try; three NOT_FOUND leave it closed", () => {
    const { call } = breaker();
    for (const code of ["NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "TIMEOUT", "TIMEOUT", "TIMEOUT"] as const) {
      expect(call(code)).toBe("ran");
    }
    expect(call()).toEqual({ failures: 3, code: "TIMEOUT", nextAt: 301_000 });
  });

  it("opens for what the machine failed with, and for nothing else", () => {
    const opening = (Object.keys(CALL_CODES) as CallErrorCode[]).filter((code) => {
      const { call } = breaker();
      for (let time = 0; time < 3; time++) call(code);
      return call() !== "ran";
    });
    expect(opening).toEqual(["TIMEOUT", "INTERNAL_ERROR", "NETWORK_ERROR"]);
  });

  it("counts failures in a row: what answers, in whatever way, begins anew; what was stopped says nothing", () => {
    const { call } = breaker();
    for (const code of ["TIMEOUT", "TIMEOUT", undefined, "TIMEOUT", "TIMEOUT", "ABORTED", "STOPPED"] as const) {
      call(code);
    }
    expect(call("TIMEOUT")).toBe("ran");
    expect(call()).toMatchObject({ failures: 3 });
  });

  it("lets one call through after the rest, and goes by what becomes of it", () => {
    const { clock, begin, call } = breaker();
    for (let time = 0; time < 3; time++) call("NETWORK_ERROR");
    clock.at += 300_000;
    const probe = begin();
    expect(begin()).toMatchObject({ nextAt: undefined });
    if (typeof probe === "function") probe({ ran: true, code: "TIMEOUT" });
    expect(begin()).toMatchObject({ failures: 4, code: "TIMEOUT", nextAt: clock.at + 300_000 });
    clock.at += 300_000;
    expect(call()).toBe("ran");
    expect(call("TIMEOUT")).toBe("ran");
    expect(call()).toBe("ran");
  });

  it("lets another one through where the first was not run", () => {
    const { clock, begin, call } = breaker();
    for (let time = 0; time < 3; time++) call("TIMEOUT");
    clock.at += 300_000;
    const probe = begin();
    if (typeof probe === "function") probe({ ran: false });
    expect(begin()).toBeTypeOf("function");
  });

  it("belongs to one version of one tool", () => {
    const { call } = breaker();
    for (let time = 0; time < 3; time++) call("TIMEOUT");
    expect(call(undefined, {})).toBe("ran");
    expect(call()).not.toBe("ran");
  });

  it("is off with 0 failures, and as quick as it is told to be", () => {
    const off = breaker({ failures: 0, restMs: 1 });
    for (let time = 0; time < 9; time++) expect(off.call("TIMEOUT")).toBe("ran");
    const quick = breaker({ failures: 1, restMs: 50 });
    quick.call("TIMEOUT");
    expect(quick.call()).toEqual({ failures: 1, code: "TIMEOUT", nextAt: 1_050 });
  });
});
