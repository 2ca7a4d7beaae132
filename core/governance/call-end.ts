import type { CallErrorCode } from "../sdk/errors.ts";

/** How a call ended, for what counted it beforehand. */
export interface CallEnd {
  /** The tool was executed. */
  readonly ran: boolean;
  /** Of its result. */
  readonly code?: CallErrorCode | undefined;
}
