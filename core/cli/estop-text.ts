import { estopText } from "../governance/estop.ts";
import type { EstopStatus } from "../host/estop-switch.ts";

/** An e-stop in one line for people. */
export function estopLine({ on, reason, since }: EstopStatus): string {
  const text = `${estopText(on ? { reason: reason ?? "", since } : undefined)}.`;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
