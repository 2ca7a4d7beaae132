import type { Cancellation } from "../governance/cancellation.ts";
import { HostError } from "../sdk/errors.ts";

/** So often a question is asked again. */
export const MAX_RETRIES = 2;
/** The first waiting time where the provider names none; the next is four times as long. */
const FIRST_DELAY_MS = 500;
/** A provider that wants to be left alone for longer is told of at once. */
const MAX_DELAY_MS = 30_000;

/**
 * How long to wait before a question is asked again; undefined when it should not be: the trouble will not pass,
 * something was streamed already (it would come twice), or it was tried often enough.
 *
 * @param tries how often it was asked again already
 */
export function retryDelay(
  error: unknown,
  { tries, streamed }: { tries: number; streamed: boolean },
): number | undefined {
  if (streamed || tries >= MAX_RETRIES || !(error instanceof HostError) || !error.provider?.transient) return undefined;
  const wait = error.provider.retryAfterMs ?? FIRST_DELAY_MS * 4 ** tries;
  return wait > MAX_DELAY_MS ? undefined : wait;
}

/** Waits, or throws the reason of the cancellation when it fires first. */
export async function pass(ms: number, work: Cancellation): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await work.race(() => new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))));
  } finally {
    clearTimeout(timer);
  }
}
