import type { CallErrorCode } from "../sdk/errors.ts";
import type { CallEnd } from "./call-end.ts";

/** When a tool rests. */
export interface BreakerSettings {
  /** After so many failures in a row; 0: never. */
  readonly failures: number;
  /** For so long, in milliseconds. */
  readonly restMs: number;
}

/** A tool that rests. */
export interface OpenCircuit {
  /** Failures in a row. */
  readonly failures: number;
  /** What the last one ended with. */
  readonly code: CallErrorCode;
  /** When the next try is possible, in milliseconds since 1970. Undefined: one is under way, and decides. */
  readonly nextAt: number | undefined;
}

/**
 * One breaker for each version of a tool's module: whoever mends a tool and saves it has it tried at once, because what
 * the code before could not do says nothing of the new one.
 */
export interface CircuitBreakers {
  /**
   * Asked before a call. After the rest one call is let through, and what becomes of it decides.
   * @param version what is the same for all calls of one version: its class
   * @returns why it may not run; else a function to be told of its end
   */
  admit(version: object, settings: BreakerSettings): OpenCircuit | ((end: CallEnd) => void);
}

/**
 * What trips a breaker: the machine, the network, a deadline, the host. Not what the arguments named and the system
 * refused, not what somebody stopped, nor any mistake of a model or denial of a policy.
 */
const TRIPPING: ReadonlySet<CallErrorCode> = new Set(["TIMEOUT", "NETWORK_ERROR", "INTERNAL_ERROR"]);

/** These say nothing of the tool. */
const NEUTRAL: ReadonlySet<CallErrorCode> = new Set(["ABORTED", "STOPPED"]);

interface Circuit {
  failures: number;
  code: CallErrorCode;
  /** Set while it is open. */
  nextAt: number | undefined;
  isProbed: boolean;
}

/** @param now milliseconds since 1970, of a clock that never goes back */
export function createCircuitBreakers(now: () => number): CircuitBreakers {
  const circuits = new WeakMap<object, Circuit>();
  const fail = (version: object, code: CallErrorCode, { failures, restMs }: BreakerSettings): void => {
    const circuit = circuits.get(version) ?? { failures: 0, code, nextAt: undefined, isProbed: false };
    circuits.set(version, circuit);
    circuit.failures += 1;
    circuit.code = code;
    if (circuit.failures >= failures) circuit.nextAt ??= now() + restMs;
  };
  return {
    admit(version, settings) {
      const circuit = settings.failures > 0 ? circuits.get(version) : undefined;
      const isOpen = circuit?.nextAt !== undefined;
      if (isOpen) {
        const { failures, code, nextAt = 0 } = circuit;
        if (circuit.isProbed) return { failures, code, nextAt: undefined };
        if (now() < nextAt) return { failures, code, nextAt };
        circuit.isProbed = true;
      }
      return ({ ran, code }) => {
        if (isOpen) circuit.isProbed = false;
        if (!ran || settings.failures === 0 || (code && NEUTRAL.has(code))) return;
        if (!code || !TRIPPING.has(code)) {
          circuits.delete(version);
          return;
        }
        // The rest begins anew with the one try that was let through.
        if (isOpen) circuit.nextAt = undefined;
        fail(version, code, settings);
      };
    },
  };
}
