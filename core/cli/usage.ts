import type { DiagnosticCode } from "../diagnostics.ts";
import { HostError } from "../sdk/errors.ts";

/** Wrong usage: exit code 2. @param message one sentence: what was expected, what was found */
export function usageError(message: string): HostError {
  return new HostError("USAGE" satisfies DiagnosticCode, message, { kind: "usage" });
}
