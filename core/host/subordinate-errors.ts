import { type CallErrorCode, HostError, isToolError, ToolError } from "../sdk/errors.ts";

/** What failures of the host are to a call that asked a subordinate. */
const CODES: Readonly<Record<string, CallErrorCode>> = {
  MODEL_UNREACHABLE: "NETWORK_ERROR",
  SESSION_BUSY: "CONFLICT",
  SESSION_UNKNOWN: "NOT_FOUND",
  PROFILE_UNKNOWN: "INVALID_PARAM",
  PROFILE_DISABLED: "INVALID_PARAM",
  HOST_CLOSED: "STOPPED",
  ESTOP_ON: "STOPPED",
  COST_LIMIT: "RATE_LIMITED",
  PRICE_UNKNOWN: "DENIED_BY_POLICY",
};

/** Why a subordinate gave no answer. */
export function asToolError(
  error: unknown,
  { id, profile }: { readonly id: string; readonly profile: string },
): unknown {
  if (isToolError(error) || !(error instanceof HostError)) return error;
  const { code, message, provider } = error;
  const details = provider?.transient === undefined ? {} : { retryable: provider.transient };
  return new ToolError(
    CODES[code] ?? "EXECUTION_ERROR",
    `the subordinate ${id} (${profile}) gave no answer: ${message}`,
    {
      ...details,
      hint: "Do without it, or tell the person.",
      data: { context_id: id },
    },
  );
}

/** An agent goes on with its own subordinates only. */
export function unknownContext(id: string, entries: readonly KnownEntry[]): ToolError {
  const own = entries.filter(({ over }) => !over);
  const over = entries.some((entry) => entry.id === id);
  const message = over
    ? `the subordinate ${id} is over: a new one took its place`
    : `this agent has no subordinate ${JSON.stringify(id)}`;
  const names = own.map((entry) => `${entry.id} (${entry.profile})`).join(", ");
  return new ToolError("NOT_FOUND", message, {
    pointer: "/contextId",
    hint: names === "" ? "Leave it out to begin with a new one." : `Its own are ${names}. Leave it out for a new one.`,
    data: { subordinates: own.map((entry) => entry.id) },
  });
}

interface KnownEntry {
  readonly id: string;
  readonly profile: string;
  readonly over: boolean;
}
