import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { ESTOP_HINT, type Estop, type EstopState, estopText, turnEstopOff, turnEstopOn } from "../governance/estop.ts";

/** The e-stop of a root. It is a file of its state directory, so it holds for all hosts of the root and outlives them. */
export interface EstopSwitch {
  /**
   * Stops what runs in every host of the root, within a second; until it is turned off no call runs and no model is asked.
   * @param reason what whoever is stopped is told
   * @throws HostError ESTOP_UNWRITABLE
   */
  on(reason?: string): EstopStatus;
  /** What was stopped does not go on by itself. @throws HostError ESTOP_UNWRITABLE */
  off(): EstopStatus;
  status(): EstopStatus;
}

/** Whether an e-stop is on. */
export interface EstopStatus {
  readonly on: boolean;
  /** Null where it is off, or nobody gave one. */
  readonly reason: string | null;
  /** ISO 8601; null where it is off, or not known. */
  readonly since: string | null;
}

export function createEstopSwitch(
  estop: Estop,
  { directories, mask }: { readonly directories: readonly string[]; mask(text: string): string },
): EstopSwitch {
  const status = (): EstopStatus => estopStatus(estop.look());
  return {
    on(reason = "") {
      turnEstopOn(directories, mask(reason));
      return status();
    },
    off() {
      turnEstopOff(directories);
      return status();
    },
    status,
  };
}

export function estopStatus(state: EstopState | undefined): EstopStatus {
  return { on: state !== undefined, reason: state?.reason || null, since: state?.since ?? null };
}

/** What everybody should know who asks what is wrong. */
export function estopDiagnostics(estop: Estop): readonly Diagnostic[] {
  const state = estop.look();
  return state ? [diagnostic("ESTOP_ON", { message: estopText(state), hint: ESTOP_HINT })] : [];
}
